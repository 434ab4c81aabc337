// What comes in from the outside while it is recorded: as the program is to see it, and as the trace tells it.
import { types } from 'node:util';
import type { Marks } from '@turntable/core';
import { codeBytes, FIXED, FORM, PROPERTY, type Coded, type SymbolNumbers } from './crossing.ts';
import { codeError, codeErrorAlone, isError } from './errors.ts';
import { MET, type HandMade } from './hand-made.ts';
import { Handle, NOTHING } from './handle.ts';
import { kindOf, type Exported, type Numbers } from './membrane.ts';
import { enumerableKeys } from './outer.ts';
import type { Statics } from './statics.ts';

const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isProxy, isPromise, isDate, isAnyArrayBuffer, isSharedArrayBuffer } = types;

export interface IncomingParts {
  readonly statics: Statics;
  readonly symbols: SymbolNumbers;
  readonly marks: Marks<Handle | Exported>;
  readonly numbers: Numbers;
  /** After which snapshot that is. */
  epoch(): number;
  /** Of something with a path. */
  staticHandle(native: object): Handle;
  /** Of something that has none yet. */
  newHandle(native: object, kind: number, label: string): Handle;
  knowAbove(handle: Handle, above: object): void;
  /** Of hand-made objects for what is below the prototype. */
  kindBelow(prototype: object | null): number | undefined;
  source(kind: number): HandMade;
  newHandMade(native: object, kind: number, object: object, facts: readonly unknown[]): Handle;
  /** It is the program's from now on, and the outside has it. */
  adopt(value: object): void;
  /** The program's, for a native one. */
  promise(native: object): object;
  /** Of a signal that the outside has, and that was aborted for this. */
  signalAbortedBy(reason: object): number | undefined;
  cannotReplay(what: string): void;
}

/** What a native class or prototype makes, once one has been met. */
interface Made {
  readonly label: string;
  readonly above: Handle | undefined;
}

export class Incoming {
  readonly #parts: IncomingParts;
  /** What the trace says of what came in last. */
  coded: Coded;

  constructor(parts: IncomingParts) {
    this.#parts = parts;
  }

