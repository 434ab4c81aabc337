// Core's host in Node. Queues are Node's own; a rejection that nobody handles becomes a native one beside it, so that its timing, the
// `--unhandled-rejections` mode, events and exit code are Node's and not an imitation.
import { types } from 'node:util';
import { createEngineView } from './engine-view.ts';
import { toldOf } from './dead-device-error.ts';
import { Eventual, type EngineView, type Tape } from '@turntable/core';

export interface NodeHost {
  queueMicrotask(callback: () => void): void;
  nextTick(callback: () => void): void;
  unhandledRejection(eventual: object, reason: unknown): void;
  rejectionHandled(eventual: object): void;
  reportedBefore(eventual: object): void;
  untold(): { readonly rejections: readonly object[]; readonly handledLate: readonly object[] };
  isAnyUntold(): boolean;
  isProxy(value: unknown): boolean;
  isNativePromise(value: unknown): boolean;
  readonly engine: EngineView;
  readonly timers: object;
  readonly tape: Tape | undefined;
}

// Taken now: core's promises will count as promises, too, for whoever asks later.
const { isProxy, isPromise: isNativePromise } = types;
const NativePromise = Promise;
const { queueMicrotask: nativeQueueMicrotask } = globalThis;
const nativeNextTick = process.nextTick;

/** What of this thread's program waits in Node's own queues, as Node has it. */
export const standingIn = {
  /** An exception of the entry point, which is run in a tick of ours, is being told of. */
  hasMainFailed: false,
  /** Its jobs are run, or one of them has thrown. */
  isInJobs: false,
  /** Whether a native promise stands for an eventual. */
  isEventual: (_promise: unknown): boolean => false,
  /** Whether an eventual was rejected with it of which Node has not told yet. */
  isUntold: (_reason: unknown): boolean => false,
  /** Whether ticks of the program are run by it. */
  isAnchor: (_callback: unknown): boolean => false,
};

/** What happens in this thread when Node has nothing left to do (`beforeExit`). */
class Lifetime {
  /** Whether it has had nothing left to do once. */
  hasRunOut = false;
  #isHeldUp: (() => boolean) | undefined;
  #await: UnsettledAwait | undefined;

  /** While `isHeldUp` returns true, the program does not get the event; Node emits it again later. A second call replaces the first. */
  holdUp(isHeldUp: () => boolean): void {
    this.#isHeldUp = isHeldUp;
  }

  get isHeldUp(): boolean {
    return this.#isHeldUp?.() === true;
  }

  /** `unsettled` finds the await at which the entry point waits. */
  reportUnsettled(unsettled: UnsettledAwait): void {
    this.#await = unsettled;
  }

  /** Called after all listeners, before Node checks whether the entry point has settled. */
  listenersCalled(): void {
    this.#await?.place();
  }

  unsettledText(): string | undefined {
    return this.#await?.text();
  }
}

export interface UnsettledAwait {
  /** Tells Node where the entry point waits at its top level for what never comes. */
  place(): void;
  /** Node's warning about that. */
  text(): string | undefined;
}

export const lifetime: Lifetime = new Lifetime();

/** Whether Node says something of a rejection, or dies of it, before it asks the listeners. */
function reportsLoudly(): boolean {
  const { NODE_OPTIONS = '' } = process.env;
  const modes = [NODE_OPTIONS, ...process.execArgv].join(' ').matchAll(/--unhandled-rejections[= ](\S+)/g);
  return /^(?:strict|warn)$/.test([...modes].at(-1)?.[1] ?? '');
}

/** @param timers functions that arm and cancel timers for transformed code */
export function createNodeHost(timers: object, tape?: Tape): NodeHost {
  /** The native promise that stands for a rejected eventual, and back. */
  const standIns = new WeakMap<object, Promise<never>>();
  const eventuals = new WeakMap<object, object>();
  /** Eventuals of which Node knows and will tell when it has no ticks left. */
  const untold = { rejections: new Set<object>(), handledLate: new Set<object>() };
  /** Stand-ins of what was reported in the process that the program goes on from. */
  const toldBefore = new WeakSet<object>();

  const emit = process.emit;
  /** Listeners are to get the eventual the program knows. */
  const emitEventual = function (this: NodeJS.Process, name: string, ...args: unknown[]): boolean {
    if (name === 'beforeExit') {
      if (lifetime.isHeldUp) return true;
      lifetime.hasRunOut = true;
    }
    const position = name === 'unhandledRejection' ? 1 : 0;
    if (name === 'unhandledRejection' || name === 'rejectionHandled') {
      const promise = args[position] as Promise<never>;
      const eventual = typeof promise === 'object' && promise !== null ? eventuals.get(promise) : undefined;
      if (eventual !== undefined) {
        if (name === 'unhandledRejection' && toldBefore.delete(promise)) return true;
        untold[name === 'unhandledRejection' ? 'rejections' : 'handledLate'].delete(eventual);
        args[position] = eventual;
      }
    }
    const isHandled = Reflect.apply(emit, this, [name, ...args]) as boolean;
    // What a listener has settled goes on first.
    if (name === 'beforeExit') nativeQueueMicrotask(() => lifetime.listenersCalled());
    return isHandled || (name === 'unhandledRejection' && toldOf(args[0]));
  };
  Object.defineProperty(process, 'emit', {
    value: emitEventual,
    writable: true,
    configurable: true,
    enumerable: false,
  });

  /** Core has one. */
  let ofTicks: unknown;
  standingIn.isAnchor = (callback) => callback !== undefined && callback === ofTicks;
  /** Of a job that throws Node's context tells nothing any more. */
  const queueJobs = (callback: () => void): void =>
    nativeQueueMicrotask(() => {
      standingIn.isInJobs = true;
      callback();
      standingIn.isInJobs = false;
    });
  standingIn.isEventual = (promise) => typeof promise === 'object' && promise !== null && eventuals.has(promise);
  standingIn.isUntold = (reason) => [...untold.rejections].some((each) => Eventual.value(each as Eventual) === reason);

  return {
    isProxy,
    engine: createEngineView(),
    timers,
    tape,
    isNativePromise,
    queueMicrotask: tape === undefined ? (callback) => nativeQueueMicrotask(callback) : queueJobs,
    nextTick: (callback) => nativeNextTick((ofTicks = callback)),
    unhandledRejection(eventual, reason) {
      const standIn = NativePromise.reject<never>(reason);
      standIns.set(eventual, standIn);
      eventuals.set(standIn, eventual);
      untold.rejections.add(eventual);
    },
    rejectionHandled(eventual) {
      if (!untold.rejections.delete(eventual)) untold.handledLate.add(eventual);
      const standIn = standIns.get(eventual);
      if (standIn !== undefined) {
        standIn.catch(() => {});
        return;
      }
      nativeNextTick(() => {
        untold.handledLate.delete(eventual);
        if (!process.emit('rejectionHandled', eventual as Promise<unknown>))
          process.emitWarning('Promise rejection was handled asynchronously', 'PromiseRejectionHandledWarning');
      });
    },
    // Node reports it again, to nobody, so that it tells in its own time that it is handled.
    reportedBefore(eventual) {
      if (reportsLoudly()) return;
      const standIn = NativePromise.reject<never>(undefined);
      standIns.set(eventual, standIn);
      eventuals.set(standIn, eventual);
      toldBefore.add(standIn);
    },
    untold: () => ({ rejections: [...untold.rejections], handledLate: [...untold.handledLate] }),
    isAnyUntold: () => untold.rejections.size > 0 || untold.handledLate.size > 0,
  };
}
