// Promises returned by handlers and hooks: Fastify waits for them on the host side and gets their outcomes reported.
import { reportSettled } from 'turntable/data-source';

/** The number of promises tracked so far. */
let lastPromiseNumber = 0;

/** Reports the outcome of a promise under the returned number. */
export function reportOutcome(promise: object): number {
  const number = ++lastPromiseNumber;
  (promise as Promise<unknown>).then(
    (value) => reportSettled(number, true, value),
    (reason: unknown) => reportSettled(number, false, reason),
  );
  return number;
}
