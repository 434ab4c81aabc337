// All that an undo log notes in one stretch: what the program writes, and what core's own objects are like before they change.

import { Eventual, type EventualState } from '../eventual.ts';
import { GeneratorState } from '../generator.ts';
import { internals, type CoreState, type Queues } from '../inspect.ts';
import { isArray, isObject, ownKeys } from '../intrinsics.ts';
import * as was from './own-state.ts';
import { SafeSet } from '../safe-collections.ts';
import { isIndex, ProgramNotes } from './program-notes.ts';
import type { Context, Frame, Waiting } from '../frame.ts';
import type { Realm } from '../realm.ts';
import type { Journal } from './journal.ts';

type AnyObject = Record<PropertyKey, unknown>;

/** An entry is four words. */
const ENTRY = 4;

export class Stretch extends ProgramNotes implements Journal {
  /** It is no part of the chain: whoever has begun it undoes it. */
  isAside = false;
  /** What is to be given back when everything else has been: places in Maps and Sets. */
  private readonly late: unknown[] = [];
  #eventuals: was.Access<Eventual, unknown> | undefined;
  #iterators: was.Access<object, unknown> | undefined;

  /** What waits when a stretch begins. */
  queues(): void {
    this.other(this.realm, QUEUES);
  }

  /** Undoes all entries, the last first. Answers the objects that could not be restored, and, if `isToBeRedone`, a stretch that undoes this again. */
  undo(isToBeRedone: boolean): { left: object[]; back: Stretch | undefined } {
    const back = isToBeRedone ? new Stretch(this.realm) : undefined;
    const left: object[] = [];
    // Places in collections are told by what is in them now.
    if (back !== undefined) invertEach(this.late, back.late);
    undoEach(this.noted, back, left);
    undoEach(this.late, undefined, left);
    return { left, back };
  }

  /** Sooner false than wrong. */
  get isReversible(): boolean {
    const { noted } = this;
    for (let i = 0; i < noted.length; i += ENTRY)
      if (was.isFixed(noted[i] as number, noted[i + 1] as object, noted[i + 2])) return false;
    return true;
  }

  /** As an entry of another stretch. */
  take(kind: number, target: object, first: unknown, second: unknown): void {
    this.add(kind, target, first, second);
  }

  eventual(eventual: object): void {
    if (this.isNew(eventual)) this.other(eventual as Eventual, (this.#eventuals ??= eventualsOf(this.realm)));
  }

  generator(generator: object): void {
    if (!this.isNew(generator)) return;
    this.other(generator as GeneratorState, GENERATOR);
    const frame = GeneratorState.frame(generator as GeneratorState);
    if (frame !== undefined) this.frame(frame);
  }

  frame(frame: object): void {
    if (!this.isNew(frame)) return;
    this.#fields(frame);
    const { more, result } = frame as Frame;
    for (let i = 0; i < 8; i++) this.#driver((frame as unknown as AnyObject)[`s${i}`]);
    for (let i = 0; i < (more?.length ?? 0); i++) this.#driver(more?.[i]);
    if (isObject(result) && !Eventual.has(result)) this.fields(result);
  }

  fields(object: object): void {
    if (this.isNew(object)) this.#fields(object);
  }

  /** Of those that hold no more than what the program gave them, and arrays of their own. */
  #fields(object: object): void {
    const keys = ownKeys(object);
    const values: unknown[] = [];
    for (let i = 0; i < keys.length; i++) {
      const value = (object as AnyObject)[keys[i] as PropertyKey];
      values[2 * i] = keys[i];
      values[2 * i + 1] = value;
      if (isArray(value)) this.elements(value);
    }
    this.add(was.OTHER, object, fieldsAccess, values);
  }

  /** What a slot may hold that moves with the frame, and is no object of the program's. */
  #driver(value: unknown): void {
    // To look at a proxy is to ask whoever is behind it.
    if (!isObject(value) || this.isProxy(value)) return;
    const state = internals.read(this.realm, value);
    if (state === undefined) return;
    switch (state.kind) {
      case 'iterator':
        return this.iterator(value);
      case 'forOf':
      case 'forIn':
      case 'delegate':
      case 'asyncDelegate':
      case 'arrayElements':
      case 'asyncIteration':
      case 'disposalStack':
      case 'asyncFromSync':
        if (!this.isNew(value)) return;
        this.#fields(value);
        this.#driver((value as AnyObject)['source']);
        this.#driver((value as AnyObject)['iterator']);
        this.#driver(((value as AnyObject)['record'] as AnyObject | undefined)?.['iterator']);
    }
  }

