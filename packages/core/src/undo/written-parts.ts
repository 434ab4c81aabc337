// Which statement has written each part of an object last: of one sort of parts, its properties or what a Map has. Objects have few parts that are written, so they are looked through; nothing
// is made for one but two lists. All objects that a program writes have these, so they stand on the objects themselves: in a WeakMap each would take ten times as long.
import { is } from '../intrinsics.ts';
import { createMarks } from '../marks.ts';
import { SafeMap, SafeWeakMap } from '../safe-collections.ts';

/** A place in a run: list and statement within a stretch are both 0 where none of it has begun. */
export interface WrittenAt {
  readonly stretch: number;
  readonly list: number;
  readonly statement: number;
}

/** The statement there, as probes tell of it. */
export interface WritingAt extends WrittenAt {
  readonly file: string;
  readonly number: number;
}

/** What an object has: keys, and their values in the same order. */
export interface Held {
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];
}

/** In the place of a key: any of them. */
export const WHOLE: unique symbol = Symbol('whole');

/** Of more, nobody looks through. */
const FEW = 16;

export class WrittenParts {
  readonly #keys: unknown[] = [];
  readonly #ats: WritingAt[] = [];
  #many: SafeMap<unknown, WritingAt> | undefined;
  /** Something may have been written there that is not known yet; what the object had before. */
  #announced: { readonly at: WritingAt; readonly held: Held } | undefined;

  note(key: unknown, at: WritingAt): void {
    if (this.#many !== undefined) {
      this.#many.set(key, at);
      return;
    }
    const place = this.#placeOf(key);
    this.#keys[place] = key;
    this.#ats[place] = at;
    if (place < FEW) return;
    const many = (this.#many = new SafeMap<unknown, WritingAt>());
    for (let i = 0; i <= place; i++) many.set(this.#keys[i], this.#ats[i] as WritingAt);
  }

  at(key: unknown): WritingAt | undefined {
    return this.#many === undefined ? this.#ats[this.#placeOf(key)] : this.#many.get(key);
  }

  /** Behind the last one if it is none of them. */
  #placeOf(key: unknown): number {
    const keys = this.#keys;
    for (let i = 0; i < keys.length; i++) if (keys[i] === key || is(keys[i], key)) return i;
    return keys.length;
  }

  /** Some of them may be about to be written. @param held undefined if they are many */
  announce(at: WritingAt, held: Held | undefined): void {
    this.settle(held);
    if (held === undefined) this.note(WHOLE, at);
    else this.#announced = { at, held };
  }

  /** Where that was announced which is not known yet. */
  get announcedAt(): WritingAt | undefined {
    return this.#announced?.at;
  }

  /** By what is different now: what was announced is known from then on. */
  settle(now: Held | undefined): void {
    const announced = this.#announced;
    if (announced === undefined) return;
    this.#announced = undefined;
    const { at, held } = announced;
    if (now === undefined) return this.noteUnlessLater(WHOLE, at);
    const isAlike = held.keys === now.keys;
    for (let i = 0; i < now.keys.length; i++) {
      const before = isAlike ? i : placeIn(held.keys, now.keys[i], i);
      if (before === -1 || !is(held.values[before], now.values[i])) this.noteUnlessLater(now.keys[i], at);
    }
    if (isAlike) return;
    for (let i = 0; i < held.keys.length; i++)
      if (placeIn(now.keys, held.keys[i], i) === -1) this.noteUnlessLater(held.keys[i], at);
  }

  noteUnlessLater(key: unknown, at: WritingAt): void {
    const known = this.at(key);
    if (known === undefined || !isLater(known, at)) this.note(key, at);
  }
}

/** Mostly it is where it was. */
function placeIn(keys: readonly unknown[], key: unknown, likely: number): number {
  if (keys[likely] === key) return likely;
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return i;
  return -1;
}

/** All that is noted of one object. */
export class WrittenObject {
  /** By whom. */
  readonly owner: object;
  properties: WrittenParts | undefined = undefined;
  privates: WrittenParts | undefined = undefined;
  variables: WrittenParts | undefined = undefined;
  entries: WrittenParts | undefined = undefined;
  /** Statements in the course of which it came into being: the first one, and the last. */
  made: WritingAt | undefined = undefined;
  finished: WritingAt | undefined = undefined;

  constructor(owner: object) {
    this.owner = owner;
  }
}

const noted = createMarks<WrittenObject>();
/** Of the global object, which takes none. */
const ofGlobals = new SafeWeakMap<object, WrittenObject>();

/** What somebody has noted of an object. */
export function notesOf(object: object, owner: object): WrittenObject | undefined {
  const notes = object === globalThis ? ofGlobals.get(object) : noted.of(object);
  return notes?.owner === owner ? notes : undefined;
}

export function notesFor(object: object, owner: object): WrittenObject {
  const known = notesOf(object, owner);
  if (known !== undefined) return known;
  const notes = new WrittenObject(owner);
  if (object === globalThis) ofGlobals.set(object, notes);
  else noted.put(object, notes);
  return notes;
}

export function isLater(one: WrittenAt, other: WrittenAt): boolean {
  return (one.stretch - other.stretch || one.list - other.list || one.statement - other.statement) > 0;
}
