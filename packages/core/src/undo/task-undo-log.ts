// The undo log of one task: notes of the program's writes (program-undo-log.ts), and of changes of core's own objects.

import { Eventual, type EventualState } from '../eventual.ts';
import { GeneratorState } from '../generator.ts';
import { internals, type CoreState, type Queues } from '../internals.ts';
import { isArray, isObject, ownKeys } from '../intrinsics.ts';
import * as undoEntries from './undo-entries.ts';
import { SafeSet } from '../safe-collections.ts';
import { isIndex, ProgramUndoLog } from './program-undo-log.ts';
import type { Context, Frame, PendingReaction } from '../frame.ts';
import type { Realm } from '../realm.ts';
import type { Journal } from './journal.ts';

type AnyObject = Record<PropertyKey, unknown>;

/** Number of array slots of an entry. */
const ENTRY_WORDS = 4;

export class TaskUndoLog extends ProgramUndoLog implements Journal {
  /** Whether the task is outside of the chain. The caller that started such a task undoes it. */
  isAside = false;
  /** Entries that `undo` applies after all others, for positions of iterators in Maps and Sets. */
  private readonly deferredEntries: unknown[] = [];
  #eventualAccess: undoEntries.StateAccess<Eventual, unknown> | undefined;
  #iteratorAccess: undoEntries.StateAccess<object, unknown> | undefined;

  /** Notes the job and tick queues. Must be called once, when the task starts. */
  noteQueues(): void {
    this.addCustom(this.realm, QUEUE_ACCESS);
  }

  /** Applies all entries, last first. If `isRedoable`, it also makes a log that reverts this. */
  undo(isRedoable: boolean): { unrestored: object[]; redoLog: TaskUndoLog | undefined } {
    const redoLog = isRedoable ? new TaskUndoLog(this.realm) : undefined;
    const unrestored: object[] = [];
    // Inverted first, because the position of an iterator depends on the current entries of its collection.
    if (redoLog !== undefined) invertEach(this.deferredEntries, redoLog.deferredEntries);
    undoEach(this.entries, redoLog, unrestored);
    undoEach(this.deferredEntries, undefined, unrestored);
    return { unrestored, redoLog };
  }

  /** Whether all entries can be restored. May be false although they can. */
  get isReversible(): boolean {
    const { entries } = this;
    for (let i = 0; i < entries.length; i += ENTRY_WORDS)
      if (undoEntries.mayBeIrreversible(entries[i] as number, entries[i + 1] as object, entries[i + 2])) return false;
    return true;
  }

  /** Adds an inverse entry, made when an entry of another task was undone. */
  takeEntry(kind: number, target: object, detail: unknown, value: unknown): void {
    this.addEntry(kind, target, detail, value);
  }

  noteEventual(eventual: object): void {
    if (this.isFirstNote(eventual))
      this.addCustom(eventual as Eventual, (this.#eventualAccess ??= createEventualAccess(this.realm)));
  }

  noteGenerator(generator: object): void {
    if (!this.isFirstNote(generator)) return;
    this.addCustom(generator as GeneratorState, GENERATOR_ACCESS);
    const frame = GeneratorState.frame(generator as GeneratorState);
    if (frame !== undefined) this.noteFrame(frame);
  }

  noteFrame(frame: object): void {
    if (!this.isFirstNote(frame)) return;
    this.#addFields(frame);
    const { more, result } = frame as Frame;
    for (let i = 0; i < 8; i++) this.#noteDriver((frame as unknown as AnyObject)[`s${i}`]);
    for (let i = 0; i < (more?.length ?? 0); i++) this.#noteDriver(more?.[i]);
    if (isObject(result) && !Eventual.is(result)) this.noteFields(result);
  }

  noteFields(object: object): void {
    if (this.isFirstNote(object)) this.#addFields(object);
  }

  /** Notes the own properties of a core object, and the elements of arrays among them. */
  #addFields(object: object): void {
    const keys = ownKeys(object);
    const values: unknown[] = [];
    for (let i = 0; i < keys.length; i++) {
      const value = (object as AnyObject)[keys[i] as PropertyKey];
      values[2 * i] = keys[i];
      values[2 * i + 1] = value;
      if (isArray(value)) this.noteElements(value);
    }
    this.addEntry(undoEntries.CUSTOM, object, FIELDS_ACCESS, values);
  }

  /** Notes an iterator or iteration in a slot of a frame, because resuming the frame advances it. */
  #noteDriver(value: unknown): void {
    // Reading a proxy would call the program's handler.
    if (!isObject(value) || this.isProxy(value)) return;
    const state = internals.read(this.realm, value);
    if (state === undefined) return;
    switch (state.kind) {
      case 'iterator':
        return this.noteIterator(value);
      case 'forOf':
      case 'forIn':
      case 'delegate':
      case 'asyncDelegate':
      case 'arrayElements':
      case 'asyncIteration':
      case 'disposalStack':
      case 'asyncFromSync':
        if (!this.isFirstNote(value)) return;
        this.#addFields(value);
        this.#noteDriver((value as AnyObject)['source']);
        this.#noteDriver((value as AnyObject)['iterator']);
        this.#noteDriver(((value as AnyObject)['record'] as AnyObject | undefined)?.['iterator']);
    }
  }

