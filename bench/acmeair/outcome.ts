// Tables and bars from the samples of all lanes.

import { VISIT_REQUEST_KINDS } from '../../examples/acmeair/load/visitor.ts';
import { pairedRatios } from '../harness/interleaved.ts';
import type { Table } from '../harness/report.ts';
import { median, ratioInterval, type PairedRatios } from '../harness/statistics.ts';
import { judgeRatio, MIN_PAIRS, type JudgedBar } from '../harness/verdict.ts';
import { CONTROLS, SETUPS, type AirlineSample } from './lanes.ts';
import type { SnapshotSample } from './snapshots.ts';
import { latencyOf, Tally, type Latency } from './tally.ts';
import type { TraceShare } from './traces.ts';

export type LoadKind = 'closed' | 'paced';

export interface LaneOutcome {
  readonly name: string;
  readonly base: string;
  readonly tally: Tally;
  readonly latency: Latency;
  /** Mean latencies relative to the base's. */
  readonly paired: PairedRatios;
  readonly requestsPerSecond: number;
  /** CPU time per request, in microseconds. */
  readonly cpu: number;
  /** Peak resident memory, in MiB. */
  readonly rss: number;
  /** Event loop delay in milliseconds: median of the samples' p99, and maximum. */
  readonly delay: { readonly p99: number; readonly max: number };
}

/** @param rounds `rounds[r][lane][sample]`, with a lane for each of `SETUPS` */
export function laneOutcomes(
  rounds: readonly (readonly (readonly AirlineSample[])[])[],
  load: LoadKind,
): LaneOutcome[] {
  return SETUPS.map(({ name, base }, lane) => {
    const samples = rounds.flatMap((values) => (values[lane] ?? []).map((sample) => sample[load]));
    const tally = new Tally();
    for (const { latency } of samples) tally.addAll(latency);
    const latency = latencyOf(tally.all);
    const sum = (select: (sample: AirlineSample[LoadKind]) => number): number =>
      samples.reduce((all, each) => all + select(each), 0);
    const baseLane = SETUPS.findIndex((setup) => setup.name === base);
    return {
      name,
      base,
      tally,
      latency,
      paired: pairedRatios(rounds, lane, baseLane, (sample) => sample[load].latency.mean),
      requestsPerSecond: (latency.count / sum(({ elapsedMs }) => elapsedMs)) * 1000,
      cpu: (sum(({ usage }) => usage.cpu) / latency.count) * 1000,
      rss: Math.max(...samples.map(({ usage }) => usage.rss)) / 2 ** 20,
      delay: {
        p99: median(samples.map(({ usage }) => usage.delay.p99)),
        max: Math.max(...samples.map(({ usage }) => usage.delay.max)),
      },
    };
  });
}

const TITLES: Readonly<Record<LoadKind, string>> = {
  closed: 'closed loop, two connections',
  paced: 'at a rate',
};

