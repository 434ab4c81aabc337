// What handlers and hooks answer that are asynchronous: Fastify waits for it outside, and is told how it ended.
import { reportSettled } from 'turntable/data-source';

/** So many were followed. */
let lastPromiseNumber = 0;

/** Answers the number under which the end of it will be told. */
export function reportOutcome(promise: object): number {
  const number = ++lastPromiseNumber;
  (promise as Promise<unknown>).then(
    (value) => reportSettled(number, true, value),
    (reason: unknown) => reportSettled(number, false, reason),
  );
  return number;
}
