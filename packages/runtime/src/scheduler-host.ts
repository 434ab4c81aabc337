// What a scheduler needs from its environment: when it runs, the shared names of classes, where failures are reported.

import type { ContextRunner, HomeActor } from '@turntable/core';
import type { PassableTypeChecks } from './messaging/send/argument-copier.ts';

export interface SchedulerHost {
  readonly types: PassableTypeChecks;
  /** Runs a callback after the current code has ended. */
  queueMicrotask(callback: () => void): void;
  /** Runs a callback after Node has polled for I/O. */
  setImmediate(callback: () => void): void;
  /** Milliseconds; used only to limit how long the loop keeps control from Node. */
  now(): number;
  /** Runs a callback after the given time; returns a function that cancels it. */
  setTimer(milliseconds: number, callback: () => void): () => void;
  /** Reports a failure that no caller receives. */
  report(actor: string, reason: unknown): void;
  /** Warns that actors which were to be restored from a snapshot are created without it. */
  readonly warnNotRestored?: ((actors: readonly string[], reason: string) => void) | undefined;
  /** Classes, by the names that all workers share. */
  readonly classes: ClassDirectory;
  /** Names of the program's error classes, so that copied errors keep their class. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  /** Stack frames of the code that awaits an eventual. */
  awaitingFrames(eventual: object): readonly string[];
  /** Whether an object of the program is never copied to other actors. */
  isPassedByReference(value: object): boolean;
  /** Waits briefly for work. Returns true if some has arrived; otherwise the thread will be woken when it does. */
  waitForWork(isEmpty: () => boolean, hasSent: boolean): boolean;
  /** In a replay: waits for messages that other workers must send first, since nothing else can be done. */
  waitForMessages(isEmpty: () => boolean, hasSent: boolean): boolean;
  /** Marks the thread as awake: other workers need not wake it. */
  markAwake(): void;
  /** Callbacks of the host into the program of this thread. */
  readonly hostCallbacks?: HostCallbacks | undefined;
}

/** Runs host callbacks in the context of the actor that requested them, once a thread has several actors. */
export interface HostCallbacks {
  readonly isEnabled: boolean;
  onEnabled(callback: () => void): void;
  /** Returns the function that runs code as an actor's. */
  contextOf(home: HomeActor): ContextRunner;
  /** Reports the actor before each host callback. */
  watchEntries(watcher: ((home: HomeActor) => void) | undefined): void;
  /** While idle is set, no host callback can arrive and contexts need not be checked. */
  setIdle(isIdle: boolean): void;
  /** The code that is running belongs to an actor, until it ends. */
  enter(home: HomeActor): void;
}

export interface ClassDirectory {
  /** The key of a class, shared by all workers; unique for a class that only this worker knows. */
  keyOf(prototype: object): string;
  /** The shared address of a class, for an actor on another worker. Throws if no other worker can find the class. */
  addressOf(type: ActorConstructor): string;
  /** Finds a class by its address, now or after it is loaded. */
  find(address: string): ActorConstructor | Promise<ActorConstructor>;
}

export type ActorConstructor = abstract new (...args: never) => object;

/** How much work a scheduler does before it polls other workers. */
export interface RoundLimits {
  /** Maximum number of turns between two looks at the clock and at other workers; fewer if turns take long. */
  readonly turnsPerRound: number;
  /** Maximum number of messages that are taken from another worker at a time. */
  readonly messagesPerBatch: number;
}
