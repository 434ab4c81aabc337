// What the scheduler of a thread needs of Node: when it runs, how it waits, how long it was kept.

import { subscribe } from 'node:diagnostics_channel';
import perfHooks from 'node:perf_hooks';
import { types } from 'node:util';
import { hostClock } from '@turntable/core';
import type { SchedulerHost } from './host.ts';
import { Sleeper } from './transport/wake-up.ts';

/** Of the loader, or of whoever knows classes and errors. */
export type ProgramHost = Pick<
  SchedulerHost,
  'classes' | 'errorClassName' | 'errorPrototype' | 'awaitedBy' | 'isReferenced' | 'report' | 'forgotten' | 'outside'
>;

const { setImmediate: nativeSetImmediate, setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;
const { queueMicrotask: nativeQueueMicrotask } = globalThis;
const { monitorEventLoopDelay } = perfHooks;

/** Where Node tells of requests. */
const REQUESTS = ['http.server.request.start', 'http2.server.stream.start'] as const;

export class ThreadHost implements SchedulerHost {
  readonly types = types;
  readonly classes: SchedulerHost['classes'];
  readonly errorClassName: SchedulerHost['errorClassName'];
  readonly errorPrototype: SchedulerHost['errorPrototype'];
  readonly awaitedBy: SchedulerHost['awaitedBy'];
  readonly isReferenced: SchedulerHost['isReferenced'];
  readonly report: SchedulerHost['report'];
  readonly forgotten: SchedulerHost['forgotten'];
  readonly outside: SchedulerHost['outside'];
  /** Is told when there is nothing to do between actors. */
  rests: (() => void) | undefined;
  #sleeper: Sleeper | undefined;
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

  constructor(program: ProgramHost) {
    this.classes = program.classes;
    this.errorClassName = program.errorClassName;
    this.errorPrototype = program.errorPrototype;
    this.awaitedBy = program.awaitedBy;
    this.isReferenced = program.isReferenced;
    this.report = program.report;
    this.forgotten = program.forgotten;
    this.outside = program.outside;
  }

  /** From now on there are other workers, which wake this one by its bell. */
  sleepBy(bell: SharedArrayBuffer): void {
    this.#sleeper = new Sleeper(bell);
  }

  soon(callback: () => void): void {
    nativeQueueMicrotask(callback);
  }

  later(callback: () => void): void {
    nativeSetImmediate(callback);
  }

  now(): number {
    return hostClock.now();
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = nativeSetTimeout(callback, milliseconds);
    return () => nativeClearTimeout(timer);
  }

  rest(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (this.#sleeper?.rest(isEmpty, hasSent) === true) return true;
    this.rests?.();
    return false;
  }

  expect(isEmpty: () => boolean, hasSent: boolean): boolean {
    if (this.#sleeper?.expect(isEmpty, hasSent) === true) return true;
    this.rests?.();
    return false;
  }

  awake(): void {
    this.#sleeper?.wake();
  }

  /** Calls back for every HTTP request that a server of this thread gets. */
  whenRequested(callback: () => void): void {
    for (const channel of REQUESTS) subscribe(channel, callback);
  }

  /** Milliseconds by which Node came back late to its loop, the most since this was asked before. */
  takeDelay(): number {
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: 10 });
      this.#delay.enable();
      return 0;
    }
    const most = this.#delay.max / 1e6;
    this.#delay.reset();
    return most;
  }
}
