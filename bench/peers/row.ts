// One program on all compared peers, with the rates and ratios that its samples give. A sample is the time per unit of
// work (a message, an actor), so that a peer that does less work can still be compared. Samples are paired within a
// round, in the order in which they were taken.

import { geomeanInterval, median, ratioInterval, type Interval, type PairedRatios } from '../harness/statistics.ts';
import type { Peer, PeerProgram } from './catalog.ts';
import type { Size } from './js/measure.ts';

export const CONTROL = 'control';

export interface PeerLane {
  readonly name: string;
  readonly peer: Peer;
}

export class PeerRow {
  readonly name: string;
  readonly program: PeerProgram;
  /** The first lane is Turntable, the last one its control. */
  readonly lanes: readonly PeerLane[];
  readonly #samples = new Map<string, number[][]>();

  constructor(name: string, program: PeerProgram, ours: Peer, peers: readonly Peer[]) {
    this.name = name;
    this.program = program;
    const others = peers.map((peer) => ({ name: peer.name, peer }));
    this.lanes = [{ name: ours.name, peer: ours }, ...others, { name: CONTROL, peer: ours }];
  }

  sizeFor(peer: Peer, isQuick: boolean): Size {
    const usual = isQuick ? this.program.quick : this.program.full;
    const smaller = peer.smaller?.[this.program.name]?.size;
    return smaller === undefined || smaller.count > usual.count ? usual : smaller;
  }

  /** Adds a round. @param times milliseconds per unit of work, one value per iteration */
  add(lane: string, times: readonly number[]): void {
    const known = this.#samples.get(lane);
    if (known === undefined) this.#samples.set(lane, [[...times]]);
    else known.push([...times]);
  }

  /** Discards the samples of a lane. */
  exclude(lane: string): void {
    this.#samples.delete(lane);
  }

  /** Two threads need elapsed time, because waiting is part of the work. */
  clock(requested: 'wall' | 'cpu'): 'wall' | 'cpu' {
    return this.lanes[0]!.peer.threads > 1 ? 'wall' : requested;
  }

  /** Rate in the unit of the program. */
  rate(lane: string): number | undefined {
    const samples = this.#samples.get(lane)?.flat();
    if (samples === undefined) return undefined;
    return (this.program.unit === 'k actors/s' ? 1 : 1e-3) / median(samples);
  }

  /** Turntable's speed relative to the lane's. */
  paired(lane: string): PairedRatios | undefined {
    const ours = this.#samples.get(this.lanes[0]!.name);
    const theirs = this.#samples.get(lane);
    if (ours === undefined || theirs === undefined) return undefined;
    return theirs.map((times, round) => {
      const own = ours[round] ?? [];
      return times.slice(0, own.length).map((time, sample) => time / own[sample]!);
    });
  }

  ratio(lane: string): Interval | undefined {
    const paired = this.paired(lane);
    return paired === undefined ? undefined : ratioInterval(paired);
  }
}

/** Ratio over all rows; undefined if one of them lacks the lane. */
export function geomeanRatio(rows: readonly PeerRow[], lane: string): Interval | undefined {
  const paired = rows.map((row) => row.paired(lane));
  return paired.every((each) => each !== undefined) && rows.length > 0 ? geomeanInterval(paired) : undefined;
}
