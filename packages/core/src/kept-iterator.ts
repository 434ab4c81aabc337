// Iterators that a program keeps: `const it = list.values()`, `for (const [k, v] of map.entries()) await …`, `yield*
// text.matchAll(re)`. Where an iterator can outlive its expression, emitted code calls `keep` and gets an iterator that
// capture can read. For a Map or Set this is the engine's own iterator with its source stamped on it: the engine
// reports how many entries are left. For arrays, typed arrays, strings and matches it is an iterator of core's own,
// since the engine does not reveal the position of its iterator. If the program has patched anything that could show
// the difference, `keep` returns the result of the plain call.
//
// A method may return an iterator that its caller keeps (`return this.list.values()`). Such a caller sets `keeping.on`,
// which the method checks.

import {
  NativeTypeError,
  apply,
  arrayIteratorNext,
  arrayIteratorPrototype,
  arrayValues,
  create,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isArray,
  iteratorPrototype,
  isObject,
  mapEntries,
  mapIteratorNext,
  mapIteratorPrototype,
  setIteratorNext,
  setIteratorPrototype,
  setValues,
  stringCharacters,
  stringIteratorNext,
  stringIteratorPrototype,
  typedArrayTag,
  typedArrayValues,
  defineMethod,
  typedArrayPrototype,
  mapSize,
  setSize,
} from './intrinsics.ts';
import { codePointAt, keeping, lengthOf, liveLength } from './iterator.ts';
import { brands, formatValue } from './value-format.ts';
import { Stamp } from './stamp.ts';
import { journal, markIterated } from './undo/journal.ts';

type StepResult = { value: unknown; done: boolean };
type Method = (...args: never[]) => unknown;

/** Kinds of kept iterators. The numbers are part of captured state. */
const VALUES = 0;
const KEYS = 1;
const ENTRIES = 2;
const CHARACTERS = 3;
const MATCHES = 4;
/** Kinds whose iterator is the native one of a Map or Set. */
const COLLECTION_VALUES = 5;
const COLLECTION_KEYS = 6;
const COLLECTION_ENTRIES = 7;

export interface KeptIteratorData {
  kind: number;
  /** The iterated object; undefined once the iterator is exhausted. */
  source: unknown;
  /** Index of the next element or character. */
  position: number;
  /** Private copy of the regular expression whose matches are iterated. Its `lastIndex` is the position. */
  matcher: RegExp | undefined;
}

export class KeptIterator extends Stamp {
  #kind: number;
  #source: unknown;
  #position = 0;
  #matcher: RegExp | undefined;

  constructor(object: object, kind: number, source: unknown, matcher?: RegExp) {
    super(object);
    this.#kind = kind;
    this.#source = source;
    this.#matcher = matcher;
    if (journal.isPossible && kind >= COLLECTION_VALUES) markIterated(source as object);
  }

  static is(value: unknown): value is KeptIterator {
    return typeof value === 'object' && value !== null && #kind in value;
  }

  static isCollection(iterator: KeptIterator): boolean {
    return iterator.#kind >= COLLECTION_VALUES;
  }

  static read(iterator: KeptIterator): KeptIteratorData {
    return {
      kind: iterator.#kind,
      source: iterator.#source,
      position: iterator.#position,
      matcher: iterator.#matcher,
    };
  }

  static write(iterator: KeptIterator, data: KeptIteratorData): void {
    iterator.#source = data.source;
    iterator.#position = data.position;
    iterator.#matcher = data.matcher;
  }

