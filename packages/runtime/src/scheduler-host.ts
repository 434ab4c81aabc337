// What a scheduler needs of the world around it: when it runs, what the program's classes are called elsewhere, where failures go.

import type { ContextRunner, HomeActor } from '@turntable/core';
import type { PassableTypeChecks } from './messaging/send/argument-copier.ts';

export interface SchedulerHost {
  readonly types: PassableTypeChecks;
  /** Runs a callback once what runs now has ended. */
  queueMicrotask(callback: () => void): void;
  /** Runs a callback once Node has looked at what came from outside. */
  setImmediate(callback: () => void): void;
  /** Milliseconds; for nothing but how long the loop keeps from Node. */
  now(): number;
  /** Runs a callback after so many milliseconds; answers how to call it off. */
  setTimer(milliseconds: number, callback: () => void): () => void;
  /** What has failed and nobody asked for. */
  report(actor: string, reason: unknown): void;
  /** Actors were to be what they were in a snapshot, and are made anew without. */
  readonly warnNotRestored?: ((actors: readonly string[], reason: string) => void) | undefined;
  /** Classes as all workers know them. */
  readonly classes: ClassDirectory;
  /** Errors of classes of the program's are that again. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  /** The frames of who awaits the outcome of an eventual, as in a stack. */
  awaitingFrames(eventual: object): readonly string[];
  /** Objects of the program that never pass by copy. */
  isPassedByReference(value: object): boolean;
  /** Nothing is to be done until something comes. True: it has come; false: when it comes, the thread will be woken. */
  waitForWork(isEmpty: () => boolean, hasSent: boolean): boolean;
  /** The same in a run again, of what others are to send: nothing can be done before. */
  waitForMessages(isEmpty: () => boolean, hasSent: boolean): boolean;
  /** There is something to do again. */
  markAwake(): void;
  /** What may call the program of this thread back. */
  readonly hostCallbacks?: HostCallbacks | undefined;
}

/** Callbacks from outside are somebody's code: Node is told whose code makes them, as soon as there may be any. */
export interface HostCallbacks {
  readonly isEnabled: boolean;
  onEnabled(callback: () => void): void;
  /** Runs what it is given as somebody's code. */
  contextOf(home: HomeActor): ContextRunner;
  /** Tells whose code native code is about to call, each time it calls any. */
  watchEntries(watcher: ((home: HomeActor) => void) | undefined): void;
  /** Until it is told otherwise nothing comes from outside: it need not look. */
  setIdle(isIdle: boolean): void;
  /** What runs now is somebody's code, to its end. */
  enter(home: HomeActor): void;
}

export interface ClassDirectory {
  /** What all workers know a class by; for one that only this worker knows, something that no other class has. */
  keyOf(prototype: object): string;
  /** The same, for an actor that is to live elsewhere: fails if no other worker can find it. */
  addressOf(type: ActorConstructor): string;
  /** A class by its address, now or once it is loaded. */
  find(address: string): ActorConstructor | Promise<ActorConstructor>;
}

export type ActorConstructor = abstract new (...args: never) => object;

/** What a worker does before it looks elsewhere. */
export interface RoundLimits {
  /** Turns between two looks at the clock and at other workers, at most: fewer if they take long. */
  readonly turnsPerRound: number;
  /** Messages of another worker that are taken at a time. */
  readonly messagesPerBatch: number;
}
