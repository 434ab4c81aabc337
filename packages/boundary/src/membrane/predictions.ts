// What is known of what is outside, and so what a replay would answer by itself: what the program has read or set, and what a class of Node's has under a
// name in every process. An ask that is answered so leaves nothing in a trace. A recorded run and its replay know the same at each event.

import { types } from 'node:util';
import { KIND } from './crossing.ts';
import { NOTHING, Handle } from './handle.ts';
import { OPEN_PROTOTYPES } from './outer.ts';
import type { Statics } from './statics.ts';

export interface Handles {
  handleAt(proxy: object): Handle | undefined;
  /** What the program sees of something outside that is there in every process. */
  handleOf<T extends object>(native: T): T;
  /** A neutral function as the outside's. */
  boundHandle(fn: object): object;
}

/** While nothing is recorded nothing is known. */
export interface Rests {
  readonly isResting: boolean;
}

const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isProxy } = types;
const { toString: functionText } = Function.prototype;

export class Predictions {
  /** What was known in an earlier one is not known any more. */
  epoch = 0;
  readonly #statics: Statics;
  readonly #handles: Handles;
  readonly #rests: Rests;
  /** Rises whenever something that was there in every process is not what it was, or may not be. */
  #structure = 0;
  /** Methods that work on whatever they are given. */
  readonly #open: WeakSet<object>;

