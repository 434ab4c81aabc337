// Core's host in Node. Queues are Node's own; a rejection that nobody handles becomes a native one beside it, so that its timing, the
// `--unhandled-rejections` mode, events and exit code are Node's and not an imitation.
import { types } from 'node:util';
import { createEngineView } from './engine-view.ts';
import { ambientTimers } from './timers-functions.ts';
import type { EngineView } from '@turntable/core';

export interface NodeHost {
  queueMicrotask(callback: () => void): void;
  nextTick(callback: () => void): void;
  unhandledRejection(eventual: object, reason: unknown): void;
  rejectionHandled(eventual: object): void;
  isProxy(value: unknown): boolean;
  isNativePromise(value: unknown): boolean;
  readonly engine: EngineView;
  readonly timers: object;
}

// Taken now: core's promises will count as promises, too, for whoever asks later.
const { isProxy, isPromise: isNativePromise } = types;
const NativePromise = Promise;
const { queueMicrotask: nativeQueueMicrotask } = globalThis;
const nativeNextTick = process.nextTick;

export function createNodeHost(): NodeHost {
  /** The native promise that stands for a rejected eventual, and back. */
  const standIns = new WeakMap<object, Promise<never>>();
  const eventuals = new WeakMap<object, object>();

  const emit = process.emit;
  /** Listeners are to get the eventual the program knows. */
  const emitEventual = function (this: NodeJS.Process, name: string, ...args: unknown[]): boolean {
    const position = name === 'unhandledRejection' ? 1 : 0;
    if (name === 'unhandledRejection' || name === 'rejectionHandled') {
      const promise = args[position];
      args[position] = (typeof promise === 'object' && promise !== null && eventuals.get(promise)) || promise;
    }
    return Reflect.apply(emit, this, [name, ...args]) as boolean;
  };
  Object.defineProperty(process, 'emit', {
    value: emitEventual,
    writable: true,
    configurable: true,
    enumerable: false,
  });

  return {
    isProxy,
    engine: createEngineView(),
    timers: ambientTimers,
    isNativePromise,
    queueMicrotask: (callback) => nativeQueueMicrotask(callback),
    nextTick: (callback) => nativeNextTick(callback),
    unhandledRejection(eventual, reason) {
      const standIn = NativePromise.reject<never>(reason);
      standIns.set(eventual, standIn);
      eventuals.set(standIn, eventual);
    },
    rejectionHandled(eventual) {
      const standIn = standIns.get(eventual);
      if (standIn !== undefined) standIn.catch(() => {});
      // It was reported in the process that the program goes on from, which knew its number.
      else
        nativeNextTick(() => {
          if (!process.emit('rejectionHandled', eventual as Promise<unknown>))
            process.emitWarning('Promise rejection was handled asynchronously', 'PromiseRejectionHandledWarning');
        });
    },
  };
}
