// Where core's own objects change, they say so here before they do, in case an undo log is being kept (undo-log.ts). Where none is, which is
// everywhere but in the threads of a debugger's replay, that is a look at a field that never changes.

/** What is kept of each object: what it was like when it was first told of. */
export interface Journal {
  noteEventual(eventual: object): void;
  /** A frame that is about to go on, and what its slots drive. */
  noteFrame(frame: object): void;
  noteGenerator(generator: object): void;
  /** An object of core's whose state is its own fields, and arrays among them. */
  noteFields(object: object): void;
  noteCell(cell: object): void;
  /** An object whose state is hidden, by what reads it and what sets it. */
  noteState<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void;
  /** A property of an object of the program's. */
  noteProperty(object: object, key: PropertyKey): void;
  /** Something is done that cannot be undone. */
  noteObstacle(reason: string): void;
}

class ActiveJournal {
  /** The log that is being kept. */
  log: Journal | undefined = undefined;
  /** Whether there may ever be one. */
  isPossible = false;
  /** Who is told of each frame of an async function that is about to begin or to go on. */
  onFrameRun: ((frame: object) => void) | undefined = undefined;
}

export const journal = new ActiveJournal();

/** Maps and Sets some iterator of which may be kept: they must not be emptied and filled again, by which iterators lose their places. */
const iteratedCollections = new WeakSet<object>();
const { add, has } = WeakSet.prototype as WeakSet<object>;

export function markIterated(collection: object): void {
  Reflect.apply(add, iteratedCollections, [collection]);
}

export function isIterated(collection: object): boolean {
  return Reflect.apply(has, iteratedCollections, [collection]);
}
