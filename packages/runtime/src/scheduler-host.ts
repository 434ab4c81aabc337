// Interface of a scheduler to its environment: scheduling of its runs, shared names of classes, reports of failures.

import type { ContextRunner, HomeActor } from '@turntable/core';
import type { PassableTypeChecks } from './messaging/send/argument-copier.ts';

export interface SchedulerHost {
  readonly types: PassableTypeChecks;
  /** Runs a callback after the current code has ended. */
  queueMicrotask(callback: () => void): void;
  /** Runs a callback after Node has polled for I/O. */
  setImmediate(callback: () => void): void;
  /** Returns a time in milliseconds. Used only to limit how long the loop keeps control from Node. */
  now(): number;
  /** Runs a callback after the given time; returns a function that cancels it. */
  setTimer(milliseconds: number, callback: () => void): () => void;
  /** Reports a failure that no caller receives. */
  report(actor: string, reason: unknown): void;
  /** Warns that actors which were to be restored from a snapshot are created without it. */
  readonly warnNotRestored?: ((actors: readonly string[], reason: string) => void) | undefined;
  /** Directory of classes, by the names that all workers share. */
  readonly classes: ClassDirectory;
  /** Returns the shared name of an error class of the program, so that copied errors keep their class. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  /** Returns the stack frames of the code that awaits an eventual. */
  awaitingFrames(eventual: object): readonly string[];
  /** Whether an object of the program is never copied to other actors. */
  isPassedByReference(value: object): boolean;
  /** Waits briefly for work. Returns true if some has arrived; otherwise its arrival will wake the thread. */
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
  /** Returns the function that runs code in the context of an actor. */
  contextOf(home: HomeActor): ContextRunner;
  /** Sets the callback that receives the actor before each host callback. */
  watchEntries(watcher: ((home: HomeActor) => void) | undefined): void;
  /** Sets whether the thread is idle. No host callback can then arrive, and contexts need not be checked. */
  setIdle(isIdle: boolean): void;
  /** Clears the timers that the code of the actors has set and that have not fired. */
  clearTimersOf(homes: ReadonlySet<HomeActor>): void;
  /** Assigns the running code to an actor until the code ends. */
  enter(home: HomeActor): void;
}

export interface ClassDirectory {
  /** Returns the key of a class, shared by all workers; unique for a class that only this worker knows. */
  keyOf(prototype: object): string;
  /** Returns the shared address of a class. Throws if no other worker can find the class. */
  addressOf(type: ActorConstructor): string;
  /** Finds a class by its address, now or after it is loaded. */
  find(address: string): ActorConstructor | Promise<ActorConstructor>;
}

export type ActorConstructor = abstract new (...args: never) => object;

/** Limits of the work that a scheduler does before it polls other workers. */
export interface RoundLimits {
  /** Maximum number of turns between two polls of the clock and of other workers; fewer if turns take long. */
  readonly turnsPerRound: number;
  /** Maximum number of messages that are taken from another worker at a time. */
  readonly messagesPerBatch: number;
}
