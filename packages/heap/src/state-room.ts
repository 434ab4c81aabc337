// What somebody who writes snapshots of a thread needs of whoever knows its program: a state that is written while the program goes on, what belongs to
// no actor alone at once, all else piece by piece, each before it changes. Where the program goes on all of it is read before anything runs.

import type { Adapter } from './ports.ts';
import type { GiveBytes } from './sink.ts';

/** A timer that waits, and its place among all of them. */
export type PlacedTimer = readonly [place: number, timer: object];

/** A state of this thread's program that is written while it goes on. */
export interface Pieces {
  /** Timers that waited at the cut and are not the main program's, by those who have made them. */
  readonly timers: readonly (readonly [home: object, timer: PlacedTimer])[];
  /** What waits for native promises and is not the main program's, by whose it is. */
  readonly waiting: readonly (readonly [home: object, eventual: object])[];
  /** What the outside has that is not the main program's, by whose code it had it from: for whoever that is to keep, and to give back. */
  readonly held: readonly HeldBy[];
  /** Bytes so far. */
  readonly size: number;
  /** `group`: what leads to the same objects has the same; else only what the base leads to is in common. */
  add(root: unknown, name: string, group?: object): void;
  /** Looks whether the language's and the host's objects are what the base says, for about so many of them at a time; what is not, if it is not. */
  confirm(budget: number): 'same' | { readonly changed: string } | 'more';
  /** The bytes, but for those that have been given away. */
  finish(): Uint8Array;
}

export type HeldBy = readonly [home: object, held: object];

export interface PiecesOptions {
  /** For objects of whoever runs the program's turns. */
  readonly adapters: readonly Adapter[];
  /** Whether what is somebody's is written at once. */
  isOfBase(home: object): boolean;
  /** Takes bytes that will not change any more, in their order, while more is written. */
  readonly give?: GiveBytes | undefined;
}

export interface StateRoom {
  /** Writes at once what belongs to no actor alone; between two turns. What belongs to the host stays behind. */
  begin(options: PiecesOptions): Pieces;
  /** What `begin` does besides writing, for a run again that has no use for a state: it must go on as one that writes it. */
  pass?(): void;
  /** Rehearses writing a base, `budget` objects at a time, until it answers true: the first look at functions takes V8 too long for a cut. */
  rehearsal?(options: Pick<PiecesOptions, 'adapters'>): (budget: number) => boolean;
  restorePieces(bytes: Uint8Array, adapters: readonly Adapter[]): Promise<RestoredPieces>;
}

/** What was kept for those whose it is. */
export interface RestoredParts {
  readonly timers: readonly PlacedTimer[];
  /** They are told that what they wait for will never come. */
  readonly waiting: readonly object[];
  readonly held: readonly HeldBy[];
}

export interface RestoredPieces {
  /** As they were added. */
  readonly roots: readonly unknown[];
  /** Resumes the program with `parts`; `begun` is called when all that waits is in place. Answers at the end of the entry point. */
  goOn(parts: RestoredParts, begun: () => void): Promise<void>;
  /** More of them, in their order, when the program goes on. */
  rejoin(timers: readonly PlacedTimer[], waiting: readonly object[]): void;
}
