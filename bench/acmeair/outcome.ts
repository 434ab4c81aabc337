// What the samples of all lanes come to: tables, and what is said of the bars.

import { KINDS } from '../../examples/acmeair/load/visitor.ts';
import { pairedRatios } from '../harness/interleaved.ts';
import type { Table } from '../harness/report.ts';
import { median, ratioInterval, type PairedRatios } from '../harness/statistics.ts';
import { judgeRatio, PAIRS, type Judged } from '../harness/verdict.ts';
import { CONTROLS, WAYS, type AirlineSample } from './lanes.ts';
import type { TakenSnapshot } from './snapshots.ts';
import { latencyOf, Tally, type Latency } from './tally.ts';
import type { Share } from './traces.ts';

export type Load = 'closed' | 'paced';

export interface LaneOutcome {
  readonly name: string;
  readonly base: string;
  readonly tally: Tally;
  readonly latency: Latency;
  /** Mean latencies, against those of the base. */
  readonly paired: PairedRatios;
  readonly requestsPerSecond: number;
  /** Microseconds of a request. */
  readonly cpu: number;
  /** MiB, at most. */
  readonly rss: number;
  /** Milliseconds: the median of the samples, and the most. */
  readonly delay: { readonly p99: number; readonly max: number };
}

/** `rounds[r][lane][sample]`, of all of `WAYS`. */
export function outcomesOf(rounds: readonly (readonly (readonly AirlineSample[])[])[], load: Load): LaneOutcome[] {
  return WAYS.map(({ name, base }, lane) => {
    const samples = rounds.flatMap((values) => (values[lane] ?? []).map((sample) => sample[load]));
    const tally = new Tally();
    for (const { latency } of samples) tally.addAll(latency);
    const latency = latencyOf(tally.all);
    const sum = (of: (sample: AirlineSample[Load]) => number): number =>
      samples.reduce((all, each) => all + of(each), 0);
    const baseLane = WAYS.findIndex((way) => way.name === base);
    return {
      name,
      base,
      tally,
      latency,
      paired: pairedRatios(rounds, lane, baseLane, (sample) => sample[load].latency.mean),
      requestsPerSecond: (latency.count / sum(({ elapsed }) => elapsed)) * 1000,
      cpu: (sum(({ usage }) => usage.cpu) / latency.count) * 1000,
      rss: Math.max(...samples.map(({ usage }) => usage.rss)) / 2 ** 20,
      delay: {
        p99: median(samples.map(({ usage }) => usage.delay.p99)),
        max: Math.max(...samples.map(({ usage }) => usage.delay.max)),
      },
    };
  });
}

const TITLES: Readonly<Record<Load, string>> = {
  closed: 'one request after the other, two connections',
  paced: 'at a rate',
};

export function latencyTable(outcomes: readonly LaneOutcome[], load: Load): Table {
  const rows = outcomes.map(({ name, base, latency, paired, requestsPerSecond, cpu, rss, delay }) => [
    name,
    requestsPerSecond.toFixed(0),
    ...[latency.mean, latency.p50, latency.p99, latency.p999, latency.max].map((each) => each.toFixed(2)),
    shareText(latency.over100, latency.count),
    shareText(latency.over200, latency.count),
    cpu.toFixed(0),
    rss.toFixed(0),
    delay.p99.toFixed(1),
    delay.max.toFixed(1),
    name === base ? '' : ratioText(paired),
    name === base ? '' : base,
  ]);
  const header = ['', 'requests/s', 'mean ms', 'p50', 'p99', 'p99.9', 'max', '> 100 ms', '> 200 ms'];
  return {
    title: `latency, ${TITLES[load]}`,
    header: [...header, 'CPU us', 'RSS MiB', 'loop late p99', 'max', 'mean / base', 'base'],
    rows,
  };
}

export function kindsTable(outcomes: readonly LaneOutcome[], load: Load): Table {
  const rows = KINDS.flatMap((kind) =>
    outcomes.flatMap(({ name, tally }) => {
      const { count, mean, p50, p99, p999, max } = latencyOf(tally.of(kind));
      if (count === 0) return [];
      return [[`${kind}, ${name}`, String(count), ...[mean, p50, p99, p999, max].map((each) => each.toFixed(2))]];
    }),
  );
  return {
    title: `latency by kind of request, ${TITLES[load]}`,
    header: ['', 'requests', 'mean ms', 'p50', 'p99', 'p99.9', 'max'],
    rows,
  };
}

export type SnapshotsByLane = ReadonlyMap<string, readonly TakenSnapshot[]>;

export function snapshotsTable(taken: SnapshotsByLane): Table {
  const rows = [...taken].flatMap(([name, all]) => {
    if (all.length === 0) return [];
    const of = (what: 'cut' | 'longest' | 'total'): string => median(all.map((each) => each[what])).toFixed(2);
    return [
      [
        name,
        String(all.length),
        (median(all.map(({ bytes }) => bytes)) / 2 ** 20).toFixed(2),
        of('cut'),
        of('longest'),
        pauseOf(name, all).toFixed(2),
        of('total'),
      ],
    ];
  });
  return {
    title: 'snapshots that were there at the end: ms for which a thread was kept, medians but for the most',
    header: ['', 'snapshots', 'MiB', 'at the cut', 'at one time', 'the most', 'in all'],
    rows,
  };
}