  /** As the program is to see it. `isFresh`: nobody outside keeps it, if it is data. */
  in(value: unknown, isFresh: boolean): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      this.coded = typeof value === 'symbol' ? this.#parts.symbols.code(value) : (value as Coded);
      return value;
    }
    const { marks, statics } = this.#parts;
    const mark = marks.of(value);
    if (mark !== undefined) {
      if (mark instanceof Handle) return this.handle(mark);
      this.coded = [FORM.exported, mark.number];
      return mark.inside;
    }
    if (statics.isNeutral(value)) {
      this.coded = [FORM.neutral, statics.neutralPathOf(value) ?? ''];
      return value;
    }
    if (statics.pathOf(value) !== undefined) return this.handle(this.#parts.staticHandle(value));
    return this.#meet(value, isFresh);
  }

  handle(handle: Handle): object {
    if (handle.number >= 0) {
      const { number, kind, label } = handle;
      const epoch = this.#parts.epoch();
      const isTold = handle.told === epoch || handle.path !== undefined;
      this.coded = isTold ? [FORM.handle, number] : [FORM.handle, number, kind, label];
      handle.told = epoch;
    } else {
      this.#parts.numbers.giveTo(handle);
      this.coded = [FORM.static, handle.path];
    }
    return handle.proxy;
  }

  /** What `in` would answer, of what the program has already; `otherwise`, of what is new. */
  seen(value: unknown, otherwise: unknown): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const mark = this.#parts.marks.of(value);
    if (mark !== undefined) return mark instanceof Handle ? mark.proxy : mark.inside;
    return this.#parts.statics.isNeutral(value) ? value : otherwise;
  }

  /** As `in`, while nobody wants to know what the trace would say. */
  atRest(value: unknown, isFresh: boolean): unknown {
    if (typeof value === 'symbol') this.#parts.symbols.meet(value);
    const seen = this.seen(value, NOTHING);
    return seen === NOTHING ? this.in(value, isFresh) : seen;
  }

  /** Of a property that is looked at, not asked for: what it holds is alive. */
  descriptor(found: PropertyDescriptor | undefined): unknown {
    if (found === undefined) return (this.coded = undefined);
    const isValue = 'value' in found;
    const enumerable = found.enumerable === true;
    const first = isValue ? found.writable === true : this.in(found.get, false);
    const codedFirst = isValue ? found.writable === true : this.coded;
    const second = this.in(isValue ? found.value : found.set, false);
    const what = (isValue ? PROPERTY.data : PROPERTY.accessor) + (found.configurable === true ? 0 : FIXED);
    this.coded = [FORM.array, what, enumerable, codedFirst, this.coded];
    return [what, enumerable, first, second];
  }

  /** One that may be the program's: a run again has its own then. */
  errorAlone(error: Error): void {
    this.#parts.adopt(error);
    this.coded = codeErrorAlone(error, this.#parts.statics);
  }

  /** A native promise in whose place the program has none. */
  promiseItself(native: object): object {
    if (this.isKnown(native)) return this.in(native, false) as object;
    return this.#newHandle(native, { label: 'Promise', above: undefined });
  }

  readonly codeKey = (key: PropertyKey): Coded =>
    typeof key === 'symbol' ? this.#parts.symbols.code(key) : String(key);

  #meet(value: object, isFresh: boolean): unknown {
    if (isProxy(value)) return this.#newHandle(value, { label: '', above: undefined });
    if (typeof value === 'function') return this.#newHandle(value, { label: functionName(value), above: undefined });
    const above = getPrototypeOf(value);
    const made = above === null ? undefined : this.#made.get(above);
    if (made !== undefined) return this.#newHandle(value, made);
    const kind = this.#parts.kindBelow(above);
    if (kind !== undefined) return this.#makeByHand(value, kind);
    if (isFresh && isData(value)) return this.#copy(value, new Set());
    if (isBytes(value)) {
      this.#parts.adopt(value);
      this.coded = codeBytes(value);
      return value;
    }
    if (isDate(value)) {
      this.#parts.adopt(value);
      this.coded = [FORM.date, value.getTime()];
      return value;
    }
    if (isError(value)) {
      const signal = this.#parts.signalAbortedBy(value);
      this.#parts.adopt(value);
      if (signal !== undefined) {
        this.coded = [FORM.reason, signal];
        return value;
      }
      this.coded = codeError(value, this.#parts.statics, this.codeKey, (held) => {
        const inside = this.in(held, true);
        return { inside, coded: this.coded };
      });
      return value;
    }
    if (isPromise(value)) {
      const promise = this.#parts.promise(value);
      this.coded = [FORM.promise];
      return promise;
    }
    if (isSharedArrayBuffer(value)) this.#parts.cannotReplay('SharedArrayBuffer');
    return this.#newHandle(value, this.#madeBy(value, above));
  }

  /** By prototypes of Node's own: of what inherits from one nothing is hidden in the engine but what is in all others. */
  readonly #made = new WeakMap<object, Made>();

  #madeBy(value: object, above: object | null): Made {
    const { statics } = this.#parts;
    const label = className(value);
    if (above === null || isProxy(above) || statics.pathOf(above) === undefined) return { label, above: undefined };
    const made = { label, above: this.#parts.staticHandle(above) };
    this.#made.set(above, made);
    return made;
  }

  #newHandle(native: object, { label, above }: Made): object {
    const handle = this.#parts.newHandle(native, kindOf(native), label);
    let codedAbove: Coded = null;
    if (above !== undefined) {
      this.handle(above);
      codedAbove = this.coded;
      this.#parts.knowAbove(handle, above.proxy);
    }
    this.coded = [FORM.newHandle, handle.kind, label, codedAbove];
    return handle.proxy;
  }

  /** Its number comes after those of its facts. */
  #makeByHand(native: object, kind: number): object {
    const { facts, make } = this.#parts.source(kind);
    const coded: Coded[] = [FORM.handMade, kind];
    const came: unknown[] = [];
    for (let i = 0; i < facts.length; i++) {
      came.push(this.in((native as Record<PropertyKey, unknown>)[facts[i] as PropertyKey], false));
      coded.push(this.coded);
    }
    Reflect.set(native, MET, true);
    const { proxy } = this.#parts.newHandMade(native, kind, make(...came), came);
    this.coded = coded;
    return proxy;
  }

  #copy(value: object, within: Set<object>): object {
    within.add(value);
    const copy = Array.isArray(value) ? this.#copyList(value, within) : this.#copyRecord(value, within);
    within.delete(value);
    return copy;
  }

  #copyList(value: readonly unknown[], within: Set<object>): unknown[] {
    const list: unknown[] = [];
    const coded: Coded[] = [FORM.array];
    for (let i = 0; i < value.length; i++) {
      list.push(this.#part(value[i], within));
      coded.push(this.coded);
    }
    this.coded = coded;
    return list;
  }

  #copyRecord(value: object, within: Set<object>): object {
    const isBare = getPrototypeOf(value) !== Object.prototype;
    const record = (isBare ? Object.create(null) : {}) as Record<PropertyKey, unknown>;
    const coded: Coded[] = [FORM.plain, isBare];
    for (const key of enumerableKeys(value)) {
      const inside = this.#part((value as Record<PropertyKey, unknown>)[key], within);
      // An assignment would be something else: to `__proto__`.
      if (!isBare && key in record)
        Object.defineProperty(record, key, { value: inside, writable: true, enumerable: true, configurable: true });
      else record[key] = inside;
      coded.push(this.codeKey(key), this.coded);
    }
    this.coded = coded;
    return record;
  }

  #part(each: unknown, within: Set<object>): unknown {
    if (typeof each === 'object' && each !== null && !isProxy(each) && isData(each) && !this.isKnown(each))
      return within.has(each) ? this.in(each, false) : this.#copy(each, within);
    return this.in(each, true);
  }

  // What native code has made for an answer, and keeps nothing of: it needs no copy.

  /** Of native iterators that were answered by functions which give them: their methods. */
  readonly #steps = new WeakSet<object>();

  gives({ path, native }: Handle): number {
    if (path === undefined) return this.#steps.has(native as object) ? GIVES.step : GIVES.nothing;
    return GIVERS.get(path) ?? GIVES.nothing;
  }

  givenAs(gives: number, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return this.in(value, true);
    if (gives === GIVES.rows) return this.#given(value);
    if (gives === GIVES.step) return this.#givenStep(value as RecordOf);
    const { next } = value as { next?: unknown };
    if (typeof next === 'function') this.#steps.add(next);
    return this.in(value, false);
  }

  /** Of an iterator: what is done with a value that is a record costs the same once more. */
  #givenStep(step: RecordOf): object {
    const { value } = step;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.in(step, true) as object;
    const coded: Coded[] = [FORM.plain, getPrototypeOf(step) !== Object.prototype];
    for (const key of Object.keys(step)) {
      if (key === 'value') this.#givenRecord(value as RecordOf);
      coded.push(key, key === 'value' ? this.coded : (step[key] as Coded));
    }
    this.coded = coded;
    return step;
  }

  /** A record, a list of them that are alike, or what has none. */
  #given(value: object): unknown {
    if (!Array.isArray(value)) return this.#givenRecord(value as RecordOf);
    const rows: readonly unknown[] = value;
    const first = rows[0];
    if (typeof first !== 'object' || first === null || Array.isArray(first) || Object.keys(first).length === 0)
      return this.in(value, true);
    this.#givenRows(rows as readonly RecordOf[], first as RecordOf);
    return value;
  }

  #givenRecord(record: RecordOf): object {
    const coded: Coded[] = [FORM.plain, getPrototypeOf(record) !== Object.prototype];
    for (const key of Object.keys(record)) coded.push(key, this.#member(record, key));
    this.coded = coded;
    return record;
  }

  #givenRows(rows: readonly RecordOf[], first: RecordOf): void {
    const coded: Coded[] = [FORM.rows, getPrototypeOf(first) !== Object.prototype, rows.length];
    for (const key of Object.keys(first)) {
      const column: Coded[] = [];
      for (let i = 0; i < rows.length; i++) column.push(this.#member(rows[i] as RecordOf, key));
      coded.push(key, column);
    }
    this.coded = coded;
  }

  #member(record: RecordOf, key: string): Coded {
    const value = record[key];
    if (typeof value !== 'object' || value === null) return value as Coded;
    const inside = this.in(value, true);
    if (inside !== value) record[key] = inside;
    return this.coded;
  }

  isKnown(value: object): boolean {
    return this.#parts.marks.of(value) !== undefined || this.#parts.statics.isNeutral(value);
  }
}

