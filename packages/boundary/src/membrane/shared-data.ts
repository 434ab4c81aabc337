// Plain data of the program that the host has copied and that the program gets back: as an argument of a callback,
// or in data of a package. Each side has its own object, so each write of the program is repeated on the host's copy
// before the host can see it: when the callback returns, when the promise that it returned is settled, and before the
// program calls a function of a package.
//
// Invariant: a recorded run and its replay compare the same objects at the same events, because values that the program
// has written are exported, and exports get numbers. Only the recorded run has copies.
import { Eventual, PENDING } from '@turntable/core';
import { HANDLE_KIND } from './encoding.ts';
import { enumerableKeys, type ExportForm } from './export-form.ts';
import type { Handle } from './handle.ts';

export interface SharedDataDeps {
  /** Whether the object crosses as a view, not as a copy. */
  hasView(value: object): boolean;
  exportForm(value: object): ExportForm;
  /** Returns the program object that `copy` was made from. */
  originalOf(copy: object): object | undefined;
  /** Exports a value that the program has written. */
  toHost(value: unknown): unknown;
}

/** State of an object when it was last compared. */
interface SharedObject {
  /** The host's copy; undefined in a replay. */
  readonly copy: object | undefined;
  /** Number of elements of an array. */
  length: number;
  readonly values: Map<PropertyKey, unknown>;
}

/** Objects that the program got during one callback, or outside of callbacks. */
export type SharedObjects = Map<object, SharedObject>;

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, has } = Reflect;

export class SharedData {
  readonly #deps: SharedDataDeps;
  /** Objects of the innermost running callback. */
  #current: SharedObjects | undefined;
  /** Objects of callbacks whose promises have been settled since the last update. */
  #settled: SharedObjects[] = [];

  constructor(deps: SharedDataDeps) {
    this.#deps = deps;
  }

  /** Notes that a write or deletion has been repeated on a copy. */
  protected onCopyWritten(_copy: object, _key: PropertyKey): void {}

  /** Adds an object that the program gets, unless it is no plain data. @param copy the host's copy, while recording */
  add(original: unknown, copy: unknown): void {
    if (typeof original !== 'object' || original === null) return;
    if (this.#isPlain(original)) this.#add((this.#current ??= new Map()), original, copy as object | undefined);
  }

  /** Whether the object is one that the program got during the running callback. */
  has(value: unknown): value is object {
    return this.#current !== undefined && this.#current.has(value as object);
  }

  /** The host's copy of an object for which `has` is true; in a replay, the object itself. */
  copyOf(original: object): object {
    return this.#current?.get(original)?.copy ?? original;
  }

  /** Starts a callback of the host. Returns what `endCallback` needs. @param isEntry whether no host call is running */
  startCallback(isEntry: boolean): SharedObjects | undefined {
    if (isEntry) this.#updateSettled();
    const outer = this.#current;
    if (outer !== undefined) this.#update(outer);
    this.#current = undefined;
    return isEntry ? undefined : outer;
  }

  /** Ends a callback. @param result of the program */
  endCallback(outer: SharedObjects | undefined, result: unknown): void {
    const objects = this.#current;
    this.#current = outer;
    if (objects === undefined) return;
    this.#update(objects);
    if (!Eventual.is(result) || Eventual.state(result) !== PENDING) return;
    const settled = this.#settled;
    Eventual.onSettled(result, () => void settled.push(objects));
  }

  /** Must be called before the program calls a function of a package. */
  beforePackageCall(): void {
    this.#updateSettled();
    if (this.#current !== undefined) this.#update(this.#current);
  }

  /** Forgets all objects at a cut, because a replay that starts there knows none. */
  forget(): void {
    this.#current = undefined;
    // Promises that are pending keep the earlier list.
    this.#settled = [];
  }

  #updateSettled(): void {
    if (this.#settled.length === 0) return;
    for (const objects of this.#settled.splice(0)) this.#update(objects);
  }

  #isPlain(value: object): boolean {
    if (this.#deps.hasView(value)) return false;
    const form = this.#deps.exportForm(value);
    return form === 'plain' || form === 'array';
  }

  #add(objects: SharedObjects, original: object, copy: object | undefined): void {
    if (objects.has(original)) return;
    const shared: SharedObject = { copy, length: lengthOf(original), values: new Map() };
    objects.set(original, shared);
    for (const key of enumerableKeys(original)) {
      const descriptor = getOwnPropertyDescriptor(original, key);
      if (descriptor === undefined || !('value' in descriptor)) continue;
      const value: unknown = descriptor.value;
      shared.values.set(key, value);
      if (typeof value !== 'object' || value === null || !this.#isPlain(value)) continue;
      const member: unknown = copy === undefined ? undefined : getOwnPropertyDescriptor(copy, key)?.value;
      const isCopy = typeof member === 'object' && member !== null && this.#deps.originalOf(member) === value;
      this.#add(objects, value, isCopy ? member : undefined);
    }
  }

  #update(objects: SharedObjects): void {
    for (const [original, shared] of objects) this.#updateObject(objects, original, shared);
  }

  #updateObject(objects: SharedObjects, original: object, shared: SharedObject): void {
    const { copy, values } = shared;
    let remaining = values.size;
    for (const key of enumerableKeys(original)) {
      const descriptor = getOwnPropertyDescriptor(original, key);
      if (descriptor === undefined || !('value' in descriptor)) continue;
      const value: unknown = descriptor.value;
      const isKnown = values.has(key);
      if (isKnown) remaining--;
      if (isKnown && Object.is(values.get(key), value)) continue;
      values.set(key, value);
      const hostValue = this.#toHost(objects, value);
      if (copy === undefined) continue;
      write(copy, key, hostValue);
      this.onCopyWritten(copy, key);
    }
    if (remaining > 0)
      for (const key of values.keys()) {
        if (getOwnPropertyDescriptor(original, key) !== undefined) continue;
        values.delete(key);
        if (copy === undefined) continue;
        deleteProperty(copy, key);
        this.onCopyWritten(copy, key);
      }
    const length = lengthOf(original);
    if (length === shared.length) return;
    shared.length = length;
    if (copy === undefined) return;
    (copy as unknown[]).length = length;
    this.onCopyWritten(copy, 'length');
  }

  #toHost(objects: SharedObjects, value: unknown): unknown {
    if (typeof value !== 'object' || value === null || !this.#isPlain(value)) return this.#deps.toHost(value);
    const known = objects.get(value);
    if (known !== undefined) return known.copy ?? value;
    const hostValue = this.#deps.toHost(value) as object;
    this.#add(objects, value, hostValue === value ? undefined : hostValue);
    return hostValue;
  }
}

/** Whether the host object of a handle is an array or a record, as a replay knows, too. */
export function isPlainData({ path, surrogateKind, kind, label }: Handle): boolean {
  if (path !== undefined || surrogateKind !== undefined) return false;
  return kind === HANDLE_KIND.array || (kind === HANDLE_KIND.object && label === 'Object');
}

function lengthOf(value: object): number {
  return Array.isArray(value) ? value.length : 0;
}

/** Writes a property of a copy. An assignment to `__proto__` would set the prototype. */
function write(copy: object, key: PropertyKey, value: unknown): void {
  const descriptor = getOwnPropertyDescriptor(copy, key);
  if (descriptor === undefined && has(copy, key))
    defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  else Reflect.set(copy, key, value);
}
