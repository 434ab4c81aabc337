// Core's host in Node. Queues are Node's own; a rejection that nobody handles becomes a native one beside it, so that its timing, the
// `--unhandled-rejections` mode, events and exit code are Node's and not an imitation.
import { types } from 'node:util';
import { createEngineView } from './engine-view.ts';
import { reportDeadDevice } from './dead-device-error.ts';
import { Eventual, type EngineView, type Tape } from '@turntable/core';

export interface NodeHost {
  queueMicrotask(callback: () => void): void;
  nextTick(callback: () => void): void;
  unhandledRejection(eventual: object, reason: unknown): void;
  rejectionHandled(eventual: object): void;
  markReported(eventual: object): void;
  pendingReports(): { readonly rejections: readonly object[]; readonly handledLate: readonly object[] };
  hasPendingReports(): boolean;
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
export const nodeQueueState = {
  /** An exception of the entry point, which is run in a tick of ours, is being told of. */
  hasMainFailed: false,
  /** Its jobs are run, or one of them has thrown. */
  isRunningJobs: false,
  /** Whether a native promise stands for an eventual. */
  isEventualStandIn: (_promise: unknown): boolean => false,
  /** Whether an eventual was rejected with it of which Node has not told yet. */
  isUnreported: (_reason: unknown): boolean => false,
  /** Whether ticks of the program are run by it. */
  isTickAnchor: (_callback: unknown): boolean => false,
};

/** What happens in this thread when Node has nothing left to do (`beforeExit`). */
class ProcessLifetime {
  /** Whether it has had nothing left to do once. */
  hasBeenIdle = false;
  #isExitDeferred: (() => boolean) | undefined;
  #unsettledAwait: UnsettledAwait | undefined;

  /** While `isDeferred` returns true, the program does not get the event; Node emits it again later. A second call replaces the first. */
  deferExit(isDeferred: () => boolean): void {
    this.#isExitDeferred = isDeferred;
  }

  get isExitDeferred(): boolean {
    return this.#isExitDeferred?.() === true;
  }

  /** `unsettledAwait` finds the await at which the entry point waits. */
  setUnsettledAwait(unsettledAwait: UnsettledAwait): void {
    this.#unsettledAwait = unsettledAwait;
  }

  /** Called after all listeners, before Node checks whether the entry point has settled. */
  afterListeners(): void {
    this.#unsettledAwait?.mapLocation();
  }

  unsettledWarning(): string | undefined {
    return this.#unsettledAwait?.warningText();
  }
}

export interface UnsettledAwait {
  /** Tells Node where the entry point waits at its top level for what never comes. */
  mapLocation(): void;
  /** Node's warning about that. */
  warningText(): string | undefined;
}

export const processLifetime: ProcessLifetime = new ProcessLifetime();

/** Whether Node says something of a rejection, or dies of it, before it asks the listeners. */
function reportsBeforeListeners(): boolean {
  const { NODE_OPTIONS = '' } = process.env;
  const modes = [NODE_OPTIONS, ...process.execArgv].join(' ').matchAll(/--unhandled-rejections[= ](\S+)/g);
  return /^(?:strict|warn)$/.test([...modes].at(-1)?.[1] ?? '');
}

/** @param timers functions that arm and cancel timers for transformed code */
export function createNodeHost(timers: object, tape?: Tape): NodeHost {
  /** The native promise that stands for a rejected eventual, and back. */
  const standInPromises = new WeakMap<object, Promise<never>>();
  const eventuals = new WeakMap<object, object>();
  /** Eventuals of which Node knows and will tell when it has no ticks left. */
  const unreported = { rejections: new Set<object>(), handledLate: new Set<object>() };
  /** Stand-ins of what was reported in the process that the program goes on from. */
  const reportedEarlier = new WeakSet<object>();

  const nativeEmit = process.emit;
  /** Listeners are to get the eventual the program knows. */
  const emitEventual = function (this: NodeJS.Process, name: string, ...args: unknown[]): boolean {
    if (name === 'beforeExit') {
      if (processLifetime.isExitDeferred) return true;
      processLifetime.hasBeenIdle = true;
    }
    const promiseIndex = name === 'unhandledRejection' ? 1 : 0;
    if (name === 'unhandledRejection' || name === 'rejectionHandled') {
      const promise = args[promiseIndex] as Promise<never>;
      const eventual = typeof promise === 'object' && promise !== null ? eventuals.get(promise) : undefined;
      if (eventual !== undefined) {
        if (name === 'unhandledRejection' && reportedEarlier.delete(promise)) return true;
        unreported[name === 'unhandledRejection' ? 'rejections' : 'handledLate'].delete(eventual);
        args[promiseIndex] = eventual;
      }
    }
    const isHandled = Reflect.apply(nativeEmit, this, [name, ...args]) as boolean;
    // What a listener has settled goes on first.
    if (name === 'beforeExit') nativeQueueMicrotask(() => processLifetime.afterListeners());
    return isHandled || (name === 'unhandledRejection' && reportDeadDevice(args[0]));
  };
  Object.defineProperty(process, 'emit', {
    value: emitEventual,
    writable: true,
    configurable: true,
    enumerable: false,
  });

  /** Core has one. */
  let tickAnchor: unknown;
  nodeQueueState.isTickAnchor = (callback) => callback !== undefined && callback === tickAnchor;
  /** Of a job that throws Node's context tells nothing any more. */
  const queueJobs = (callback: () => void): void =>
    nativeQueueMicrotask(() => {
      nodeQueueState.isRunningJobs = true;
      callback();
      nodeQueueState.isRunningJobs = false;
    });
  nodeQueueState.isEventualStandIn = (promise) =>
    typeof promise === 'object' && promise !== null && eventuals.has(promise);
  nodeQueueState.isUnreported = (reason) =>
    [...unreported.rejections].some((each) => Eventual.value(each as Eventual) === reason);

  return {
    isProxy,
    engine: createEngineView(),
    timers,
    tape,
    isNativePromise,
    queueMicrotask: tape === undefined ? (callback) => nativeQueueMicrotask(callback) : queueJobs,
    nextTick: (callback) => nativeNextTick((tickAnchor = callback)),
    unhandledRejection(eventual, reason) {
      const standIn = NativePromise.reject<never>(reason);
      standInPromises.set(eventual, standIn);
      eventuals.set(standIn, eventual);
      unreported.rejections.add(eventual);
    },
    rejectionHandled(eventual) {
      if (!unreported.rejections.delete(eventual)) unreported.handledLate.add(eventual);
      const standIn = standInPromises.get(eventual);
      if (standIn !== undefined) {
        standIn.catch(() => {});
        return;
      }
      nativeNextTick(() => {
        unreported.handledLate.delete(eventual);
        if (!process.emit('rejectionHandled', eventual as Promise<unknown>))
          process.emitWarning('Promise rejection was handled asynchronously', 'PromiseRejectionHandledWarning');
      });
    },
    // Node reports it again, to nobody, so that it tells in its own time that it is handled.
    markReported(eventual) {
      if (reportsBeforeListeners()) return;
      const standIn = NativePromise.reject<never>(undefined);
      standInPromises.set(eventual, standIn);
      eventuals.set(standIn, eventual);
      reportedEarlier.add(standIn);
    },
    pendingReports: () => ({ rejections: [...unreported.rejections], handledLate: [...unreported.handledLate] }),
    hasPendingReports: () => unreported.rejections.size > 0 || unreported.handledLate.size > 0,
  };
}
