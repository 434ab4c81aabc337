// Core's host in Node. The queues are Node's own; an unhandled rejection of an eventual rejects a native promise as a
// stand-in, so that timing, `--unhandled-rejections`, events and exit code are Node's.
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

// Node's own functions, taken before they are replaced so that core's promises count as promises.
const { isProxy, isPromise: isNativePromise } = types;
const NativePromise = Promise;
const { queueMicrotask: nativeQueueMicrotask } = globalThis;
const nativeNextTick = process.nextTick;

/** Facts about Node's queues that other parts of this thread need. `createNodeHost` sets the functions. */
export const nodeQueueState = {
  /** Whether Node is reporting an exception of the entry point, which runs in a tick of Turntable. */
  hasMainFailed: false,
  /** Whether the program's microtasks are running, or one of them has thrown. */
  isRunningJobs: false,
  /** Whether a native promise is the stand-in of an eventual. */
  isEventualStandIn: (_promise: unknown): boolean => false,
  /** Whether `_reason` is the reason of a rejection that Node has not reported yet. */
  isUnreported: (_reason: unknown): boolean => false,
  /** Whether `_callback` is the tick callback that runs the ticks of the program. */
  isTickAnchor: (_callback: unknown): boolean => false,
};

/** Behaviour of this thread when Node has nothing left to do (`beforeExit`). */
class ProcessLifetime {
  /** Whether `beforeExit` has been emitted. */
  hasBeenIdle = false;
  #isExitDeferred: (() => boolean) | undefined;
  #unsettledAwait: UnsettledAwait | undefined;

  /**
   * Withholds `beforeExit` from the program while `isDeferred` returns true. Node emits the event again later. Replaces
   * the previous function.
   */
  deferExit(isDeferred: () => boolean): void {
    this.#isExitDeferred = isDeferred;
  }

  get isExitDeferred(): boolean {
    return this.#isExitDeferred?.() === true;
  }

  /** Sets the object that finds the `await` at which the entry point waits. */
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
  /** Gives Node the location of the top-level `await` that never settles. */
  mapLocation(): void;
  /** The text of Node's warning about this `await`; undefined if there is none. */
  warningText(): string | undefined;
}

export const processLifetime: ProcessLifetime = new ProcessLifetime();

/** Whether Node reports a rejection, or exits, before it calls the listeners. */
function reportsBeforeListeners(): boolean {
  const { NODE_OPTIONS = '' } = process.env;
  const modes = [NODE_OPTIONS, ...process.execArgv].join(' ').matchAll(/--unhandled-rejections[= ](\S+)/g);
  return /^(?:strict|warn)$/.test([...modes].at(-1)?.[1] ?? '');
}

/** @param timers functions that arm and cancel timers for transformed code */
export function createNodeHost(timers: object, tape?: Tape): NodeHost {
  /** Native stand-in promises, by rejected eventual. `eventuals` maps in the other direction. */
  const standInPromises = new WeakMap<object, Promise<never>>();
  const eventuals = new WeakMap<object, object>();
  /** Eventuals whose rejection, or late handling, Node will report when its tick queue is empty. */
  const unreported = { rejections: new Set<object>(), handledLate: new Set<object>() };
  /** Stand-ins of rejections that were reported before the program was restored. */
  const reportedEarlier = new WeakSet<object>();

  const nativeEmit = process.emit;
  /** Passes the program's eventual to listeners instead of the stand-in. */
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
    // In a microtask, so that promises that a listener has settled are handled first.
    if (name === 'beforeExit') nativeQueueMicrotask(() => processLifetime.afterListeners());
    return isHandled || (name === 'unhandledRejection' && reportDeadDevice(args[0]));
  };
  Object.defineProperty(process, 'emit', {
    value: emitEventual,
    writable: true,
    configurable: true,
    enumerable: false,
  });

  /** The callback that runs the program's ticks. Core passes the same callback each time. */
  let tickAnchor: unknown;
  nodeQueueState.isTickAnchor = (callback) => callback !== undefined && callback === tickAnchor;
  /** Queues a callback. `isRunningJobs` stays true if a job throws, which Node's own state does not show. */
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
    // Rejects a stand-in that is not reported again, so that Node emits `rejectionHandled` in due time.
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