  /** Of core's: it knows its place. */
  iterator(iterator: object): void {
    if (!this.isNew(iterator)) return;
    const state = internals.read(this.realm, iterator);
    if (state === undefined) return;
    // Only when a Map has its entries again can its iterator be put where it was.
    const { late } = this;
    const at = late.length;
    late[at] = was.OTHER;
    late[at + 1] = iterator;
    late[at + 2] = this.#iterators ??= iteratorsOf(this.realm);
    late[at + 3] = state;
  }

  state<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void {
    if (this.isNew(object)) this.other(object, { read, write });
  }

  cell(cell: object): void {
    // A cell that has no value yet has no property of its own.
    this.property(cell, 'v');
  }
}

function undoOne(entries: readonly unknown[], at: number, left: object[]): void {
  const target = entries[at + 1] as object;
  try {
    was.undo(entries[at] as number, target, entries[at + 2], entries[at + 3]);
  } catch (error) {
    if (error !== was.IRREVERSIBLE && !(error instanceof TypeError)) throw error;
    left[left.length] = target;
  }
}

/** Backwards; what undoes that again goes to `back`. */
function undoEach(entries: readonly unknown[], back: Stretch | undefined, left: object[]): void {
  /** Objects of which all is in `back`: keys that go now come in their order, which is not that of what was noted. */
  const whole = new SafeSet<object>();
  const add: was.Add | undefined = back && ((kind, target, first, second) => back.take(kind, target, first, second));
  for (let i = entries.length - ENTRY; i >= 0; i -= ENTRY) {
    const kind = entries[i] as number;
    const target = entries[i + 1] as object;
    // Elements have an order of their own.
    const isOfProperties =
      kind === was.OBJECT || (kind === was.PROPERTY && !(isArray(target) && isIndex(entries[i + 2])));
    if (add !== undefined && !(isOfProperties && whole.has(target))) {
      const isWhole = isOfProperties && (kind === was.OBJECT || entries[i + 3] === was.ABSENT);
      if (isWhole) whole.add(target);
      was.inverse(isWhole ? was.OBJECT : kind, target, entries[i + 2], add);
    }
    undoOne(entries, i, left);
  }
}

function invertEach(entries: readonly unknown[], into: unknown[]): void {
  const add: was.Add = (kind, target, first, second) => {
    const at = into.length;
    into[at] = kind;
    into[at + 1] = target;
    into[at + 2] = first;
    into[at + 3] = second;
  };
  for (let i = entries.length - ENTRY; i >= 0; i -= ENTRY)
    was.inverse(entries[i] as number, entries[i + 1] as object, entries[i + 2], add);
}

const QUEUES: was.Access<Realm, { queues: Queues; steps: number; context: Context }> = {
  read: (realm) => ({
    queues: internals.readQueues(realm),
    steps: realm.jobs.steps,
    context: realm.now.context,
  }),
  write(realm, { queues, steps, context }) {
    realm.jobs.clear();
    internals.writeQueues(realm, queues);
    realm.jobs.steps = steps;
    realm.now.context = context;
  },
};

const GENERATOR: was.Access<GeneratorState, Frame | undefined> = {
  read: (generator) => GeneratorState.frame(generator),
  write: (generator, frame) => GeneratorState.setFrame(generator, frame),
};

function eventualsOf(realm: Realm): was.Access<Eventual, unknown> {
  const { rejections } = realm.parts;
  return {
    read(eventual) {
      const state = Eventual.read(eventual);
      if (isArray(state.waiting)) state.waiting = was.elementsOf(state.waiting) as never;
      return { state, isReported: rejections.isReported(eventual) };
    },
    write(eventual, saved) {
      const { state, isReported } = saved as { state: EventualState; isReported: boolean };
      // The list goes on growing in its place.
      const waiting = isArray(state.waiting) ? (was.elementsOf(state.waiting) as Waiting[]) : state.waiting;
      Eventual.write(eventual, { ...state, waiting });
      rejections.setReported(eventual, isReported);
    },
  };
}

function iteratorsOf(realm: Realm): was.Access<object, unknown> {
  return {
    read: (iterator) => internals.read(realm, iterator),
    write: (iterator, state) => internals.fill(realm, iterator, state as CoreState),
  };
}

/** Keys and values in turn, of those objects of core's that never get others. */
const fieldsAccess: was.Access<AnyObject, unknown[]> = {
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
  },
};
