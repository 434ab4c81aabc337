// What becomes of eventuals, told to somebody who looks on while a program runs again. In the place of Eventual's own functions, so that nobody else pays for it.
import { Eventual, REJECTED } from './eventual.ts';
import { ASYNC_FRAME, CONTINUATION, Frame } from './frame.ts';

interface EventualWatcher {
  /** Before anybody who waits for it is told. */
  settled(isRejected: boolean, value: unknown): void;
  /** A function is about to wait for one that is not settled. */
  awaited(): void;
}

/** Of this thread, from now on. */
export function watchEventuals({ settled, awaited }: EventualWatcher): void {
  const { settle, wait } = Eventual;
  Eventual.settle = (eventual, state, value) => {
    settled(state === REJECTED, value);
    return settle(eventual, state, value);
  };
  Eventual.wait = (eventual, waiting) => {
    if (waiting instanceof Frame) awaited();
    return wait(eventual, waiting);
  };
}

/** Whether a job of that kind goes on with what has waited for an eventual: a function behind its `await`, a handler given to `then`. */
export function isReaction(kind: number): boolean {
  return kind >= ASYNC_FRAME && kind < CONTINUATION;
}
