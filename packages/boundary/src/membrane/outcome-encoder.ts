// Converts host values to the program's views of them, and encodes them for the trace. `outcome-decoder.ts` makes the
// same views from the trace.
import { types } from 'node:util';
import { encodeBytes, FIXED_FLAG, VALUE_FORM, PROPERTY_KIND, type EncodedValue, type SymbolTable } from './encoding.ts';
import { encodeError, encodeErrorOnly, isError } from './error-encoding.ts';
import { MET_MARK } from './surrogates.ts';
import { Handle, handleKindOf, UNPREDICTED } from './handle.ts';
import type { Marks, MembraneCounters } from './marks.ts';
import { enumerableKeys } from './export-form.ts';
import type { RecordedHandles } from './recorded-handles.ts';
import type { Statics } from './static-objects.ts';

const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isProxy, isPromise, isDate, isAnyArrayBuffer, isSharedArrayBuffer } = types;
const { prototype: promisePrototype } = Promise;

export interface OutcomeEncoderDeps {
  readonly statics: Statics;
  readonly symbols: SymbolTable;
  readonly marks: Marks;
  readonly numbers: MembraneCounters;
  readonly handles: RecordedHandles;
  /** The current prediction generation. */
  generation(): number;
  rememberPrototype(handle: Handle, prototype: object): void;
  /** Exports an object that both sides use as it is. */
  adopt(value: object): void;
  /** Creates the program's promise for a native one. @param source the function of a package that has returned it */
  createPromise(hostObject: object, source: Handle | undefined): object;
  /** Notes a copy of plain data that the function `copySource` has returned. */
  onReturned(hostObject: object, copy: object, source: Handle): void;
  /** Export number of the program's signal that was aborted with this reason; undefined if there is none. */
  signalAbortedBy(reason: object): number | undefined;
  reportUnreplayable(use: string): void;
}

/** Label and prototype that the handles of all objects with one native prototype share. */
interface HandleTemplate {
  readonly label: string;
  readonly prototype: Handle | undefined;
}

export class OutcomeEncoder {
  readonly #deps: OutcomeEncoderDeps;
  /** Encoding of the last converted value. */
  encoded: EncodedValue;
  /** The function of a package that has returned the value, or has fulfilled its promise with the value. */
  copySource: Handle | undefined;

  constructor(deps: OutcomeEncoderDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the program's view of a value, and sets `encoded`.
   * @param isUnshared whether the host keeps no reference
   */
  toProgram(value: unknown, isUnshared: boolean): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      this.encoded = typeof value === 'symbol' ? this.#deps.symbols.encode(value) : (value as EncodedValue);
      return value;
    }
    const { marks, statics } = this.#deps;
    const mark = marks.get(value);
    if (mark !== undefined) {
      if (mark instanceof Handle) return this.encodeHandle(mark);
      this.encoded = [VALUE_FORM.exported, mark.number];
      return mark.programObject;
    }
    if (statics.isNeutral(value)) {
      this.encoded = [VALUE_FORM.neutral, statics.neutralPathOf(value) ?? ''];
      return value;
    }
    if (statics.pathOf(value) !== undefined) return this.encodeHandle(this.#deps.handles.ofStatic(value));
    return this.#admitNew(value, isUnshared);
  }

  encodeHandle(handle: Handle): object {
    if (handle.number >= 0) {
      const { number, kind, label } = handle;
      const generation = this.#deps.generation();
      const isDescribed = handle.describedGeneration === generation || handle.path !== undefined;
      this.encoded = isDescribed ? [VALUE_FORM.handle, number] : [VALUE_FORM.handle, number, kind, label];
      handle.describedGeneration = generation;
    } else {
      this.#deps.numbers.assign(handle);
      this.encoded = [VALUE_FORM.static, handle.path];
    }
    return handle.proxy;
  }

