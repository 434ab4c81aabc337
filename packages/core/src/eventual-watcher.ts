// What becomes of eventuals, told to somebody who looks on while a program runs again. In the place of Eventual's own functions, so that nobody else pays for it.
import { Eventual, REJECTED } from './eventual.ts';
import { ASYNC_FRAME, CONTINUATION, Frame } from './frame.ts';

interface EventualWatcher {
  /** Before anybody who waits for it is told. */
  onSettled(isRejected: boolean, value: unknown): void;
  /** A function is about to wait for one that is not settled. */
  onAwaited(): void;
}

/** Of this thread, from now on. */
export function watchEventuals({ onSettled, onAwaited }: EventualWatcher): void {
  const { settle, addReaction: wait } = Eventual;
  Eventual.settle = (eventual, state, value) => {
    onSettled(state === REJECTED, value);
    return settle(eventual, state, value);
  };
  Eventual.addReaction = (eventual, reaction) => {
    if (reaction instanceof Frame) onAwaited();
    return wait(eventual, reaction);
  };
}

/** Whether a job of that kind goes on with what has waited for an eventual: a function behind its `await`, a handler given to `then`. */
export function isReactionKind(kind: number): boolean {
  return kind >= ASYNC_FRAME && kind < CONTINUATION;
}