/** Milliseconds: the most that somebody waits. Where the world stands it does so for all of a snapshot. */
function pauseOf(name: string, all: readonly TakenSnapshot[]): number {
  return Math.max(...all.map(({ longest, total }) => (name === 'jardis' ? total : longest)));
}

export function sharesTable(shares: readonly Share[]): Table {
  const rows = shares.map(({ way, disk, order, data, megabytes, requestsPerSecond }) => [
    way,
    ...[disk, order, data].map((each) => each.toFixed(0)),
    `${((100 * data) / (order + data)).toFixed(0)} %`,
    megabytes.toFixed(2),
    requestsPerSecond.toFixed(0),
  ]);
  return {
    title: 'traces: bytes a request, on the disk and, before they are compressed, of order and of data',
    header: ['', 'disk', 'order', 'data', 'data of all', 'MB/s', 'at requests/s'],
    rows,
  };
}

const MEAN = 1.01;
const MEGABYTES = 1;
/** An order of magnitude, where there are more than a few snapshots of each. */
const PAUSES = 10;
const FEW = 8;
/** With the workers it was made for, and on one event loop as theirs. */
const AGAINST_JARDIS = ['both', 'one loop'];

export function judged(
  byLoad: Readonly<Record<Load, readonly LaneOutcome[]>>,
  taken: SnapshotsByLane,
  shares: readonly Share[],
): Judged[] {
  const bars: Judged[] = [];
  for (const load of ['closed', 'paced'] as const) {
    const outcomes = byLoad[load];
    const at = (name: string): LaneOutcome => outcomes.find((each) => each.name === name) as LaneOutcome;
    for (const name of ['traced', 'snapshots']) {
      const { paired, base } = at(name);
      const control = at(CONTROLS[base] as string).paired;
      bars.push(judgeRatio(`${name} / ${base}, mean latency, ${TITLES[load]}`, paired, control, MEAN));
    }
    bars.push(judgeSlow(at('snapshots'), at('off'), at('off again'), TITLES[load]));
    const theirs = at('jardis').latency;
    for (const name of AGAINST_JARDIS) {
      const ours = at(name).latency;
      bars.push({
        what: `${name} against jardis, p99.9, ${TITLES[load]}`,
        value: `${ours.p999.toFixed(2)} ms`,
        limit: `${theirs.p999.toFixed(2)} ms`,
        verdict: isFew(at(name)) ? 'undecided' : ours.p999 < theirs.p999 ? 'met' : 'MISSED',
      });
    }
  }
  const traced = shares.find(({ way }) => way === 'traced');
  if (traced !== undefined)
    bars.push({
      what: 'trace, one request after the other',
      value: `${traced.megabytes.toFixed(2)} MB/s at ${traced.requestsPerSecond.toFixed(0)} requests/s`,
      limit: `${MEGABYTES} MB/s`,
      verdict: traced.megabytes <= MEGABYTES ? 'met' : 'MISSED',
    });
  for (const name of AGAINST_JARDIS) {
    const [ours = [], theirs = []] = [taken.get(name), taken.get('jardis')];
    if (ours.length === 0 || theirs.length === 0) continue;
    const [our, their] = [pauseOf(name, ours), pauseOf('jardis', theirs)];
    bars.push({
      what: `longest pause of a snapshot, ${name} against jardis`,
      value: `${our.toFixed(2)} ms`,
      limit: `a tenth of ${their.toFixed(2)} ms`,
      verdict: Math.min(ours.length, theirs.length) < FEW ? 'undecided' : our * PAUSES <= their ? 'met' : 'MISSED',
    });
  }
  return bars;
}

/** More slow requests than without, by more than two runs without differ. */
function judgeSlow(those: LaneOutcome, base: LaneOutcome, control: LaneOutcome, title: string): Judged {
  const share = ({ latency: { over100, count } }: LaneOutcome): number => over100 / count;
  const noise = Math.abs(share(control) - share(base));
  const more = share(those) - share(base);
  const text = ({ latency: { over100, count } }: LaneOutcome): string => `${over100} of ${count}`;
  return {
    what: `snapshots / off, requests over 100 ms, ${title}`,
    value: `${text(those)} against ${text(base)}, control ${text(control)}`,
    limit: '+0 %',
    verdict: isFew(those) ? 'undecided' : more <= 0 ? 'met' : more > noise ? 'MISSED' : 'undecided',
  };
}

function isFew({ paired }: LaneOutcome): boolean {
  return paired.flat().length < PAIRS;
}

function shareText(some: number, of: number): string {
  return some === 0 ? '0' : `${((100 * some) / of).toFixed(3)} %`;
}

function ratioText(paired: PairedRatios): string {
  const { median: middle, low, high } = ratioInterval(paired);
  return `${middle.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}