  /** Returns the view that the program already has of a value; `fallback` if the value is new. */
  knownView(value: unknown, fallback: unknown): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const mark = this.#deps.marks.get(value);
    if (mark !== undefined) return mark instanceof Handle ? mark.proxy : mark.programObject;
    return this.#deps.statics.isNeutral(value) ? value : fallback;
  }

  /** Like `toProgram`, but encodes new values only, for a paused tape. */
  toProgramUnrecorded(value: unknown, isUnshared: boolean): unknown {
    if (typeof value === 'symbol') this.#deps.symbols.register(value);
    const view = this.knownView(value, UNPREDICTED);
    return view === UNPREDICTED ? this.toProgram(value, isUnshared) : view;
  }

  /** Converts a property descriptor. Plain data in it becomes a handle, not a copy, since the host keeps the data. */
  encodeDescriptor(propertyDescriptor: PropertyDescriptor | undefined): unknown {
    if (propertyDescriptor === undefined) return (this.encoded = undefined);
    const isValue = 'value' in propertyDescriptor;
    const enumerable = propertyDescriptor.enumerable === true;
    const valueOrGetter = isValue
      ? propertyDescriptor.writable === true
      : this.toProgram(propertyDescriptor.get, false);
    const encodedFirst = isValue ? propertyDescriptor.writable === true : this.encoded;
    const valueOrSetter = this.toProgram(isValue ? propertyDescriptor.value : propertyDescriptor.set, false);
    const propertyKind =
      (isValue ? PROPERTY_KIND.data : PROPERTY_KIND.accessor) +
      (propertyDescriptor.configurable === true ? 0 : FIXED_FLAG);
    this.encoded = [VALUE_FORM.array, propertyKind, enumerable, encodedFirst, this.encoded];
    return [propertyKind, enumerable, valueOrGetter, valueOrSetter];
  }

  /** Encodes an error that may be the program's own, in which case the replayed program creates it. */
  encodeErrorOnly(error: Error): void {
    this.#deps.adopt(error);
    this.encoded = encodeErrorOnly(error, this.#deps.statics);
  }

  /** Returns a native promise as a handle, not as a promise of the program. */
  promiseHandle(hostObject: object): object {
    if (this.isKnown(hostObject)) return this.toProgram(hostObject, false) as object;
    return this.#newHandle(hostObject, { label: 'Promise', prototype: undefined });
  }

  readonly encodeKey = (key: PropertyKey): EncodedValue =>
    typeof key === 'symbol' ? this.#deps.symbols.encode(key) : String(key);

  #admitNew(value: object, isUnshared: boolean): unknown {
    if (isProxy(value)) return this.#newHandle(value, { label: '', prototype: undefined });
    if (typeof value === 'function')
      return this.#newHandle(value, { label: functionName(value), prototype: undefined });
    const prototype = getPrototypeOf(value);
    const template = prototype === null ? undefined : this.#templates.get(prototype);
    if (template !== undefined) return this.#newHandle(value, template);
    const kind = this.#deps.handles.surrogateKindOf(prototype);
    if (kind !== undefined) return this.#makeSurrogate(value, kind);
    if (isUnshared && isData(value)) return this.#copy(value, new Set());
    if (isBytes(value)) {
      this.#deps.adopt(value);
      this.encoded = encodeBytes(value);
      return value;
    }
    if (isDate(value)) {
      this.#deps.adopt(value);
      this.encoded = [VALUE_FORM.date, value.getTime()];
      return value;
    }
    if (isError(value)) {
      const signal = this.#deps.signalAbortedBy(value);
      this.#deps.adopt(value);
      if (signal !== undefined) {
        this.encoded = [VALUE_FORM.abortReason, signal];
        return value;
      }
      this.encoded = encodeError(value, this.#deps.statics, this.encodeKey, (member) => {
        const programValue = this.toProgram(member, true);
        return { programValue, encoded: this.encoded };
      });
      return value;
    }
    if (isPromise(value) && isOrdinaryPromise(prototype)) {
      const promise = this.#deps.createPromise(value, this.copySource);
      this.encoded = [VALUE_FORM.promise];
      return promise;
    }
    if (isSharedArrayBuffer(value)) this.#deps.reportUnreplayable('SharedArrayBuffer');
    return this.#newHandle(value, this.#templateOf(value, prototype));
  }

  /** Templates by native prototype. Objects with one prototype have equal internal slots. */
  readonly #templates = new WeakMap<object, HandleTemplate>();

  #templateOf(value: object, prototype: object | null): HandleTemplate {
    const { statics } = this.#deps;
    const label = className(value);
    if (prototype === null || isProxy(prototype) || statics.pathOf(prototype) === undefined)
      return { label, prototype: undefined };
    const template = { label, prototype: this.#deps.handles.ofStatic(prototype) };
    this.#templates.set(prototype, template);
    return template;
  }

  #newHandle(hostObject: object, { label, prototype: prototypeHandle }: HandleTemplate): object {
    const handle = this.#deps.handles.create(hostObject, handleKindOf(hostObject), label);
    let encodedPrototype: EncodedValue = null;
    if (prototypeHandle !== undefined) {
      this.encodeHandle(prototypeHandle);
      encodedPrototype = this.encoded;
      this.#deps.rememberPrototype(handle, prototypeHandle.proxy);
    }
    this.encoded = [VALUE_FORM.newHandle, handle.kind, label, encodedPrototype];
    return handle.proxy;
  }

  /** Creates a surrogate, whose number follows the numbers of its initial values. */
  #makeSurrogate(hostObject: object, kind: number): object {
    const { initialKeys, make } = this.#deps.handles.surrogateType(kind);
    const encoded: EncodedValue[] = [VALUE_FORM.surrogate, kind];
    const initialValues: unknown[] = [];
    for (let i = 0; i < initialKeys.length; i++) {
      initialValues.push(
        this.toProgram((hostObject as Record<PropertyKey, unknown>)[initialKeys[i] as PropertyKey], false),
      );
      encoded.push(this.encoded);
    }
    Reflect.set(hostObject, MET_MARK, true);
    const { proxy } = this.#deps.handles.createSurrogate(hostObject, kind, make(...initialValues), initialValues);
    this.encoded = encoded;
    return proxy;
  }

  #copy(value: object, ancestors: Set<object>): object {
    ancestors.add(value);
    const copy = Array.isArray(value) ? this.#copyList(value, ancestors) : this.#copyRecord(value, ancestors);
    ancestors.delete(value);
    if (this.copySource !== undefined) this.#deps.onReturned(value, copy, this.copySource);
    return copy;
  }

  #copyList(value: readonly unknown[], ancestors: Set<object>): unknown[] {
    const copy: unknown[] = [];
    const encoded: EncodedValue[] = [VALUE_FORM.array];
    for (let i = 0; i < value.length; i++) {
      copy.push(this.#copyMember(value[i], ancestors));
      encoded.push(this.encoded);
    }
    this.encoded = encoded;
    return copy;
  }

  #copyRecord(value: object, ancestors: Set<object>): object {
    const hasNullPrototype = getPrototypeOf(value) !== Object.prototype;
    const copy = (hasNullPrototype ? Object.create(null) : {}) as Record<PropertyKey, unknown>;
    const encoded: EncodedValue[] = [VALUE_FORM.plain, hasNullPrototype];
    for (const key of enumerableKeys(value)) {
      const programValue = this.#copyMember((value as Record<PropertyKey, unknown>)[key], ancestors);
      // An assignment to `__proto__` would set the prototype.
      if (!hasNullPrototype && key in copy)
        Object.defineProperty(copy, key, { value: programValue, writable: true, enumerable: true, configurable: true });
      else copy[key] = programValue;
      encoded.push(this.encodeKey(key), this.encoded);
    }
    this.encoded = encoded;
    return copy;
  }

  #copyMember(member: unknown, ancestors: Set<object>): unknown {
    if (this.isNewData(member))
      return ancestors.has(member) ? this.toProgram(member, false) : this.#copy(member, ancestors);
    return this.toProgram(member, true);
  }

  // Owned results: data that native code has created for the caller and does not keep, so that no copy is needed.

  /** Methods `next` of native iterators that yield owned results. */
  readonly #ownedIterators = new WeakSet<object>();

  resultKindOf({ path, hostObject }: Handle): number {
    if (path === undefined)
      return this.#ownedIterators.has(hostObject as object) ? RESULT_KIND.step : RESULT_KIND.nothing;
    return OWNED_RESULTS.get(path) ?? RESULT_KIND.nothing;
  }

  encodeOwnedResult(resultKind: number, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return this.toProgram(value, true);
    if (resultKind === RESULT_KIND.rows) return this.#encodeOwned(value);
    if (resultKind === RESULT_KIND.step) return this.#encodeOwnedStep(value as PlainRecord);
    const { next } = value as { next?: unknown };
    if (typeof next === 'function') this.#ownedIterators.add(next);
    return this.toProgram(value, false);
  }

  /** Encodes a step of an iterator. The record in it is encoded directly, which halves the cost. */
  #encodeOwnedStep(step: PlainRecord): object {
    const { value } = step;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.toProgram(step, true) as object;
    const encoded: EncodedValue[] = [VALUE_FORM.plain, getPrototypeOf(step) !== Object.prototype];
    for (const key of Object.keys(step)) {
      if (key === 'value') this.#encodeOwnedRecord(value as PlainRecord);
      encoded.push(key, key === 'value' ? this.encoded : (step[key] as EncodedValue));
    }
    this.encoded = encoded;
    return step;
  }

  /** Encodes a record, a list of records with equal keys, or any other value. */
  #encodeOwned(value: object): unknown {
    if (!Array.isArray(value)) return this.#encodeOwnedRecord(value as PlainRecord);
    const rows: readonly unknown[] = value;
    const first = rows[0];
    if (typeof first !== 'object' || first === null || Array.isArray(first) || Object.keys(first).length === 0)
      return this.toProgram(value, true);
    this.#encodeOwnedRows(rows as readonly PlainRecord[], first as PlainRecord);
    return value;
  }

  #encodeOwnedRecord(record: PlainRecord): object {
    const encoded: EncodedValue[] = [VALUE_FORM.plain, getPrototypeOf(record) !== Object.prototype];
    for (const key of Object.keys(record)) encoded.push(key, this.#encodeMember(record, key));
    this.encoded = encoded;
    return record;
  }

  #encodeOwnedRows(rows: readonly PlainRecord[], first: PlainRecord): void {
    const encoded: EncodedValue[] = [VALUE_FORM.rows, getPrototypeOf(first) !== Object.prototype, rows.length];
    for (const key of Object.keys(first)) {
      const column: EncodedValue[] = [];
      for (let i = 0; i < rows.length; i++) column.push(this.#encodeMember(rows[i] as PlainRecord, key));
      encoded.push(key, column);
    }
    this.encoded = encoded;
  }

  #encodeMember(record: PlainRecord, key: string): EncodedValue {
    const value = record[key];
    if (typeof value !== 'object' || value === null) return value as EncodedValue;
    const programValue = this.toProgram(value, true);
    if (programValue !== value) record[key] = programValue;
    return this.encoded;
  }

  /** Whether a value is data that has not crossed yet. */
  isNewData(value: unknown): value is object {
    return typeof value === 'object' && value !== null && !isProxy(value) && isData(value) && !this.isKnown(value);
  }

  isKnown(value: object): boolean {
    return this.#deps.marks.get(value) !== undefined || this.#deps.statics.isNeutral(value);
  }
}

