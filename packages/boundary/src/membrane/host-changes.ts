// Changes that packages on the host side make to their copies of the program's plain data. Used only while recording:
// each change is recorded as an operation of the host on the program's object.
import { types } from 'node:util';
import { createHiddenField } from '@turntable/core';
import { OP, type Op } from './encoding.ts';

export interface HostChangesDeps {
  /** Returns the program object that `copy` was made from. */
  originalOf(copy: object): object | undefined;
  /** Records an operation on the program object that `copy` was made from, and performs it. */
  change(op: Op, copy: object, key: PropertyKey, values: readonly unknown[]): void;
}

const { getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isPromise } = types;

export class HostChanges {
  readonly #deps: HostChangesDeps;
  /** For each copy, its values when the two objects were last equal; of an accessor, its getter and setter. */
  readonly #knownValues = createHiddenField<Map<PropertyKey, unknown>>();

  /** Arguments of calls whose promise is not settled. */
  readonly #argumentsByPromise = new WeakMap<object, readonly unknown[]>();

  constructor(deps: HostChangesDeps) {
    this.#deps = deps;
  }

  /** Starts watching a new copy. */
  watch(copy: object): void {
    const values = new Map<PropertyKey, unknown>();
    for (const key of ownKeys(copy)) values.set(key, (copy as Record<PropertyKey, unknown>)[key]);
    this.#knownValues.set(copy, values);
  }

  /** Notes that a write or deletion of the program has been repeated on a copy. */
  noteWrite(copy: object, key: PropertyKey): void {
    const knownValues = this.#knownValues.get(copy);
    if (knownValues === undefined) return;
    const descriptor = getOwnPropertyDescriptor(copy, key);
    if (descriptor === undefined) knownValues.delete(key);
    else knownValues.set(key, descriptor.value);
  }

  /** Applies changes after a call of a package. @param args arguments of the call; some may be copies */
  afterCall(args: readonly unknown[], result: unknown): void {
    const hasCopies = this.apply(args);
    if (hasCopies && isPromise(result)) this.#argumentsByPromise.set(result, args);
    else this.apply([result]);
  }

  /** Applies changes that a call has made until its promise was settled. */
  afterSettlement(promise: object): void {
    const args = this.#argumentsByPromise.get(promise);
    if (args !== undefined) this.apply(args);
  }

  /** Applies changes of the copies among `values`, and of copies in them. Returns whether there are copies. */
  apply(values: readonly unknown[]): boolean {
    let visited: Set<object> | undefined;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (typeof value !== 'object' || value === null || this.#knownValues.get(value) === undefined) continue;
      this.#applyTo(value, (visited ??= new Set()));
    }
    return visited !== undefined;
  }

  #applyTo(copy: unknown, visited: Set<object>): void {
    if (typeof copy !== 'object' || copy === null || visited.has(copy)) return;
    const knownValues = this.#knownValues.get(copy);
    const original = knownValues === undefined ? undefined : this.#deps.originalOf(copy);
    if (knownValues === undefined || original === undefined) return;
    visited.add(copy);
    for (const key of ownKeys(copy)) {
      const descriptor = getOwnPropertyDescriptor(copy, key) as PropertyDescriptor;
      const { value, get, set } = descriptor as { readonly value: unknown } & PropertyDescriptor;
      const isKnown = knownValues.has(key);
      const isAccessor = get !== undefined || set !== undefined;
      if (isAccessor ? isKnown && knownValues.get(key) === get : isKnown && Object.is(knownValues.get(key), value)) {
        if (!isAccessor) this.#applyTo(value, visited);
        continue;
      }
      knownValues.set(key, isAccessor ? get : value);
      if (isAccessor) this.#deps.change(OP.define, copy, key, [true, descriptor.enumerable === true, get, set]);
      else this.#deps.change(OP.set, copy, key, [value]);
    }
    for (const key of knownValues.keys())
      if (getOwnPropertyDescriptor(copy, key) === undefined) {
        knownValues.delete(key);
        this.#deps.change(OP.delete, copy, key, []);
      }
  }
}