  static next(iterator: KeptIterator): StepResult {
    const source = iterator.#source;
    if (source !== undefined) {
      if (journal.log !== undefined) journal.log.noteState(iterator, KeptIterator.read, KeptIterator.write);
      const position = iterator.#position;
      switch (iterator.#kind) {
        case CHARACTERS: {
          const character = codePointAt(source as string, position);
          if (character === '') break;
          iterator.#position = position + character.length;
          return { value: character, done: false };
        }
        case MATCHES: {
          const match = nextMatch(iterator.#matcher as RegExp, source as string);
          if (match === null) break;
          return { value: match, done: false };
        }
        default: {
          const list = source as ArrayLike<unknown>;
          if (position >= currentLength(list)) break;
          iterator.#position = position + 1;
          if (iterator.#kind === VALUES) return { value: list[position], done: false };
          return { value: iterator.#kind === KEYS ? position : [position, list[position]], done: false };
        }
      }
      iterator.#source = undefined;
      iterator.#matcher = undefined;
    }
    return { value: undefined, done: true };
  }
}

function currentLength(source: ArrayLike<unknown>): number {
  if (isArray(source)) return source.length;
  return apply(typedArrayTag, source, []) === undefined ? lengthOf(source) : liveLength(source as Uint8Array);
}

const { exec } = RegExp.prototype;

function nextMatch(matcher: RegExp, text: string): RegExpExecArray | null {
  const match = apply(exec, matcher, [text]) as RegExpExecArray | null;
  if (match !== null && match[0] === '') {
    const { lastIndex } = matcher;
    const { unicode, unicodeSets } = matcher as { unicode: boolean; unicodeSets: boolean };
    const width = unicode || unicodeSets ? codePointAt(text, lastIndex).length : 1;
    matcher.lastIndex = lastIndex + (width === 0 ? 1 : width);
  }
  return match;
}

/** Makes an iterator class whose prototype looks like the engine's. */
function createIteratorClass(tag: string, name = tag): new () => object {
  function Allocated(): void {}
  const prototype = create(iteratorPrototype) as object;
  const { next } = {
    next(this: unknown): StepResult {
      if (!KeptIterator.is(this) || KeptIterator.isCollection(this))
        throw new NativeTypeError(`Method ${name}.prototype.next called on incompatible receiver ${formatValue(this)}`);
      return KeptIterator.next(this);
    },
  };
  defineMethod(prototype, 'next', next);
  defineProperty(prototype, Symbol.toStringTag, { value: tag, configurable: true });
  (Allocated as unknown as { prototype: object }).prototype = prototype;
  return Allocated as unknown as new () => object;
}

const ArrayIterator = createIteratorClass('Array Iterator');
const StringIterator = createIteratorClass('String Iterator');
const MatchIterator = createIteratorClass('RegExp String Iterator', '%RegExpStringIterator%');

/** Core's own iterator prototypes, by name. */
export const keptPrototypes: Readonly<Record<string, object>> = {
  KeptArrayIteratorPrototype: ArrayIterator.prototype as object,
  KeptStringIteratorPrototype: StringIterator.prototype as object,
  KeptMatchIteratorPrototype: MatchIterator.prototype as object,
};

const { entries: arrayEntries, keys: arrayKeys } = Array.prototype;
const { entries: typedEntries, keys: typedKeys } = typedArrayPrototype;
const { keys: mapKeys, values: mapValues } = Map.prototype;
const { entries: setEntries } = Set.prototype;
const { matchAll } = String.prototype;
const regExpMatchAll = RegExp.prototype[Symbol.matchAll];
const NativeRegExp = RegExp;
const matchIteratorPrototype = getPrototypeOf(apply(regExpMatchAll, /x/g, ['']) as object);
const speciesGetter = getOwnPropertyDescriptor(RegExp, Symbol.species)?.get;
const getFlags = getOwnPropertyDescriptor(RegExp.prototype, 'flags')?.get as () => string;

/** Families of iterated objects, combined with a kind by bitwise or. */
const ARRAYS = 0;
const TYPED_ARRAYS = 8;
const MAPS = 16;
const SETS = 24;
const STRINGS = 32;
const FAMILY = ~7;

/** Family and kind of each of the engine's methods that make iterators. The `keys` of a Set is its `values`. */
const makerKinds = new Map<unknown, number>([
  [arrayValues, ARRAYS | VALUES],
  [arrayKeys, ARRAYS | KEYS],
  [arrayEntries, ARRAYS | ENTRIES],
  [typedArrayValues, TYPED_ARRAYS | VALUES],
  [typedKeys, TYPED_ARRAYS | KEYS],
  [typedEntries, TYPED_ARRAYS | ENTRIES],
  [mapValues, MAPS | COLLECTION_VALUES],
  [mapKeys, MAPS | COLLECTION_KEYS],
  [mapEntries, MAPS | COLLECTION_ENTRIES],
  [setValues, SETS | COLLECTION_VALUES],
  [setEntries, SETS | COLLECTION_ENTRIES],
  [stringCharacters, STRINGS | CHARACTERS],
  [matchAll, STRINGS | MATCHES],
]);
const getMakerKind = makerKinds.get;

/** Calls `source[key](argument)` for a kept iterator. @param text the method's name in error messages */
export function keep(source: unknown, key: PropertyKey, text: string, argument?: unknown): unknown {
  const method: unknown = (source as Record<PropertyKey, unknown>)[key];
  if (typeof method !== 'function') throw new NativeTypeError(`${text} is not a function`);
  return callKeeping(method as Method, source, argument, key === 'matchAll' ? [argument] : []);
}

/** Kept iterator that the call of `method` on `source` returns. */
export function callIteratorMethod(method: unknown, source: unknown): unknown {
  return callKeeping(method as Method, source, undefined, []);
}

function callKeeping(method: Method, source: unknown, argument: unknown, args: readonly unknown[]): unknown {
  const makerKind = apply(getMakerKind, makerKinds, [method]) as number | undefined;
  if (makerKind !== undefined) {
    const keptIterator = createOwnIterator(source, method, makerKind & FAMILY, makerKind & ~FAMILY, argument);
    if (keptIterator !== undefined) return keptIterator;
  }
  const wasKeeping = keeping.on;
  keeping.on = true;
  try {
    return apply(method, source, args as never[]);
  } finally {
    keeping.on = wasKeeping;
  }
}

/** Form of `keep` that V8 inlines. `iterator` is the result of `source[key](…)`, called with `keeping.on` set. */
export function kept(iterator: unknown, source: unknown, key: PropertyKey, argument?: unknown): unknown {
  // An exception may have left `keeping.on` set. Then an iterator that is not kept gets here too, which is harmless.
  keeping.on = false;
  if (typeof iterator !== 'object' || iterator === null || isArray(iterator)) return iterator;
  const prototype = getPrototypeOf(iterator);
  if (
    prototype !== arrayIteratorPrototype &&
    prototype !== mapIteratorPrototype &&
    prototype !== setIteratorPrototype &&
    prototype !== stringIteratorPrototype &&
    prototype !== matchIteratorPrototype
  )
    return iterator;
  return adoptNativeIterator(iterator, source, key, argument);
}

/** Makes a new iterator of the engine, which must be at its start, a kept one. */
function adoptNativeIterator(iterator: object, source: unknown, key: PropertyKey, argument: unknown): unknown {
  if (brands.isProxy(source)) return iterator;
  const method: unknown = (source as Record<PropertyKey, unknown>)[key];
  const makerKind = apply(getMakerKind, makerKinds, [method]) as number | undefined;
  if (makerKind === undefined || KeptIterator.is(iterator)) return iterator;
  const kind = makerKind & ~FAMILY;
  if (kind < COLLECTION_VALUES)
    return createOwnIterator(source, method as Method, makerKind & FAMILY, kind, argument) ?? iterator;
  return new KeptIterator(iterator, kind, source);
}

function createOwnIterator(source: unknown, method: Method, family: number, kind: number, argument: unknown): unknown {
  switch (family) {
    case ARRAYS:
      if (!isObject(source) || arrayIteratorPrototype.next !== arrayIteratorNext) return undefined;
      if (apply(typedArrayTag, source, []) !== undefined) apply(typedArrayValues as Method, source, []);
      return new KeptIterator(new ArrayIterator(), kind, source);
    case TYPED_ARRAYS:
      if (arrayIteratorPrototype.next !== arrayIteratorNext) return undefined;
      apply(method, source, []); // throws if the value is no typed array, or is detached
      return new KeptIterator(new ArrayIterator(), kind, source);
    case MAPS:
      if (mapIteratorPrototype.next !== mapIteratorNext) return undefined;
      return new KeptIterator(apply(method, source, []) as object, kind, source);
    case SETS:
      if (setIteratorPrototype.next !== setIteratorNext) return undefined;
      return new KeptIterator(apply(method, source, []) as object, kind, source);
  }
  if (typeof source !== 'string') return undefined;
  if (kind === CHARACTERS) {
    if (stringIteratorPrototype.next !== stringIteratorNext) return undefined;
    return new KeptIterator(new StringIterator(), kind, source);
  }
  if (!isPristineRegExp(argument)) return undefined;
  const flags = apply(getFlags, argument, []) as string;
  for (let i = 0; i < flags.length; i++) {
    if (flags[i] !== 'g') continue;
    const matcher = new NativeRegExp(argument, flags);
    matcher.lastIndex = argument.lastIndex;
    return new KeptIterator(new MatchIterator(), kind, source, matcher);
  }
  return undefined;
}

/** Whether a value is a RegExp whose matches are found by the engine's own methods alone. */
function isPristineRegExp(value: unknown): value is RegExp {
  if (!isObject(value) || getPrototypeOf(value) !== NativeRegExp.prototype) return false;
  const lastIndexDescriptor = getOwnPropertyDescriptor(value, 'lastIndex');
  if (
    lastIndexDescriptor === undefined ||
    hasOwn(value, 'constructor') ||
    hasOwn(value, 'exec') ||
    hasOwn(value, 'flags')
  )
    return false;
  if (hasOwn(value, Symbol.matchAll)) return false;
  const prototype = NativeRegExp.prototype as RegExp & { constructor: unknown };
  return (
    prototype[Symbol.matchAll] === regExpMatchAll &&
    prototype.exec === exec &&
    prototype.constructor === NativeRegExp &&
    getOwnPropertyDescriptor(prototype, 'flags')?.get === getFlags &&
    getOwnPropertyDescriptor(NativeRegExp, Symbol.species)?.get === speciesGetter
  );
}

export interface EntryCounter {
  entriesLeft(iterator: object): number;
}

const setEntry = Map.prototype.set as Method;
const removeEntry = Map.prototype.delete as Method;
const addValue = Set.prototype.add as Method;
const removeValue = Set.prototype.delete as Method;
const sizeOf = (source: object): number => apply(isMap(source) ? mapSize : setSize, source, []) as number;
const hasEntry = Map.prototype.has as Method;

function isMap(source: object): boolean {
  try {
    apply(hasEntry, source, [undefined] as never[]);
    return true;
  } catch {
    return false;
  }
}

/** State of an iterator as data. The iterator itself remains usable. */
export function readKeptIterator(iterator: KeptIterator, entryCounter: EntryCounter): KeptIteratorData {
  const data = KeptIterator.read(iterator);
  if (data.kind < COLLECTION_VALUES) return data;
  const source = data.source as object;
  // At zero entries left, `entriesLeft` marks the iterator as finished. A temporary sentinel entry prevents this, and
  // also distinguishes an iterator at the end from a finished one.
  const sentinel = {};
  const isOfMap = isMap(source);
  apply(isOfMap ? setEntry : addValue, source, [sentinel] as never[]);
  let entriesLeft: number;
  try {
    entriesLeft = entryCounter.entriesLeft(iterator);
  } finally {
    apply(isOfMap ? removeEntry : removeValue, source, [sentinel] as never[]);
  }
  return { ...data, position: entriesLeft === 0 ? -1 : sizeOf(source) - (entriesLeft - 1) };
}

/** Makes a blank iterator. An iterator of a Map or Set needs its source now, but the source may still be empty. */
export function allocateKeptIterator(kind: number, source: unknown): object {
  if (kind === CHARACTERS) return new KeptIterator(new StringIterator(), kind, undefined);
  if (kind === MATCHES) return new KeptIterator(new MatchIterator(), kind, undefined);
  if (kind < COLLECTION_VALUES) return new KeptIterator(new ArrayIterator(), kind, undefined);
  const methodsByKind = isMap(source as object) ? [mapValues, mapKeys, mapEntries] : [setValues, setValues, setEntries];
  const method = methodsByKind[kind - COLLECTION_VALUES] as Method;
  return new KeptIterator(apply(method, source, []) as object, kind, source);
}

/** Moves the iterator to its position. Its source must be filled by then. */
export function fillKeptIterator(iterator: object, data: KeptIteratorData): void {
  if (data.kind < COLLECTION_VALUES) return KeptIterator.write(iterator as KeptIterator, data);
  const next = (isMap(data.source as object) ? mapIteratorNext : setIteratorNext) as Method;
  if (data.position < 0) while ((apply(next, iterator, []) as StepResult).done !== true);
  const size = sizeOf(data.source as object);
  if (data.position > size)
    throw new NativeTypeError(`iterator position ${data.position} is beyond the ${size} entries`);
  for (let i = 0; i < data.position; i++) apply(next, iterator, []);
}
