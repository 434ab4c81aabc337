// Decodes the values of recorded outcomes: the counterpart of `outcome-encoder.ts`. Objects with an identity are looked
// up through the dependencies.
import type { TapePlayer } from '@turntable/core';
import { decodeBytes, VALUE_FORM, type EncodedValue, type EncodedList, type SymbolTable } from './encoding.ts';
import { decodeError } from './error-encoding.ts';
import type { Statics } from './static-objects.ts';

/** The native class. A test runner may replace the global one. */
const NativeDate = Date;

export interface OutcomeDecoderDeps {
  readonly tape: TapePlayer;
  readonly statics: Statics;
  readonly symbols: SymbolTable;
  exportedObject(number: number): object | undefined;
  /** Assigns the next export number to an object that both sides use. */
  adopt<T extends object>(value: T): T;
  /** Returns the proxy or surrogate of a number. `kind`, `label`: set where the trace describes a handle again. */
  proxyAt(number: number, kind?: number, label?: string): object | undefined;
  createProxy(list: EncodedList): object;
  createStaticProxy(path: string): object;
  makeSurrogate(list: EncodedList): object;
  createPromise(): object;
}

export class OutcomeDecoder {
  readonly #deps: OutcomeDecoderDeps;

  constructor(deps: OutcomeDecoderDeps) {
    this.#deps = deps;
  }

  /** @param holder the program object whose property the host accesses */
  readonly decodeKey = (encoded: EncodedValue, holder?: object): PropertyKey =>
    typeof encoded === 'string' ? encoded : this.#deps.symbols.decode(encoded as EncodedList, holder);

  readonly decodeValue = (encoded: EncodedValue): unknown => {
    if (!Array.isArray(encoded)) return encoded;
    const deps = this.#deps;
    const list = encoded as EncodedList;
    switch (list[0]) {
      case VALUE_FORM.handle:
        return deps.proxyAt(list[1] as number, list[2] as number | undefined, list[3] as string | undefined);
      case VALUE_FORM.newHandle:
        return deps.createProxy(list);
      case VALUE_FORM.static:
        return deps.createStaticProxy(list[1] as string);
      case VALUE_FORM.exported:
        return deps.exportedObject(list[1] as number);
      case VALUE_FORM.neutral:
        return deps.statics.objectAt(list[1] as string);
      case VALUE_FORM.plain:
        return this.#decodeRecord(list);
      case VALUE_FORM.rows:
        return this.#decodeRows(list);
      case VALUE_FORM.array:
        return list.slice(1).map(this.decodeValue);
      case VALUE_FORM.bytes:
        return deps.adopt(decodeBytes(list));
      case VALUE_FORM.date:
        return deps.adopt(new NativeDate(list[1] as number));
      case VALUE_FORM.error:
        return decodeError(list, deps.statics, this.decodeKey, this.decodeValue, (error) => void deps.adopt(error));
      case VALUE_FORM.abortReason:
        return this.#decodeAbortReason(list[1] as number);
      case VALUE_FORM.promise:
        return deps.createPromise();
      case VALUE_FORM.surrogate:
        return deps.makeSurrogate(list);
      default:
        return deps.symbols.decode(list);
    }
  };

  #decodeAbortReason(number: number): unknown {
    const { reason } = (this.#deps.exportedObject(number) ?? {}) as { reason?: unknown };
    return typeof reason === 'object' && reason !== null
      ? this.#deps.adopt(reason)
      : this.#deps.tape.diverge(
          'the host reads the reason of an aborted signal of the program',
          'the signal is not aborted',
        );
  }

  #decodeRecord([, hasNullPrototype, ...entries]: EncodedList): object {
    const record = createRecord(hasNullPrototype);
    for (let i = 0; i < entries.length; i += 2) {
      const value = this.decodeValue(entries[i + 1]);
      defineMember(record, this.decodeKey(entries[i]), value);
    }
    return record;
  }

  #decodeRows([, hasNullPrototype, count, ...columns]: EncodedList): object[] {
    const isComplete = columns.every((column, i) => i % 2 === 0 || (Array.isArray(column) && column.length === count));
    if (!isComplete || columns.length === 0)
      return this.#deps.tape.diverge('the host returns a list of records', 'the list is incomplete');
    const rows = (columns[1] as EncodedList).map(() => createRecord(hasNullPrototype));
    for (let i = 0; i + 1 < columns.length; i += 2) {
      const key = this.decodeKey(columns[i]);
      for (const [row, member] of (columns[i + 1] as EncodedList).entries())
        defineMember(rows[row] as object, key, this.decodeValue(member));
    }
    return rows;
  }
}

function createRecord(hasNullPrototype: EncodedValue): object {
  return hasNullPrototype === true ? (Object.create(null) as object) : {};
}

/** Defines a member. An assignment to `__proto__` would set the prototype instead. */
function defineMember(record: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}
