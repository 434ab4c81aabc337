// Report of bench:peers: rates, ratios, bars, and missing peers.

import { table, type Failure } from '../harness/report.ts';
import type { Interval } from '../harness/statistics.ts';
import type { Peer } from './catalog.ts';
import type { PeerBar } from './judgement.ts';
import { CONTROL, geomeanRatio, type PeerRow } from './row.ts';

export interface PeersReport {
  readonly machine: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly rows: readonly PeerRow[];
  /** Rows of all programs on one thread; undefined if some were left out. */
  readonly whole: readonly PeerRow[] | undefined;
  readonly peers: readonly Peer[];
  readonly bars: readonly PeerBar[];
  readonly missing: readonly string[];
  readonly failures: readonly Failure[];
}

function rateText(rate: number | undefined): string {
  return rate === undefined ? '–' : rate >= 100 ? rate.toFixed(0) : rate.toPrecision(3);
}

function ratioText(interval: Interval | undefined): string {
  if (interval === undefined) return '–';
  return `${interval.median.toFixed(2)} [${interval.low.toFixed(2)}, ${interval.high.toFixed(2)}]`;
}

function lanesOf(rows: readonly PeerRow[]): string[] {
  return [...new Set(rows.flatMap(({ lanes }) => lanes.map(({ name }) => name)))];
}

/** Groups rows with equal lanes; each group becomes a table. */
function groups(rows: readonly PeerRow[]): PeerRow[][] {
  const found = Object.groupBy(rows, ({ lanes }) => lanes.map(({ name }) => name).join());
  return Object.values(found).filter((group) => group !== undefined);
}

function notes(peers: readonly Peer[], rows: readonly PeerRow[]): string[] {
  const isMeasured = (program: string, peer: Peer): boolean =>
    rows.some((row) => row.program.name === program && row.ratio(peer.name) !== undefined);
  return peers.flatMap((peer) => [
    ...Object.entries(peer.differs ?? {})
      .filter(([program]) => isMeasured(program, peer))
      .map(([program, reason]) => `${peer.name}'s ${program} is different work, not judged: ${reason}`),
    ...Object.entries(peer.smaller ?? {})
      .filter(([program]) => isMeasured(program, peer))
      .map(([program, { size, reason }]) => `${peer.name} runs ${program} at ${size.count}: ${reason}`),
  ]);
}

function barText({ what, value, limit, met }: PeerBar): string {
  const verdict = met === null ? 'UNDECIDED' : met ? 'met      ' : 'MISSED   ';
  return `${verdict} ${what}: ${value === null ? '–' : value.toFixed(2)} (at least ${limit})`;
}

export function reportText({ machine, params, rows, whole, peers, bars, missing, failures }: PeersReport): string {
  const tables = groups(rows).flatMap((group) => {
    const lanes = lanesOf(group);
    const compared = lanes.slice(1);
    const rates = group.map((row) => [
      row.name,
      row.program.unit,
      ...lanes.filter((lane) => lane !== CONTROL).map((lane) => rateText(row.rate(lane))),
    ]);
    const ratios = group.map((row) => [row.name, ...compared.map((lane) => ratioText(row.ratio(lane)))]);
    const isWhole = whole !== undefined && group[0] === whole[0];
    const mean = isWhole ? [['geomean', ...compared.map((lane) => ratioText(geomeanRatio(whole, lane)))]] : [];
    return [
      table(['', '', ...lanes.filter((lane) => lane !== CONTROL)], rates),
      '',
      table([`${lanes[0]!} /`, ...compared], [...ratios, ...mean]),
      '',
    ];
  });
  return [
    'bench:peers',
    machine,
    `${Object.entries(params)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ')}; medians, ratio of speeds with 95 % interval`,
    '',
    ...tables,
    ...notes(peers, rows),
    ...missing.map((text) => `MISSING ${text}`),
    ...failures.map((failure) => `FAILED ${failure.name}: ${failure.error}`),
    ...bars.map(barText),
  ].join('\n');
}

export function reportJson({ machine, params, rows, whole, peers, bars, missing, failures }: PeersReport): string {
  const rowValues = rows.map((row) => ({
    name: row.name,
    unit: row.program.unit,
    rates: Object.fromEntries(row.lanes.map(({ name }) => [name, row.rate(name) ?? null])),
    ratios: Object.fromEntries(row.lanes.slice(1).map(({ name }) => [name, row.ratio(name) ?? null])),
  }));
  const geomeans =
    whole === undefined
      ? {}
      : Object.fromEntries(
          lanesOf(whole)
            .slice(1)
            .map((lane) => [lane, geomeanRatio(whole, lane) ?? null]),
        );
  return JSON.stringify({
    bench: 'peers',
    machine,
    params,
    rows: rowValues,
    geomeans,
    bars,
    notes: notes(peers, rows),
    missing,
    failures,
  });
}
