// What somebody who writes snapshots of a thread needs of whoever knows its program: a state that is written while the program goes on, what belongs to
// no actor alone at once, all else piece by piece, each before it changes. Where the program goes on all of it is read before anything runs.

import type { ObjectAdapter } from './ports.ts';
import type { BytesConsumer } from './byte-writer.ts';

/** A timer that waits, and its place among all of them. */
export type OrderedTimer = readonly [place: number, timer: object];

/** A state of this thread's program that is written while it goes on. */
export interface IncrementalCapture {
  /** Timers that waited at the cut and are not the main program's, by those who have made them. */
  readonly timers: readonly (readonly [home: object, timer: OrderedTimer])[];
  /** What waits for native promises and is not the main program's, by whose it is. */
  readonly pendingEventuals: readonly (readonly [home: object, eventual: object])[];
  /** What the outside has that is not the main program's, by whose code it had it from: for whoever that is to keep, and to give back. */
  readonly hostObjects: readonly OwnedHostObject[];
  /** Bytes so far. */
  readonly size: number;
  /** `group`: what leads to the same objects has the same; else only what the base leads to is in common. */
  add(root: unknown, name: string, group?: object): void;
  /** Looks whether the language's and the host's objects are what the base says, for about so many of them at a time; what is not, if it is not. */
  confirm(budget: number): 'same' | { readonly changed: string } | 'more';
  /** The bytes, but for those that have been given away. */
  finish(): Uint8Array;
}

export type OwnedHostObject = readonly [home: object, held: object];

export interface IncrementalCaptureOptions {
  /** For objects of whoever runs the program's turns. */
  readonly adapters: readonly ObjectAdapter[];
  /** Whether what is somebody's is written at once. */
  isInBase(home: object): boolean;
  /** Takes bytes that will not change any more, in their order, while more is written. */
  readonly onBytes?: BytesConsumer | undefined;
}

export interface StateCapturer {
  /** Writes at once what belongs to no actor alone; between two turns. What belongs to the host stays behind. */
  startCapture(options: IncrementalCaptureOptions): IncrementalCapture;
  /** What `startCapture` does besides writing, for a run again that has no use for a state: it must go on as one that writes it. */
  skipCapture?(): void;
  /** Rehearses writing a base, `budget` objects at a time, until it answers true: the first look at functions takes V8 too long for a cut. */
  startRehearsal?(options: Pick<IncrementalCaptureOptions, 'adapters'>): (budget: number) => boolean;
  restoreState(bytes: Uint8Array, adapters: readonly ObjectAdapter[]): Promise<RestoredState>;
}

/** What was kept for those whose it is. */
export interface RestoredResources {
  readonly timers: readonly OrderedTimer[];
  /** They are told that what they wait for will never come. */
  readonly pendingEventuals: readonly object[];
  readonly hostObjects: readonly OwnedHostObject[];
}

export interface RestoredState {
  /** As they were added. */
  readonly roots: readonly unknown[];
  /** Resumes the program with `parts`; `begun` is called when all that waits is in place. Answers at the end of the entry point. */
  resume(resources: RestoredResources, onStarted: () => void): Promise<void>;
  /** More of them, in their order, when the program goes on. */
  requeue(timers: readonly OrderedTimer[], pendingEventuals: readonly object[]): void;
}
