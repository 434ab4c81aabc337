// What a worker may do when it has nothing to do: the policies that were compared before one was chosen (README.md).

import type { Sleeper } from '../../packages/runtime/src/transport/wake-up.ts';
import type { Rest } from './loop.ts';

/** Looks again and again before it sleeps. */
function spinning(milliseconds: number): Rest {
  return (sleeper: Sleeper, isEmpty) => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until) if (!isEmpty()) return true;
    return !sleeper.sleep(isEmpty);
  };
}

/** Looks a while before it waits, whether that was ever worth it or not. */
function looking(milliseconds: number): Rest {
  return (sleeper, isEmpty, hasSent) => sleeper.look(isEmpty, milliseconds) || sleeper.wait(isEmpty, hasSent);
}

export const POLICIES: Readonly<Record<string, Rest>> = {
  chosen: (sleeper, isEmpty, hasSent) => sleeper.rest(isEmpty, hasSent),
  'never look': (sleeper, isEmpty, hasSent) => sleeper.wait(isEmpty, hasSent),
  'always park': (sleeper, isEmpty) => sleeper.park(isEmpty) || !sleeper.sleep(isEmpty),
  'sleep at once': (sleeper, isEmpty) => !sleeper.sleep(isEmpty),
  'always look, 5 µs': looking(0.005),
  'always look, 30 µs': looking(0.03),
  'spin 50 µs': spinning(0.05),
  'spin 200 µs': spinning(0.2),
};
