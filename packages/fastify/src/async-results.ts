// Promises of handlers and hooks. Fastify awaits them on the host side, so the program reports their outcomes.
import { reportSettled } from 'turntable/data-source';

/** Number of the promise tracked last. */
let lastPromiseNumber = 0;

/** Assigns a number to a promise and returns it. Reports the outcome to the host under this number. */
export function reportOutcome(promise: object): number {
  const number = ++lastPromiseNumber;
  (promise as Promise<unknown>).then(
    (value) => reportSettled(number, true, value),
    (reason: unknown) => reportSettled(number, false, reason),
  );
  return number;
}
