// Decodes the values of recorded outcomes: the counterpart of `incoming.ts`. Objects with an identity are looked up through the dependencies.
import type { TapePlayer } from '@turntable/core';
import { bytesOf, FORM, type Coded, type CodedList, type SymbolNumbers } from './crossing.ts';
import { errorOf } from './errors.ts';
import type { Statics } from './statics.ts';

/** A runner of tests may put another in its place. */
const NativeDate = Date;

export interface OutcomeDecoderDeps {
  readonly tape: TapePlayer;
  readonly statics: Statics;
  readonly symbols: SymbolNumbers;
  /** What went out with that number. */
  exported(number: number): object | undefined;
  /** It has the next number of those that go out: the outside has it, too. */
  adopt<T extends object>(value: T): T;
  /** What stands for something outside that has that number; of a snapshot, as what it is known there. */
  handle(number: number, kind?: number, label?: string): object | undefined;
  newHandle(list: CodedList): object;
  /** What is there in every process. */
  staticAt(path: string): object;
  makeByHand(list: CodedList): object;
  promise(): object;
}

export class OutcomeDecoder {
  readonly #deps: OutcomeDecoderDeps;

  constructor(deps: OutcomeDecoderDeps) {
    this.#deps = deps;
  }

  /** `on`: of the program's, if it is that of a property which the outside has asked for. */
  readonly key = (coded: Coded, on?: object): PropertyKey =>
    typeof coded === 'string' ? coded : this.#deps.symbols.decode(coded as CodedList, on);

  readonly value = (coded: Coded): unknown => {
    if (!Array.isArray(coded)) return coded;
    const deps = this.#deps;
    const list = coded as CodedList;
    switch (list[0]) {
      case FORM.handle:
        return deps.handle(list[1] as number, list[2] as number | undefined, list[3] as string | undefined);
      case FORM.newHandle:
        return deps.newHandle(list);
      case FORM.static:
        return deps.staticAt(list[1] as string);
      case FORM.exported:
        return deps.exported(list[1] as number);
      case FORM.neutral:
        return deps.statics.at(list[1] as string);
      case FORM.plain:
        return this.#plain(list);
      case FORM.rows:
        return this.#rows(list);
      case FORM.array:
        return list.slice(1).map(this.value);
      case FORM.bytes:
        return deps.adopt(bytesOf(list));
      case FORM.date:
        return deps.adopt(new NativeDate(list[1] as number));
      case FORM.error:
        return errorOf(list, deps.statics, this.key, this.value, (error) => void deps.adopt(error));
      case FORM.reason:
        return this.#reason(list[1] as number);
      case FORM.promise:
        return deps.promise();
      case FORM.handMade:
        return deps.makeByHand(list);
      default:
        return deps.symbols.decode(list);
    }
  };

  #reason(number: number): unknown {
    const { reason } = (this.#deps.exported(number) ?? {}) as { reason?: unknown };
    return typeof reason === 'object' && reason !== null
      ? this.#deps.adopt(reason)
      : this.#deps.tape.diverge('the outside says why a signal of the program’s was aborted', 'that was not aborted');
  }

  #plain([, isBare, ...entries]: CodedList): object {
    const record = recordOf(isBare);
    for (let i = 0; i < entries.length; i += 2) {
      const value = this.value(entries[i + 1]);
      put(record, this.key(entries[i]), value);
    }
    return record;
  }

  #rows([, isBare, count, ...columns]: CodedList): object[] {
    const isWhole = columns.every((each, i) => i % 2 === 0 || (Array.isArray(each) && each.length === count));
    if (!isWhole || columns.length === 0)
      return this.#deps.tape.diverge('the outside answers a list of records', 'they are not whole');
    const rows = (columns[1] as CodedList).map(() => recordOf(isBare));
    for (let i = 0; i + 1 < columns.length; i += 2) {
      const key = this.key(columns[i]);
      for (const [at, each] of (columns[i + 1] as CodedList).entries()) put(rows[at] as object, key, this.value(each));
    }
    return rows;
  }
}

function recordOf(isBare: Coded): object {
  return isBare === true ? (Object.create(null) as object) : {};
}

/** Not an assignment: that of `__proto__` would be something else. */
function put(record: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}
