// Data that the program and a package share, in a recorded thread, where each side has its own object. `SharedData`
// repeats changes of the program on the host's copy. This class repeats changes that packages make to their copies: each
// is recorded as an operation of the host on the program's object.
import { types } from 'node:util';
import { createHiddenField } from '@turntable/core';
import { OP, type Op } from './encoding.ts';
import { SharedData, type SharedDataDeps, type SharedObjects } from './shared-data.ts';

export interface RecordedSharedDataDeps extends SharedDataDeps {
  /** Records an operation on the program object that `copy` was made from, and performs it. */
  change(op: Op, copy: object, key: PropertyKey, values: readonly unknown[]): void;
}

const { getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isPromise } = types;

export class RecordedSharedData extends SharedData {
  readonly #deps: RecordedSharedDataDeps;
  /** For each copy, its values when the two objects were last equal; of an accessor, its getter and setter. */
  readonly #knownValues = createHiddenField<Map<PropertyKey, unknown>>();
  /** Arguments of calls whose promise is not settled. */
  readonly #argumentsByPromise = new WeakMap<object, readonly unknown[]>();

  constructor(deps: RecordedSharedDataDeps) {
    super(deps);
    this.#deps = deps;
  }

  /** Starts watching a new copy that a package gets. */
  watch(copy: object): void {
    const values = new Map<PropertyKey, unknown>();
    for (const key of ownKeys(copy)) values.set(key, (copy as Record<PropertyKey, unknown>)[key]);
    this.#knownValues.set(copy, values);
  }

  /** Adds an object of the program that the host passes to it, if the host has a copy of the object. */
  addPassed(hostValue: unknown, programView: unknown): void {
    if (typeof hostValue !== 'object' || hostValue === null || hostValue === programView) return;
    if (this.#deps.originalOf(hostValue) === programView) this.add(programView, hostValue);
  }

  /** Like `startCallback`, after changes to the copies among the arguments have been applied. */
  startHostCallback(values: readonly unknown[], isEntry: boolean): SharedObjects | undefined {
    this.#applyAll(values);
    return this.startCallback(isEntry);
  }

  /** Applies changes after a call of a package. @param args arguments of the call; some may be copies */
  afterPackageCall(args: readonly unknown[], result: unknown): void {
    const hasCopies = this.#applyAll(args);
    if (hasCopies && isPromise(result)) this.#argumentsByPromise.set(result, args);
    else this.#applyAll([result]);
  }

  /** Applies changes that a call has made until its promise was settled. */
  afterSettlement(promise: object): void {
    const args = this.#argumentsByPromise.get(promise);
    if (args !== undefined) this.#applyAll(args);
  }

  protected override onCopyWritten(copy: object, key: PropertyKey): void {
    const knownValues = this.#knownValues.get(copy);
    if (knownValues === undefined) return;
    const descriptor = getOwnPropertyDescriptor(copy, key);
    if (descriptor === undefined) knownValues.delete(key);
    else knownValues.set(key, descriptor.value);
  }

  /** Applies changes of the copies among `values`, and of copies in them. Returns whether there are copies. */
  #applyAll(values: readonly unknown[]): boolean {
    let visited: Set<object> | undefined;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (typeof value !== 'object' || value === null || this.#knownValues.get(value) === undefined) continue;
      this.#apply(value, (visited ??= new Set()));
    }
    return visited !== undefined;
  }

  #apply(copy: unknown, visited: Set<object>): void {
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
        if (!isAccessor) this.#apply(value, visited);
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