  /** Notes the position of one of core's iterators. */
  noteIterator(iterator: object): void {
    if (!this.isFirstNote(iterator)) return;
    const state = internals.read(this.realm, iterator);
    if (state === undefined) return;
    // The entry is deferred, because the position can be restored only when the Map or Set has its entries again.
    const { deferredEntries } = this;
    const index = deferredEntries.length;
    deferredEntries[index] = undoEntries.CUSTOM;
    deferredEntries[index + 1] = iterator;
    deferredEntries[index + 2] = this.#iteratorAccess ??= createIteratorAccess(this.realm);
    deferredEntries[index + 3] = state;
  }

  noteState<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void {
    if (this.isFirstNote(object)) this.addCustom(object, { read, write });
  }

  noteCell(cell: object): void {
    // An uninitialised cell has no own property `v`, which `noteProperty` notes as absent.
    this.noteProperty(cell, 'v');
  }
}

function undoOne(entries: readonly unknown[], index: number, unrestored: object[]): void {
  const target = entries[index + 1] as object;
  try {
    undoEntries.undoEntry(entries[index] as number, target, entries[index + 2], entries[index + 3]);
  } catch (error) {
    if (error !== undoEntries.IRREVERSIBLE && !(error instanceof TypeError)) throw error;
    unrestored[unrestored.length] = target;
  }
}

/** Applies entries, last first, and adds the inverse entries to `redoLog`. */
function undoEach(entries: readonly unknown[], redoLog: TaskUndoLog | undefined, unrestored: object[]): void {
  /** Objects with an `OBJECT` entry in `redoLog`. Only such an entry restores the order of properties. */
  const wholeObjects = new SafeSet<object>();
  const add: undoEntries.AddEntry | undefined =
    redoLog && ((kind, target, detail, value) => redoLog.takeEntry(kind, target, detail, value));
  for (let i = entries.length - ENTRY_WORDS; i >= 0; i -= ENTRY_WORDS) {
    const kind = entries[i] as number;
    const target = entries[i + 1] as object;
    // Elements of an array are always in the order of their indexes, so single entries suffice.
    const isOfProperties =
      kind === undoEntries.OBJECT || (kind === undoEntries.PROPERTY && !(isArray(target) && isIndex(entries[i + 2])));
    if (add !== undefined && !(isOfProperties && wholeObjects.has(target))) {
      const isWhole = isOfProperties && (kind === undoEntries.OBJECT || entries[i + 3] === undoEntries.ABSENT);
      if (isWhole) wholeObjects.add(target);
      undoEntries.addInverse(isWhole ? undoEntries.OBJECT : kind, target, entries[i + 2], add);
    }
    undoOne(entries, i, unrestored);
  }
}

function invertEach(entries: readonly unknown[], inverted: unknown[]): void {
  const add: undoEntries.AddEntry = (kind, target, detail, value) => {
    const index = inverted.length;
    inverted[index] = kind;
    inverted[index + 1] = target;
    inverted[index + 2] = detail;
    inverted[index + 3] = value;
  };
  for (let i = entries.length - ENTRY_WORDS; i >= 0; i -= ENTRY_WORDS)
    undoEntries.addInverse(entries[i] as number, entries[i + 1] as object, entries[i + 2], add);
}

const QUEUE_ACCESS: undoEntries.StateAccess<Realm, { queues: Queues; steps: number; context: Context }> = {
  read: (realm) => ({
    queues: internals.readQueues(realm),
    steps: realm.jobs.steps,
    context: realm.current.context,
  }),
  write(realm, { queues, steps, context }) {
    realm.jobs.clear();
    internals.writeQueues(realm, queues);
    realm.jobs.steps = steps;
    realm.current.context = context;
  },
};

const GENERATOR_ACCESS: undoEntries.StateAccess<GeneratorState, Frame | undefined> = {
  read: (generator) => GeneratorState.frame(generator),
  write: (generator, frame) => GeneratorState.setFrame(generator, frame),
};

function createEventualAccess(realm: Realm): undoEntries.StateAccess<Eventual, unknown> {
  const { rejections } = realm.parts;
  return {
    read(eventual) {
      const state = Eventual.read(eventual);
      if (isArray(state.waiting)) state.waiting = undoEntries.copyElements(state.waiting) as never;
      return { state, isReported: rejections.isReported(eventual) };
    },
    write(eventual, saved) {
      const { state, isReported } = saved as { state: EventualState; isReported: boolean };
      // A copy, because the eventual appends to its list of reactions in place.
      const waiting = isArray(state.waiting)
        ? (undoEntries.copyElements(state.waiting) as PendingReaction[])
        : state.waiting;
      Eventual.write(eventual, { ...state, waiting });
      rejections.setReported(eventual, isReported);
    },
  };
}

function createIteratorAccess(realm: Realm): undoEntries.StateAccess<object, unknown> {
  return {
    read: (iterator) => internals.read(realm, iterator),
    write: (iterator, state) => internals.fill(realm, iterator, state as CoreState),
  };
}

/** Own properties of a core object, as alternating keys and values. A property that was added becomes undefined. */
const FIELDS_ACCESS: undoEntries.StateAccess<AnyObject, unknown[]> = {
  read(object) {
    const keys = ownKeys(object);
    const values: unknown[] = [];
    for (let i = 0; i < keys.length; i++) {
      values[2 * i] = keys[i];
      values[2 * i + 1] = object[keys[i] as PropertyKey];
    }
    return values;
  },
  write(object, values) {
    for (let i = 0; i < values.length; i += 2) {
      const key = values[i] as PropertyKey;
      if (object[key] !== values[i + 1]) object[key] = values[i + 1];
    }
    const keys = ownKeys(object);
    for (let i = values.length / 2; i < keys.length; i++) object[keys[i] as PropertyKey] = undefined;
  },
};
