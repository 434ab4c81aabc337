// What a scheduler needs of the world around it: when it runs, what the program's classes are called elsewhere, where failures go.

import type { ContextRunner, Home } from '@turntable/core';
import type { TypeChecks } from './messaging/send/passing.ts';

export interface SchedulerHost {
  readonly types: TypeChecks;
  /** Runs a callback once what runs now has ended. */
  soon(callback: () => void): void;
  /** Runs a callback once Node has looked at what came from outside. */
  later(callback: () => void): void;
  /** Milliseconds; for nothing but how long the loop keeps from Node. */
  now(): number;
  /** Runs a callback after so many milliseconds; answers how to call it off. */
  after(milliseconds: number, callback: () => void): () => void;
  /** What has failed and nobody asked for. */
  report(actor: string, reason: unknown): void;
  /** Actors were to be what they were in a snapshot, and are made anew without. */
  readonly forgotten?: ((actors: readonly string[], why: string) => void) | undefined;
  /** Classes as all workers know them. */
  readonly classes: ClassDirectory;
  /** Errors of classes of the program's are that again. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  /** The frames of who awaits the outcome of an eventual, as in a stack. */
  awaitedBy(eventual: object): readonly string[];
  /** Objects of the program that never pass by copy. */
  isReferenced(value: object): boolean;
  /** Nothing is to be done until something comes. True: it has come; false: when it comes, the thread will be woken. */
  rest(isEmpty: () => boolean, hasSent: boolean): boolean;
  /** The same in a run again, of what others are to send: nothing can be done before. */
  expect(isEmpty: () => boolean, hasSent: boolean): boolean;
  /** There is something to do again. */
  awake(): void;
  /** What may call the program of this thread back. */
  readonly outside?: Outside | undefined;
}

/** Callbacks from outside are somebody's code: Node is told whose code makes them, as soon as there may be any. */
export interface Outside {
  readonly isReached: boolean;
  whenReached(reached: () => void): void;
  /** Runs what it is given as somebody's code. */
  contextOf(home: Home): ContextRunner;
  /** Tells whose code native code is about to call, each time it calls any. */
  watchEntries(watcher: ((home: Home) => void) | undefined): void;
  /** Until it is told otherwise nothing comes from outside: it need not look. */
  rest(isToRest: boolean): void;
  /** What runs now is somebody's code, to its end. */
  enter(home: Home): void;
}

export interface ClassDirectory {
  /** What all workers know a class by; for one that only this worker knows, something that no other class has. */
  keyOf(prototype: object): string;
  /** The same, for an actor that is to live elsewhere: fails if no other worker can find it. */
  addressOf(type: Class): string;
  /** A class by its address, now or once it is loaded. */
  find(address: string): Class | Promise<Class>;
}

export type Class = abstract new (...args: never) => object;

/** What a worker does before it looks elsewhere. */
export interface Pace {
  /** Turns between two looks at the clock and at other workers, at most: fewer if they take long. */
  readonly round: number;
  /** Messages of another worker that are taken at a time. */
  readonly batch: number;
}
