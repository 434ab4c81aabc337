// What handlers and hooks answer that are asynchronous: Fastify waits for it outside, and is told how it ended.
import { settle } from 'turntable/data-source';

/** So many were followed. */
let count = 0;

/** Answers the number under which the end of it will be told. */
export function follow(promise: object): number {
  const number = ++count;
  (promise as Promise<unknown>).then(
    (value) => settle(number, true, value),
    (reason: unknown) => settle(number, false, reason),
  );
  return number;
}
