// One row of a bench: variants of the same work, measured in turns. In each round every variant gets a new session, and
// so does a second copy of the baseline, the control, whose ratio is the noise.

import { interleave, type Sampler } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { BenchError, type Session, type Variant } from './session.ts';
import { median, ratioInterval, type Interval, type PairedRatios } from './statistics.ts';

export const CONTROL = 'control';

export interface Comparison {
  readonly name: string;
  /** Variants to compare, the baseline first. */
  readonly variants: readonly Variant[];
}

export interface RowResult {
  readonly name: string;
  /** Milliseconds per sample, by variant, the control included. */
  readonly medians: Readonly<Record<string, number>>;
  /** Ratio to the baseline, by variant, the control included. */
  readonly ratios: Readonly<Record<string, Interval>>;
  readonly paired: Readonly<Record<string, PairedRatios>>;
}

export async function compare(row: Comparison, options: BenchOptions): Promise<RowResult> {
  const baseline = row.variants[0];
  if (!baseline) throw new BenchError('TT_BENCH_ROW', `row "${row.name}" has no variants`);
  const lanes: Variant[] = [...row.variants, { name: CONTROL, open: () => baseline.open() }];
  const { clock } = options;
  const rounds = await interleave(
    lanes.map((lane) => ({ name: lane.name, open: async () => clocked(await lane.open(), clock) })),
    options,
  );
  return summarise(
    row.name,
    lanes.map((lane) => lane.name),
    rounds,
  );
}

function clocked(session: Session, clock: BenchOptions['clock']): Sampler<number> {
  return { sample: async () => (await session.sample())[clock], close: () => session.close() };
}

/** @param rounds `rounds[r][lane][sample]`; lane 0 is the baseline */
export function summarise(name: string, lanes: readonly string[], rounds: readonly number[][][]): RowResult {
  const medians: Record<string, number> = {};
  const ratios: Record<string, Interval> = {};
  const paired: Record<string, PairedRatios> = {};
  lanes.forEach((lane, index) => {
    medians[lane] = median(rounds.flatMap((times) => times[index]!));
    if (index === 0) return;
    const pairs = rounds.map((times) => times[index]!.map((time, sample) => time / times[0]![sample]!));
    paired[lane] = pairs;
    ratios[lane] = ratioInterval(pairs);
  });
  return { name, medians, ratios, paired };
}