export function latencyTable(outcomes: readonly LaneOutcome[], load: LoadKind): Table {
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

export function kindsTable(outcomes: readonly LaneOutcome[], load: LoadKind): Table {
  const rows = VISIT_REQUEST_KINDS.flatMap((kind) =>
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

export type SnapshotsByLane = ReadonlyMap<string, readonly SnapshotSample[]>;

export function snapshotsTable(taken: SnapshotsByLane): Table {
  const rows = [...taken].flatMap(([name, all]) => {
    if (all.length === 0) return [];
    const medianOf = (key: 'cut' | 'longest' | 'total'): string => median(all.map((each) => each[key])).toFixed(2);
    return [
      [
        name,
        String(all.length),
        (median(all.map(({ bytes }) => bytes)) / 2 ** 20).toFixed(2),
        medianOf('cut'),
        medianOf('longest'),
        longestPause(name, all).toFixed(2),
        medianOf('total'),
      ],
    ];
  });
  return {
    title: 'snapshots kept at the end: ms for which a thread was paused, medians except max',
    header: ['', 'snapshots', 'MiB', 'at the cut', 'longest', 'max', 'total'],
    rows,
  };
}

/** Longest pause in milliseconds. Jardis stops the world, so all of a snapshot is one pause. */
function longestPause(name: string, all: readonly SnapshotSample[]): number {
  return Math.max(...all.map(({ longest, total }) => (name === 'jardis' ? total : longest)));
}

export function sharesTable(shares: readonly TraceShare[]): Table {
  const rows = shares.map(({ setup, disk, order, data, megabytes, requestsPerSecond }) => [
    setup,
    ...[disk, order, data].map((each) => each.toFixed(0)),
    `${((100 * data) / (order + data)).toFixed(0)} %`,
    megabytes.toFixed(2),
    requestsPerSecond.toFixed(0),
  ]);
  return {
    title: 'traces: bytes per request on disk, and uncompressed bytes of order and data',
    header: ['', 'disk', 'order', 'data', 'data share', 'MB/s', 'at requests/s'],
    rows,
  };
}

const MEAN_LIMIT = 1.01;
const TRACE_LIMIT_MBPS = 1;
/** A pause must be an order of magnitude shorter; judged if each side has enough snapshots. */
const PAUSE_RATIO = 10;
const MIN_SNAPSHOTS = 8;
/** Setups compared with Jardis: with workers, and on one event loop as Jardis has. */
const AGAINST_JARDIS = ['both', 'one loop'];

export function judgeOutcomes(
  byLoad: Readonly<Record<LoadKind, readonly LaneOutcome[]>>,
  taken: SnapshotsByLane,
  shares: readonly TraceShare[],
): JudgedBar[] {
  const bars: JudgedBar[] = [];
  for (const load of ['closed', 'paced'] as const) {
    const outcomes = byLoad[load];
    const outcomeOf = (name: string): LaneOutcome => outcomes.find((each) => each.name === name) as LaneOutcome;
    for (const name of ['traced', 'snapshots']) {
      const { paired, base } = outcomeOf(name);
      const control = outcomeOf(CONTROLS[base] as string).paired;
      bars.push(judgeRatio(`${name} / ${base}, mean latency, ${TITLES[load]}`, paired, control, MEAN_LIMIT));
    }
    bars.push(judgeSlow(outcomeOf('snapshots'), outcomeOf('off'), outcomeOf('off control'), TITLES[load]));
    const theirs = outcomeOf('jardis').latency;
    for (const name of AGAINST_JARDIS) {
      const ours = outcomeOf(name).latency;
      bars.push({
        what: `${name} against jardis, p99.9, ${TITLES[load]}`,
        value: `${ours.p999.toFixed(2)} ms`,
        limit: `${theirs.p999.toFixed(2)} ms`,
        verdict: hasTooFewPairs(outcomeOf(name)) ? 'undecided' : ours.p999 < theirs.p999 ? 'met' : 'MISSED',
      });
    }
  }
  const traced = shares.find(({ setup }) => setup === 'traced');
  if (traced !== undefined)
    bars.push({
      what: 'trace, closed loop',
      value: `${traced.megabytes.toFixed(2)} MB/s at ${traced.requestsPerSecond.toFixed(0)} requests/s`,
      limit: `${TRACE_LIMIT_MBPS} MB/s`,
      verdict: traced.megabytes <= TRACE_LIMIT_MBPS ? 'met' : 'MISSED',
    });
  for (const name of AGAINST_JARDIS) {
    const [ours = [], theirs = []] = [taken.get(name), taken.get('jardis')];
    if (ours.length === 0 || theirs.length === 0) continue;
    const [our, their] = [longestPause(name, ours), longestPause('jardis', theirs)];
    bars.push({
      what: `longest pause of a snapshot, ${name} against jardis`,
      value: `${our.toFixed(2)} ms`,
      limit: `a tenth of ${their.toFixed(2)} ms`,
      verdict:
        Math.min(ours.length, theirs.length) < MIN_SNAPSHOTS
          ? 'undecided'
          : our * PAUSE_RATIO <= their
            ? 'met'
            : 'MISSED',
    });
  }
  return bars;
}

/** Judges whether there are more requests over 100 ms than in the base, beyond the noise of the control. */
function judgeSlow(outcome: LaneOutcome, base: LaneOutcome, control: LaneOutcome, title: string): JudgedBar {
  const share = ({ latency: { over100, count } }: LaneOutcome): number => over100 / count;
  const noise = Math.abs(share(control) - share(base));
  const excess = share(outcome) - share(base);
  const text = ({ latency: { over100, count } }: LaneOutcome): string => `${over100} of ${count}`;
  return {
    what: `snapshots / off, requests over 100 ms, ${title}`,
    value: `${text(outcome)} against ${text(base)}, control ${text(control)}`,
    limit: '+0 %',
    verdict: hasTooFewPairs(outcome) ? 'undecided' : excess <= 0 ? 'met' : excess > noise ? 'MISSED' : 'undecided',
  };
}

function hasTooFewPairs({ paired }: LaneOutcome): boolean {
  return paired.flat().length < MIN_PAIRS;
}

function shareText(part: number, total: number): string {
  return part === 0 ? '0' : `${((100 * part) / total).toFixed(3)} %`;
}

function ratioText(paired: PairedRatios): string {
  const { median: middle, low, high } = ratioInterval(paired);
  return `${middle.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}
