// Policies for an idle worker: those compared before one was chosen (README.md).

import type { Sleeper } from '../../packages/runtime/src/transport/bell.ts';
import type { WakePolicy } from './loop.ts';

/** Polls for some time before it sleeps. */
function spin(milliseconds: number): WakePolicy {
  return (sleeper: Sleeper, isEmpty) => {
    const deadline = performance.now() + milliseconds;
    while (performance.now() < deadline) if (!isEmpty()) return true;
    return !sleeper.sleep(isEmpty);
  };
}

/** Polls for some time before it waits, whether or not polling has paid off before. */
function poll(milliseconds: number): WakePolicy {
  return (sleeper, isEmpty, hasSent) =>
    sleeper.spin(isEmpty, milliseconds) || sleeper.waitWithoutSpin(isEmpty, hasSent);
}

export const POLICIES: Readonly<Record<string, WakePolicy>> = {
  chosen: (sleeper, isEmpty, hasSent) => sleeper.waitForWork(isEmpty, hasSent),
  'never poll': (sleeper, isEmpty, hasSent) => sleeper.waitWithoutSpin(isEmpty, hasSent),
  'always park': (sleeper, isEmpty) => sleeper.park(isEmpty) || !sleeper.sleep(isEmpty),
  'sleep at once': (sleeper, isEmpty) => !sleeper.sleep(isEmpty),
  'always poll, 5 µs': poll(0.005),
  'always poll, 30 µs': poll(0.03),
  'spin 50 µs': spin(0.05),
  'spin 200 µs': spin(0.2),
};
