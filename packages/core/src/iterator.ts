// Core's own iterators of the standard collections. They hold as data what native iterators keep inside the engine, and
// replace them only where the protocol is unpatched, so that no program can tell. Map and Set keep the native iterator,
// because it follows deletions during iteration. Capture drains the native iterator to find its position (size minus
// remaining entries), and then replaces it by another one at this position.

import {
  NativeTypeError,
  apply,
  arrayIteratorNext,
  arrayIteratorPrototype,
  arrayValues,
  isArray,
  isObject,
  mapEntries,
  mapIteratorNext,
  mapIteratorPrototype,
  mapSize,
  setIteratorNext,
  setIteratorPrototype,
  setSize,
  setValues,
  stringCharacters,
  stringIteratorNext,
  stringIteratorPrototype,
  typedArrayLength,
  typedArrayTag,
  typedArrayValues,
} from './intrinsics.ts';
import { formatValue } from './value-format.ts';
import { journal, markIterated } from './undo/journal.ts';

const { slice } = String.prototype;

export const ARRAY = 0;
export const MAP = 1;
export const SET = 2;
export const STRING = 3;
export const TYPED_ARRAY = 4;

/** `on` is set while a method is called for an iterator that is kept across a suspension (kept-iterator.ts). */
export const keeping = { on: false };
// V8 must see both values before any code of the program runs, as for `probe.on`.
keeping.on = true;
keeping.on = false;

export interface IteratorData {
  kind: number;
  /** The iterated object; undefined once the iterator is exhausted. */
  source: unknown;
  position: number;
}

type StepResult = { value: unknown; done: boolean };

export class OwnIterator {
  kind: number;
  #source: unknown;
  /** Index of the next element of an array or string; unused for Map and Set. */
  #position = 0;
  #nativeIterator: Iterator<unknown> | undefined;

  constructor(kind: number, source: unknown, position = 0) {
    this.kind = kind;
    this.#source = source;
    if (kind === MAP || kind === SET) {
      if (journal.isPossible) markIterated(source as object);
      this.#nativeIterator = createAdvanced(kind, source, position);
    } else this.#position = position;
  }

