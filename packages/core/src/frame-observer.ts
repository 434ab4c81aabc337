// Reports the runs of frames to the observer of a replay. A run lasts from the start or a resumption of a suspendable
// function to its next suspension, or to its end. Other threads have no observer.
import type { Frame } from './frame.ts';
import { journal, type FrameObserver } from './undo/journal.ts';

/** Sets the observer of the frames of this thread. */
export function observeFrames(observer: FrameObserver): void {
  journal.frameObserver = observer;
}

/** Runs a step of a frame and reports it. */
export function observedStep(observer: FrameObserver, frame: Frame, value: unknown, how: number): unknown {
  observer.runStarting(frame);
  let hasFinished = true;
  try {
    const completion = frame.step(frame, value, how);
    hasFinished = frame.pc <= 0;
    return completion;
  } finally {
    // `finally` without `catch`: with a `catch`, V8 would lose the position of an exception.
    observer.runEnded(frame, hasFinished);
  }
}