type PlainRecord = Record<string, unknown>;

/** Results that the host does not keep: rows, an iterator of rows, a step of such an iterator. */
export const RESULT_KIND = { nothing: 0, rows: 1, iterator: 2, step: 3 } as const;

const OWNED_RESULTS: ReadonlyMap<string, number> = new Map([
  ['sqlite.StatementSync.prototype.get', RESULT_KIND.rows],
  ['sqlite.StatementSync.prototype.all', RESULT_KIND.rows],
  ['sqlite.StatementSync.prototype.iterate', RESULT_KIND.iterator],
]);

/** Whether a value is an array or a record. An object with functions or accessors, such as a module, is not data. */
function isData(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype = getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && !isEmpty(prototype)) return false;
  for (const key of ownKeys(value)) {
    const descriptor = getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || !('value' in descriptor) || typeof descriptor.value === 'function') return false;
  }
  return true;
}

/**
 * Whether promises with a prototype are of the language's own class, of any realm. An instance of a subclass becomes a
 * handle: it has own members, and its class may override `then` or have a constructor that `then` cannot call.
 */
function isOrdinaryPromise(prototype: object | null): boolean {
  // In a recorded thread, native promises inherit from the program's class.
  if (prototype === promisePrototype) return true;
  if (prototype === null || isProxy(prototype)) return false;
  // In another realm they inherit from `Object.prototype`; Node's `SafePromise` has no parent.
  const parent = getPrototypeOf(prototype);
  return parent === null || (!isProxy(parent) && getPrototypeOf(parent) === null);
}

/** Whether a prototype is empty. Packages use empty prototypes for fast records without inherited members. */
function isEmpty(prototype: object): boolean {
  return !isProxy(prototype) && getPrototypeOf(prototype) === null && ownKeys(prototype).length === 0;
}

function isBytes(value: object): value is ArrayBufferView | ArrayBuffer {
  return ArrayBuffer.isView(value) || (isAnyArrayBuffer(value) && !isSharedArrayBuffer(value));
}

function functionName(hostObject: object): string {
  const name: unknown = getOwnPropertyDescriptor(hostObject, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

function className(hostObject: object): string {
  for (let holder = getPrototypeOf(hostObject); holder !== null && !isProxy(holder); holder = getPrototypeOf(holder)) {
    const type: unknown = getOwnPropertyDescriptor(holder, 'constructor')?.value;
    if (typeof type === 'function' && !isProxy(type)) return type.name;
  }
  return '';
}