  next(): StepResult {
    const source = this.#source;
    if (source === undefined) return { value: undefined, done: true };
    switch (this.kind) {
      case ARRAY:
        if (this.#position < lengthOf(source as ArrayLike<unknown>)) {
          return { value: (source as ArrayLike<unknown>)[this.#position++], done: false };
        }
        break;
      case STRING: {
        const character = codePointAt(source as string, this.#position);
        if (character !== '') {
          this.#position += character.length;
          return { value: character, done: false };
        }
        break;
      }
      case TYPED_ARRAY:
        if (this.#position < liveLength(source as Uint8Array))
          return { value: (source as Uint8Array)[this.#position++], done: false };
        break;
      default: {
        const result = nativeNext(this.kind, this.#nativeIterator as Iterator<unknown>);
        if (!result.done) return result as StepResult;
      }
    }
    this.#source = undefined;
    this.#nativeIterator = undefined;
    return { value: undefined, done: true };
  }

  [Symbol.iterator](): this {
    return this;
  }

  static is(value: unknown): value is OwnIterator {
    return typeof value === 'object' && value !== null && #source in value;
  }

  /** State of an iterator as data. The iterator itself remains usable. */
  static read(iterator: OwnIterator): IteratorData {
    const { kind } = iterator;
    const source = iterator.#source;
    if (source === undefined || (kind !== MAP && kind !== SET)) return { kind, source, position: iterator.#position };
    let remaining = 0;
    while (!nativeNext(kind, iterator.#nativeIterator as Iterator<unknown>).done) remaining++;
    const size = apply(kind === MAP ? mapSize : setSize, source, []) as number;
    iterator.#nativeIterator = createAdvanced(kind, source, size - remaining);
    return { kind, source, position: size - remaining };
  }

  /** Sets the state of a blank iterator (`new OwnIterator(ARRAY, undefined)`). A Map or Set must be filled by then. */
  static write(iterator: OwnIterator, data: IteratorData): void {
    iterator.kind = data.kind;
    iterator.#source = data.source;
    iterator.#position = data.position;
    if (data.source !== undefined && (data.kind === MAP || data.kind === SET))
      iterator.#nativeIterator = createAdvanced(data.kind, data.source, data.position);
  }
}

function createAdvanced(kind: number, source: unknown, position: number): Iterator<unknown> {
  const native = apply(kind === MAP ? mapEntries : (setValues as () => unknown), source, []) as Iterator<unknown>;
  const size = apply(kind === MAP ? mapSize : setSize, source, []) as number;
  if (position > size) throw new NativeTypeError(`iterator position ${position} is beyond the ${size} entries`);
  for (let i = 0; i < position; i++) nativeNext(kind, native);
  return native;
}

function nativeNext(kind: number, iterator: Iterator<unknown>): IteratorResult<unknown> {
  const next = (kind === MAP ? mapIteratorNext : setIteratorNext) as () => unknown;
  return apply(next, iterator, []) as IteratorResult<unknown>;
}

export function lengthOf(source: ArrayLike<unknown>): number {
  const { length } = source;
  if (isArray(source)) return length;
  const integer = Math.trunc(Number(length));
  return integer > 0 ? Math.min(integer, Number.MAX_SAFE_INTEGER) : 0;
}

export function liveLength(source: Uint8Array): number {
  const length = apply(typedArrayLength, source, []) as number;
  // The buffer was detached or shrunk. Only the native iterator knows which, so the native iterator throws the error.
  if (length === 0) {
    try {
      apply(typedArrayValues as () => unknown, source, []);
    } catch (error) {
      (error as Error).message =
        `Cannot perform Array Iterator.prototype.next${detachedReason((error as Error).message)}`;
      throw error;
    }
  }
  return length;
}

/** End of an engine's error message from ` on ` onwards, such as ` on a detached ArrayBuffer`. */
function detachedReason(message: string): string {
  let index = 0;
  while (
    index < message.length &&
    !(message[index] === ' ' && message[index + 1] === 'o' && message[index + 2] === 'n')
  )
    index++;
  return apply(slice, message, [index]) as string;
}

export function codePointAt(text: string, index: number): string {
  if (index >= text.length) return '';
  const first = text[index] as string;
  if (first < '\ud800' || first > '\udbff' || index + 1 === text.length) return first;
  const second = text[index + 1] as string;
  return second >= '\udc00' && second <= '\udfff' ? first + second : first;
}

function notIterable(value: unknown, text?: string): TypeError {
  return new NativeTypeError(`${text ?? formatValue(value)} is not iterable`);
}

/** Iterator of a `for-of` over `value`: core's own if no program can tell. @param text name of the value in errors */
export function iterator(
  value: unknown,
  createError: (value: unknown, text?: string) => TypeError = notIterable,
  text?: string,
): Iterator<unknown> {
  if (value === undefined || value === null) throw createError(value, text);
  const method: unknown = (value as Iterable<unknown>)[Symbol.iterator];
  const coreIterator = ownIterator(value, method);
  if (coreIterator !== undefined) return coreIterator;
  if (typeof method !== 'function') throw createError(value, text);
  const wasKeeping = keeping.on;
  let result: unknown;
  keeping.on = true;
  try {
    result = apply(method as () => unknown, value, []);
  } finally {
    keeping.on = wasKeeping;
  }
  if (!isObject(result)) throw new NativeTypeError('Result of the Symbol.iterator method is not an object');
  return result as Iterator<unknown>;
}

export function ownIterator(value: unknown, method: unknown): OwnIterator | undefined {
  if (method === arrayValues) {
    if (arrayIteratorPrototype.next !== arrayIteratorNext || !isObject(value)) return undefined;
    if (apply(typedArrayTag, value, []) === undefined) return new OwnIterator(ARRAY, value);
    apply(typedArrayValues as () => unknown, value, []);
    return new OwnIterator(TYPED_ARRAY, value);
  }
  if (method === mapEntries)
    return mapIteratorPrototype.next === mapIteratorNext ? new OwnIterator(MAP, value) : undefined;
  if (method === setValues)
    return setIteratorPrototype.next === setIteratorNext ? new OwnIterator(SET, value) : undefined;
  if (method === stringCharacters && stringIteratorPrototype.next === stringIteratorNext)
    return new OwnIterator(STRING, String(value));
  if (method === typedArrayValues && arrayIteratorPrototype.next === arrayIteratorNext) {
    apply(typedArrayValues as () => unknown, value, []); // throws if the value is no typed array, or is detached
    return new OwnIterator(TYPED_ARRAY, value);
  }
  return undefined;
}