  constructor(statics: Statics, handles: Handles, rests: Rests) {
    this.#statics = statics;
    this.#handles = handles;
    this.#rests = rests;
    this.#open = new WeakSet(
      OPEN_PROTOTYPES.flatMap((each) =>
        ownKeys(each).flatMap((key) => {
          const value: unknown = getOwnPropertyDescriptor(each, key)?.value;
          return typeof value === 'function' && value !== functionText ? [value] : [];
        }),
      ),
    );
  }

  /** A snapshot begins, and who goes on from it knows nothing. */
  forget(): void {
    this.epoch++;
    this.#structure++;
  }

  knows(handle: Handle, key: PropertyKey): boolean {
    return handle.epoch === this.epoch && handle.known?.has(key) === true;
  }

  know(handle: Handle, key: PropertyKey, value: unknown): void {
    if (this.#rests.isResting) return;
    this.#begin(handle);
    handle.known ??= new Map();
    if (handle.path !== undefined && (!handle.known.has(key) || handle.known.get(key) !== value)) this.#structure++;
    handle.known.set(key, value);
  }

  knowsAbove(handle: Handle): boolean {
    return handle.epoch === this.epoch && handle.above !== NOTHING;
  }

  knowAbove(handle: Handle, above: object | null): void {
    if (this.#rests.isResting) return;
    this.#begin(handle);
    if (handle.path !== undefined) this.#structure++;
    handle.above = above === null ? null : (this.#handles.handleAt(above) ?? above);
  }

  #begin(handle: Handle): void {
    if (handle.epoch === this.epoch) return;
    handle.epoch = this.epoch;
    handle.known = undefined;
    handle.above = NOTHING;
  }

  /** A handle, what is neutral or inside, null, or nothing is known. */
  aboveOf(handle: Handle): unknown {
    if (this.knowsAbove(handle)) return handle.above;
    if (handle.path === undefined) return NOTHING;
    const above = getPrototypeOf(handle.native as object);
    if (above === null || this.#statics.isNeutral(above)) return above;
    return this.#statics.pathOf(above) === undefined ? NOTHING : this.#handles.handleAt(this.#handles.handleOf(above));
  }

  /** What a replay would say it is: what it was, or what a class of Node's has under that name. */
  predict(handle: Handle, key: PropertyKey): unknown {
    if (this.#rests.isResting) return NOTHING;
    if (handle.epoch === this.epoch && handle.known !== undefined) {
      const value = handle.known.get(key);
      if (value !== undefined || handle.known.has(key)) return value;
    }
    if (handle.path !== undefined) {
      const found = getOwnPropertyDescriptor(handle.native as object, key);
      if (found !== undefined) return this.#structural(handle.path, key, 'own', found);
    }
    const above = this.aboveOf(handle);
    const isStatic = handle.kind === KIND.function || handle.kind === KIND.method;
    if (!(above instanceof Handle)) return this.#atTop(above, key, isStatic);
    return isStatic || above.path === undefined
      ? this.#inherited(above, key, isStatic)
      : this.#inheritedByAll(above, key);
  }

  /** What all have that inherit from something static: it stays, as long as nothing of what is static changes. */
  #inheritedByAll(from: Handle, key: PropertyKey): unknown {
    if (from.inherited === undefined || from.inheritedAt !== this.#structure) {
      from.inherited = new Map();
      from.inheritedAt = this.#structure;
    }
    let value = from.inherited.get(key);
    if (value === undefined) {
      value = this.#inherited(from, key, false);
      if (from.inheritedAt === this.#structure && this.#isStructure && value !== NOTHING)
        from.inherited.set(key, value);
    }
    return value;
  }

  /** Whether all that the last look at what is inherited went by is static. */
  #isStructure = true;

  /** `isStatic`: a class inherits it. */
  #inherited(from: Handle, key: PropertyKey, isStatic: boolean): unknown {
    this.#isStructure = true;
    for (let at = from; ;) {
      if (this.knows(at, key)) return at.known?.get(key);
      if (at.path === undefined) this.#isStructure = false;
      else {
        const found = getOwnPropertyDescriptor(at.native as object, key);
        if (found !== undefined) return this.#structural(at.path, key, isStatic ? 'class' : 'object', found);
      }
      const above = this.aboveOf(at);
      if (!(above instanceof Handle)) return this.#atTop(above, key, isStatic);
      at = above;
    }
  }

  #atTop(above: unknown, key: PropertyKey, isStatic: boolean): unknown {
    if ((typeof above !== 'object' && typeof above !== 'function') || above === null) return NOTHING;
    return this.#statics.isNeutral(above) ? this.#neutral(above, key, isStatic) : NOTHING;
  }

  /** Only what has always been there: anything else may not be there in a replay. */
  #structural(path: string, key: PropertyKey, heir: 'own' | 'class' | 'object', found: PropertyDescriptor): unknown {
    const isOwn = heir === 'own';
    const value: unknown = found.value;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return NOTHING;
    if (!isOwn && this.isOpened(key, value, heir === 'class')) return this.#handles.boundHandle(value);
    if (this.#statics.isNeutral(value)) return value;
    const isAlways =
      this.#statics.pathOf(value)?.startsWith(`${path}.`) === true ||
      (isOwn && this.#statics.isAlias(path, key, value));
    return isAlways ? this.#handles.handleOf(value) : NOTHING;
  }

  /** Of a class of both sides, whose methods are the outside's where something outside inherits them. */
  #neutral(above: object, key: PropertyKey, isStatic: boolean): unknown {
    for (let at: object | null = above; at !== null && !isProxy(at); at = getPrototypeOf(at)) {
      const found = getOwnPropertyDescriptor(at, key);
      if (found === undefined) continue;
      const value: unknown = found.value;
      if (typeof value !== 'function' || !this.#statics.isNeutral(value)) return NOTHING;
      return this.isOpened(key, value, isStatic) ? this.#handles.boundHandle(value) : value;
    }
    return NOTHING;
  }

  /**
   * A neutral method that something outside inherits needs what is outside: it is asked for as the outside's. Not what a class inherits from one (`on` of
   * `node:stream` is that of `EventEmitter`), which needs nothing of it; but a function's text is Node's, if it is asked for by itself.
   */
  isOpened(key: PropertyKey, value: unknown, isStatic: boolean): value is object {
    return (!isStatic || key === 'toString') && this.isMethod(key, value);
  }

  isMethod(key: PropertyKey, value: unknown): value is object {
    return (
      typeof value === 'function' && key !== 'constructor' && !this.#open.has(value) && this.#statics.isNeutral(value)
    );
  }
}
