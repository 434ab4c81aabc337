// Reports when eventuals settle and are awaited, for the observers of a replay. To do so, it replaces functions of
// `Eventual` on this thread, so other threads pay nothing.
import { Eventual, REJECTED } from './eventual.ts';
import { ASYNC_FRAME, CONTINUATION, Frame, THENABLE } from './frame.ts';

interface EventualWatcher {
  /** Called when an eventual settles, before its reactions are queued. */
  onSettled(isRejected: boolean, value: unknown): void;
  /** Called when a function starts to wait for a pending eventual. */
  onAwaited(): void;
}

/** Starts reporting eventuals of this thread to a watcher. */
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

/** Whether jobs of this kind resume code that waited for an eventual: after an `await`, or in a handler of `then`. */
export function isReactionKind(kind: number): boolean {
  return kind >= ASYNC_FRAME && kind < CONTINUATION;
}

/** Whether jobs of this kind deliver a rejection to what waited for an eventual. */
export function isRejectionKind(kind: number): boolean {
  return kind < THENABLE && kind % 2 === 1;
}
