// A state that is written while the program goes on: what no actor has for itself at once, all else piece by piece, each before it changes. Where the
// program goes on all of it is read before anything runs.
import type { Adapter } from '@turntable/heap';

/** How a state is captured that is written while the program goes on. */
export interface PiecesOptions {
  /** For objects of whoever runs the program's turns. */
  readonly adapters: readonly Adapter[];
  /** Whether a timer that waits belongs to the base: others are written with whose they are. */
  isOfBase(context: object | undefined): boolean;
}

/** A timer that waits, and its place among all of them. */
export type PlacedTimer = readonly [place: number, timer: object];

/** A state that is written while the program goes on: what no actor has for itself at once, all else piece by piece, each before it changes. */
export interface Pieces {
  /** Timers that waited at the cut and do not belong to the base, by their contexts. */
  readonly timers: readonly (readonly [context: object | undefined, timer: PlacedTimer])[];
  /** The same of what waits for native promises. */
  readonly waiting: readonly (readonly [context: object | undefined, eventual: object])[];
  /** Texts of modules that are new since the state before: URL and text. */
  readonly modules: readonly (readonly [url: string, text: string])[];
  /** Bytes so far. */
  readonly size: number;
  add(root: unknown, name: string): void;
  /** Looks whether the language's and the host's objects are what the base says, for about so many of them at a time. */
  confirm(budget: number): 'same' | 'changed' | 'more';
  finish(): Uint8Array;
}

/** What has been read of such a state. */
export interface RestoredPieces {
  /** As they were added. */
  readonly roots: readonly unknown[];
  /**
   * The program goes on, with these timers besides those of the base, and with these, too, waiting for what will never come; `begun` is
   * called when all that waits is in place.
   */
  goOn(timers: readonly PlacedTimer[], waiting: readonly object[], begun: () => void): Promise<void>;
}
