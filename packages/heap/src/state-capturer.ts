// Interface between a snapshot writer and the owner of a thread's program. State that belongs to no single actor (the
// base) is written at the cut; all else follows piece by piece, each before it changes. A restore reads everything
// first. The home of an object is the actor that it belongs to, or the main program.

import type { ObjectAdapter } from './ports.ts';
import type { BytesConsumer } from './byte-writer.ts';

/** A pending timer and its position among the pending timers of the thread. */
export type OrderedTimer = readonly [place: number, timer: object];

/** A state of this thread's program that is written while the program runs. */
export interface IncrementalCapture {
  /** Timers pending at the cut, except the main program's, with the home of each. */
  readonly timers: readonly (readonly [home: object, timer: OrderedTimer])[];
  /** Eventuals of native promises, except the main program's, with the home of each. */
  readonly pendingEventuals: readonly (readonly [home: object, eventual: object])[];
  /**
   * Objects that the host holds, except the main program's, with the home of each. The caller must write them with the
   * home and pass them to `resume` after a restore.
   */
  readonly hostObjects: readonly OwnedHostObject[];
  /** Number of bytes written. */
  readonly size: number;
  /** @param group roots that share objects must have the same group; other roots share only objects of the base */
  add(root: unknown, name: string, group?: object): void;
  /** Checks about `budget` language and host objects against the base. Returns the first changed one. */
  confirm(budget: number): 'same' | { readonly changed: string } | 'more';
  /** Returns the bytes that no consumer has taken. */
  finish(): Uint8Array;
}

export type OwnedHostObject = readonly [home: object, held: object];

export interface IncrementalCaptureOptions {
  /** Adapters of the runtime's objects. */
  readonly adapters: readonly ObjectAdapter[];
  /** Returns whether the home's state belongs to the base. */
  isInBase(home: object): boolean;
  /** Takes final bytes in order while more is written. */
  readonly onBytes?: BytesConsumer | undefined;
}

export interface StateCapturer {
  /** Writes the base between two turns. State of the host is left out. */
  startCapture(options: IncrementalCaptureOptions): IncrementalCapture;
  /** Has the same effects as `startCapture` but writes nothing, for a replay that needs no state. */
  skipCapture?(): void;
  /** Returns a function that rehearses a base in slices: V8's first look at functions takes too long for a cut. */
  startRehearsal?(options: Pick<IncrementalCaptureOptions, 'adapters'>): (budget: number) => boolean;
  restoreState(bytes: Uint8Array, adapters: readonly ObjectAdapter[]): Promise<RestoredState>;
}

/** Restored resources to hand back to their owners. */
export interface RestoredResources {
  readonly timers: readonly OrderedTimer[];
  /** Eventuals that are rejected, because their native promises are lost. */
  readonly pendingEventuals: readonly object[];
  readonly hostObjects: readonly OwnedHostObject[];
}

export interface RestoredState {
  /** Roots in the order of `add`. */
  readonly roots: readonly unknown[];
  /**
   * Resumes the program and calls `onStarted` when all pending resources are in place. Resolves after the entry point.
   */
  resume(resources: RestoredResources, onStarted: () => void): Promise<void>;
  /** Adds resources, in order, after the program has resumed. */
  requeue(timers: readonly OrderedTimer[], pendingEventuals: readonly object[]): void;
}
