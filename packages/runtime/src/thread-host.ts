// The scheduler's host on Node: timers and queues, waiting, and event-loop delay.

import { subscribe } from 'node:diagnostics_channel';
import perfHooks from 'node:perf_hooks';
import { types } from 'node:util';
import { hostClock } from '@turntable/core';
import type { SchedulerHost } from './scheduler-host.ts';
import { Sleeper } from './transport/bell.ts';

/** The part of the host that the loader provides: classes, errors and host callbacks. */
export type ProgramHost = Pick<
  SchedulerHost,
  | 'classes'
  | 'errorClassName'
  | 'errorPrototype'
  | 'awaitingFrames'
  | 'isPassedByReference'
  | 'report'
  | 'warnNotRestored'
  | 'hostCallbacks'
>;

const { setImmediate: nativeSetImmediate, setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;
const { queueMicrotask: nativeQueueMicrotask } = globalThis;
const { monitorEventLoopDelay } = perfHooks;

/** Channels on which Node publishes incoming requests. */
const REQUEST_CHANNELS = ['http.server.request.start', 'http2.server.stream.start'] as const;

export class ThreadHost implements SchedulerHost {
  readonly types = types;
  readonly classes: SchedulerHost['classes'];
  readonly errorClassName: SchedulerHost['errorClassName'];
  readonly errorPrototype: SchedulerHost['errorPrototype'];
  readonly awaitingFrames: SchedulerHost['awaitingFrames'];
  readonly isPassedByReference: SchedulerHost['isPassedByReference'];
  readonly report: SchedulerHost['report'];
  readonly warnNotRestored: SchedulerHost['warnNotRestored'];
  readonly hostCallbacks: SchedulerHost['hostCallbacks'];
  /** Called when actors have no work left. */
  onIdle: (() => void) | undefined;
  #sleeper: Sleeper | undefined;
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

  constructor(programHost: ProgramHost) {
    this.classes = programHost.classes;
    this.errorClassName = programHost.errorClassName;
    this.errorPrototype = programHost.errorPrototype;
    this.awaitingFrames = programHost.awaitingFrames;
    this.isPassedByReference = programHost.isPassedByReference;
    this.report = programHost.report;
    this.warnNotRestored = programHost.warnNotRestored;
    this.hostCallbacks = programHost.hostCallbacks;
  }

  /** Sets the bell that other workers ring to wake this thread. */
  attachBell(bell: SharedArrayBuffer): void {
    this.#sleeper = new Sleeper(bell);
  }

  queueMicrotask(callback: () => void): void {
    nativeQueueMicrotask(callback);
  }

  setImmediate(callback: () => void): void {
    nativeSetImmediate(callback);
  }

  now(): number {
    return hostClock.now();
  }

  setTimer(milliseconds: number, callback: () => void): () => void {
    const timer = nativeSetTimeout(callback, milliseconds);
    return () => nativeClearTimeout(timer);
  }

  waitForWork(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (this.#sleeper?.waitForWork(isEmpty, hasSent) === true) return true;
    this.onIdle?.();
    return false;
  }

  waitForMessages(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (this.#sleeper?.waitForMessages(isEmpty, hasSent) === true) return true;
    this.onIdle?.();
    return false;
  }

  markAwake(): void {
    this.#sleeper?.markAwake();
  }

  /** Calls back for every HTTP request to a server of this thread. */
  onRequest(callback: () => void): void {
    for (const channel of REQUEST_CHANNELS) subscribe(channel, callback);
  }

  /** Longest delay of the event loop in milliseconds since the last call. */
  takeMaxDelayMs(): number {
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: 10 });
      this.#delay.enable();
      return 0;
    }
    const maxMs = this.#delay.max / 1e6;
    this.#delay.reset();
    return maxMs;
  }
}
