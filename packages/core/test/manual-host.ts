// A host whose queues are arrays that the test runs by hand: nothing happens before `settle()`.
import type { Host } from '@turntable/core';

export interface ManualHost extends Host {
  /** Runs ticks and microtasks, ticks first, until nothing is left. */
  settle(): void;
  reports: string[];
}

export function manualHost(): ManualHost {
  const microtasks: (() => void)[] = [];
  const ticks: (() => void)[] = [];
  const reports: string[] = [];
  return {
    reports,
    queueMicrotask: (callback) => void microtasks.push(callback),
    nextTick: (callback) => void ticks.push(callback),
    unhandledRejection: (_, reason) => void reports.push(`unhandled ${String(reason)}`),
    rejectionHandled: () => void reports.push('handled'),
    settle() {
      while (ticks.length > 0 || microtasks.length > 0) {
        for (let tick = ticks.shift(); tick !== undefined; tick = ticks.shift()) tick();
        for (let task = microtasks.shift(); task !== undefined; task = microtasks.shift()) task();
      }
    },
  };
}
