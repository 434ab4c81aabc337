// What a snapshot needs of the world around the runtime: somebody who writes graphs of this thread's program.

import type { Adapter } from '@turntable/heap';

/** A timer that waits, and its place among all of them. */
export type PlacedTimer = readonly [place: number, timer: object];

/** A state of this thread's program that is written while it goes on. */
export interface Pieces {
  /** Timers that waited at the cut and are not the main program's, by the contexts they were made in. */
  readonly timers: readonly (readonly [context: object | undefined, timer: PlacedTimer])[];
  /** What waits for native promises and is not the main program's, by the contexts it began in. */
  readonly waiting: readonly (readonly [context: object | undefined, eventual: object])[];
  /** Bytes so far. */
  readonly size: number;
  add(root: unknown, name: string): void;
  /** Looks whether the language's and the host's objects are what the base says, for about so many of them at a time. */
  confirm(budget: number): 'same' | 'changed' | 'more';
  finish(): Uint8Array;
}

export interface StateRoom {
  /** Writes at once what belongs to no actor alone; between two turns. */
  begin(options: {
    readonly adapters: readonly Adapter[];
    /** Whether a timer that waits belongs to no spawned actor. */
    isOfBase(context: object | undefined): boolean;
    /** What belongs to the host stays behind. */
    readonly handles: 'dead';
  }): Pieces;
  restorePieces(bytes: Uint8Array, adapters: readonly Adapter[]): Promise<RestoredPieces>;
}

export interface RestoredPieces {
  /** As they were added. */
  readonly roots: readonly unknown[];
  /**
   * The program goes on, with these timers besides the main program's, and these are told that what they wait for will never come;
   * `begun` is called when all that waits is in place. Answers at the end of the entry point.
   */
  goOn(timers: readonly PlacedTimer[], waiting: readonly object[], begun: () => void): Promise<void>;
}