type RecordOf = Record<string, unknown>;

/** What a function answers that is the caller's alone: rows, an iterator of them, one step of that. */
export const GIVES = { nothing: 0, rows: 1, iterator: 2, step: 3 } as const;

const GIVERS: ReadonlyMap<string, number> = new Map([
  ['sqlite.StatementSync.prototype.get', GIVES.rows],
  ['sqlite.StatementSync.prototype.all', GIVES.rows],
  ['sqlite.StatementSync.prototype.iterate', GIVES.iterator],
]);

/** Lists and records. Whoever has put functions or accessors into one (a module's exports, an application) has made no record, and it is alive. */
function isData(value: object): boolean {
  if (Array.isArray(value)) return true;
  const above = getPrototypeOf(value);
  if (above !== null && above !== Object.prototype && !isEmpty(above)) return false;
  for (const key of ownKeys(value)) {
    const found = getOwnPropertyDescriptor(value, key);
    if (found === undefined || !('value' in found) || typeof found.value === 'function') return false;
  }
  return true;
}

/** As of who wants records without a prototype, and made fast: it has nothing. */
function isEmpty(prototype: object): boolean {
  return !isProxy(prototype) && getPrototypeOf(prototype) === null && ownKeys(prototype).length === 0;
}

function isBytes(value: object): value is ArrayBufferView | ArrayBuffer {
  return ArrayBuffer.isView(value) || (isAnyArrayBuffer(value) && !isSharedArrayBuffer(value));
}

function functionName(native: object): string {
  const name: unknown = getOwnPropertyDescriptor(native, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

function className(native: object): string {
  for (let at = getPrototypeOf(native); at !== null && !isProxy(at); at = getPrototypeOf(at)) {
    const type: unknown = getOwnPropertyDescriptor(at, 'constructor')?.value;
    if (typeof type === 'function' && !isProxy(type)) return type.name;
  }
  return '';
}
