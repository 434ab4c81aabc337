// The port through which core reports changes of its objects before it makes them. `journal.log` is the undo log that
// currently takes notes. Only the threads of a debugger's replay ever have a log. On other threads, the cost is one
// read of a constant field.

import type { Frame } from '../frame.ts';

/** Receives the reports. Each method notes the current state of an object, unless the object has been noted before. */
export interface Journal {
  noteEventual(eventual: object): void;
  /** Notes a frame that is about to resume, and the iterators and iterations in its slots. */
  noteFrame(frame: object): void;
  noteGenerator(generator: object): void;
  /** Notes a core object whose state is its own properties, and the arrays in them. */
  noteFields(object: object): void;
  noteCell(cell: object): void;
  /** Notes an object with hidden state, which `read` copies and `write` restores. */
  noteState<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void;
  /** Notes a property of an object of the program. */
  noteProperty(object: object, key: PropertyKey): void;
  /** Notes an action that cannot be undone. */
  noteObstacle(reason: string): void;
}

/** Receives the runs of frames (frame-observer.ts). */
export interface FrameObserver {
  /** Called before a frame starts or resumes. */
  runStarting(frame: Frame): void;
  /** Called before an async generator gives the value of a `yield` to the oldest request. */
  yielding(frame: Frame): void;
  /** Called when a frame is suspended or has ended. Its result is not settled yet. */
  runEnded(frame: Frame, hasFinished: boolean): void;
}

class ActiveJournal {
  /** The undo log that currently takes notes; undefined if none does. */
  log: Journal | undefined = undefined;
  /** Whether this thread may ever have an undo log. */
  isPossible = false;
  /** The observer of frames; undefined in programs that no debugger replays. */
  frameObserver: FrameObserver | undefined = undefined;
}

export const journal = new ActiveJournal();

/** Maps and Sets with a kept iterator. Clearing and refilling them would lose the position of the iterator. */
const iteratedCollections = new WeakSet<object>();
const { add, has } = WeakSet.prototype as WeakSet<object>;

export function markIterated(collection: object): void {
  Reflect.apply(add, iteratedCollections, [collection]);
}

export function isIterated(collection: object): boolean {
  return Reflect.apply(has, iteratedCollections, [collection]);
}
