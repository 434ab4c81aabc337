// npm run bench:record: what it costs to be recorded with traces, on the eighteen programs of Savina on one worker and on two, what the traces take, and how
// long it takes to have a run again. A row is a program at a place; its lanes are processes of their own: not recorded, with traces, with traces and a
// snapshot every second run.

import { fileURLToPath } from 'node:url';
import { isWanted, runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import type { BenchOptions } from '../harness/options.ts';
import { atMost, type Bar, type Summary } from '../harness/report.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { geomean, geomeanInterval, median } from '../harness/statistics.ts';
import { PROGRAMS } from '../savina/catalog.ts';
import type { Place } from '../savina/options.ts';
import { tracesTable } from './traces.ts';
import { LANES, type Lane } from './work.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const RECORDED = new URL('./recorded.ts', import.meta.url).href;
const PLACES: readonly Place[] = ['one', 'two'];
/** Of the arithmetic mean of a place's programs, and of each. */
const MEANS: Readonly<Record<string, number>> = { one: 1.01, two: 1.05 };
const MOST = 1.1;
/** Of the geometric mean with snapshots; the papers on SOMns have 1.55. */
const WITH_SNAPSHOTS = 1.22;

function variant(lane: Lane, name: string, size: string, place: Place): Variant {
  const recorded = lane === 'none' ? [] : ['--import', RECORDED];
  const execArgv = ['-C', 'turntable-source', ...recorded, '--import', 'turntable/register'];
  return processVariant({ name: lane, file: PROGRAM, args: [name, size, lane, place], execArgv });
}

/** A small one, one that shares something, and one that has work to divide are a minute's work. */
const QUICK: readonly string[] = ['Counting', 'ConcurrentDictionary', 'LogisticMapSeries'];

function programsOf({ quick }: BenchOptions): readonly string[] {
  return quick ? QUICK : PROGRAMS;
}

function rowName(program: string, place: Place): string {
  return `${program} on ${place}`;
}

function judge(rows: readonly RowResult[]): { summaries: Summary[]; bars: Bar[] } {
  const summaries: Summary[] = [];
  const bars: Bar[] = [];
  for (const place of PLACES) {
    const those = rows.filter(({ name }) => name.endsWith(` on ${place}`));
    if (those.length === 0) continue;
    const lanes = [...LANES.slice(1), 'control'];
    const ratios = Object.fromEntries(
      lanes.map((lane) => [lane, geomeanInterval(those.map(({ paired }) => paired[lane] ?? []))]),
    );
    summaries.push({ name: `geometric mean on ${place}`, ratios });
    const traced = those.map(({ paired }) => median((paired['traced'] ?? []).flat()));
    const mean = traced.reduce((sum, each) => sum + each, 0) / traced.length;
    bars.push(
      atMost(`traced on ${place}, mean of ${those.length} programs`, mean, MEANS[place] as number),
      atMost(`traced on ${place}, the most`, Math.max(...traced), MOST),
      atMost(
        `traced with snapshots on ${place}, geometric mean`,
        geomean(those.map(({ paired }) => median((paired['snapshots'] ?? []).flat()))),
        WITH_SNAPSHOTS,
      ),
    );
  }
  return { summaries, bars };
}

const bench: Bench = {
  name: 'record',
  about: `The programs of Savina on one worker and on two: not recorded, recorded with traces, and with a snapshot every second run as well; what
traces take, and replays. --only traces has the table of that alone.`,
  // Which of two shapes a program's hot code gets differs from process to process, and makes it up to twice as fast: many short ones.
  effort: { full: { rounds: 6, samples: 4, warmup: 3 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  rows: (options) =>
    programsOf(options).flatMap((name) =>
      PLACES.map((place) => ({
        name: rowName(name, place),
        variants: LANES.map((lane) => variant(lane, name, options.quick ? 'quick' : 'paper', place)),
      })),
    ),
  judge,
  async *tables(options, progress) {
    const isAll = isWanted('traces', options);
    const runs = programsOf(options)
      .flatMap((program) => PLACES.map((place) => ({ name: rowName(program, place), program, place })))
      .filter(({ name }) => isAll || isWanted(name, options));
    if (runs.length === 0) return;
    const { quick } = options;
    yield await tracesTable({ runs, size: quick ? 'quick' : 'paper', times: quick ? 3 : 8, progress });
  },
};

await runBench(bench, process.argv.slice(2));
