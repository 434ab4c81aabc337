// Bars: on one thread Turntable must be faster than each actor runtime in the geometric mean of all programs, and
// faster than each JavaScript peer in every row with the same work on equally many threads.

import type { Peer } from './catalog.ts';
import { geomeanRatio, type PeerRow } from './row.ts';

export interface PeerBar {
  readonly what: string;
  /** Turntable's speed relative to the peer's. */
  readonly value: number | null;
  /** Minimum value. */
  readonly limit: number;
  /** Null, undecided, if the peer is missing or failed. */
  readonly met: boolean | null;
}

function speedBar(what: string, value: number | undefined): PeerBar {
  return { what, value: value ?? null, limit: 1, met: value === undefined ? null : value >= 1 };
}

/** @param whole the rows of all programs on one thread; undefined if some were left out */
export function judge(
  rows: readonly PeerRow[],
  whole: readonly PeerRow[] | undefined,
  peers: readonly Peer[],
): PeerBar[] {
  const runtimes = peers.filter(({ kind }) => kind === 'actor runtime');
  const libraries = peers.filter(({ kind }) => kind === 'JavaScript');
  const means =
    whole === undefined
      ? []
      : runtimes.map(({ name }) => speedBar(`geomean, turntable / ${name}`, geomeanRatio(whole, name)?.median));
  const each = libraries.flatMap((peer) =>
    rows
      .filter(
        ({ lanes, program }) => lanes[0]!.peer.threads === peer.threads && peer.differs?.[program.name] === undefined,
      )
      .map((row) => speedBar(`${row.name}, turntable / ${peer.name}`, row.ratio(peer.name)?.median)),
  );
  return [...means, ...each];
}
