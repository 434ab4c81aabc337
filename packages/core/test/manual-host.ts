// A host whose queues are arrays that the test runs by hand: nothing happens before `settle()`.
import type { Host } from '@turntable/core';

export interface ManualHost extends Host {
  /** Runs ticks and microtasks, ticks first, until nothing is left. */
  settle(): void;
  reports: string[];
}

export function manualHost(): ManualHost {
  const microtasks = queue();
  const ticks = queue();
  const reports: string[] = [];
  return {
    reports,
    queueMicrotask: (callback) => microtasks.add(callback),
    nextTick: (callback) => ticks.add(callback),
    unhandledRejection: (_, reason) => void (reports[reports.length] = `unhandled ${String(reason)}`),
    rejectionHandled: () => void (reports[reports.length] = 'handled'),
    settle() {
      for (let ran = true; ran;) {
        ran = false;
        for (let tick = ticks.take(); tick !== undefined; tick = ticks.take()) {
          tick();
          ran = true;
        }
        for (let task = microtasks.take(); task !== undefined; task = microtasks.take()) {
          task();
          ran = true;
        }
      }
    },
  };
}

/** Without methods of arrays, which programs may replace, and undo logs listen to. */
function queue(): { add(callback: () => void): void; take(): (() => void) | undefined } {
  const waiting: ((() => void) | undefined)[] = [];
  let first = 0;
  return {
    add(callback) {
      waiting[waiting.length] = callback;
    },
    take() {
      const callback = waiting[first];
      if (first < waiting.length) waiting[first++] = undefined;
      return callback;
    },
  };
}
