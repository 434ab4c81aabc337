// What of the program's the outside had, under the numbers that it got while the program was recorded: run again, the program hands over the same in the same order, and nobody is there to get it.
import { Exported } from './membrane.ts';
import type { Belonging } from './membrane-state.ts';
import { enumerableKeys } from './outer.ts';
import { handOver, type OutgoingParts } from './outgoing.ts';

type Parts = Pick<OutgoingParts, 'statics' | 'marks' | 'numbers' | 'crossing' | 'copies' | 'meetSymbol' | 'home'>;

export class OutgoingAgain {
  readonly #parts: Parts;
  /** By number, with whose it is. */
  readonly #byNumber = new Map<number, { readonly inside: object; readonly home: object | undefined }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  out(value: unknown): unknown {
    if (typeof value === 'symbol') this.#parts.meetSymbol(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    if (this.#isKnown(value)) {
      handOver(value);
      return value;
    }
    if (this.#parts.statics.isNeutral(value)) return value;
    const kind = this.#parts.crossing(value);
    if (kind === 'plain' || kind === 'array') {
      const copies = this.#parts.copies();
      if (!copies.has(value)) this.#walk(value, kind, copies);
    } else if (kind !== 'bare') this.adopt(value);
    return value;
  }

  /** It has a number from now on, and leads to it. */
  adopt<T extends object>(value: T): T {
    this.#mark(this.#number(value), value);
    return value;
  }

  at(number: number): object | undefined {
    return this.#byNumber.get(number)?.inside;
  }

  /** Of a snapshot that this run goes on from: what the outside had of somebody's. */
  restore(number: number, inside: object, home: object | undefined): void {
    this.#byNumber.set(number, { inside, home });
    // Plain data has another number each time.
    const kind = this.#parts.crossing(inside);
    if (kind !== 'plain' && kind !== 'array') this.#mark(number, inside);
  }

  release(number: number): void {
    this.#byNumber.delete(number);
  }

  exports(): Belonging[] {
    return [...this.#byNumber].map(([number, { inside, home }]) => [number, inside, home]);
  }

  /** A handle, or something the outside has a number for. */
  #isKnown(value: object): boolean {
    return this.#parts.marks.of(value) !== undefined;
  }

  /** Nobody outside has it, and where it belongs stands beside its number. */
  #mark(number: number, inside: object): void {
    this.#parts.marks.put(inside, new Exported(number, inside, inside, undefined, undefined));
  }

  #number(inside: object): number {
    const number = this.#parts.numbers.exports++;
    this.#byNumber.set(number, { inside, home: this.#parts.home() });
    return number;
  }

  /** As the copy was made. */
  #walk(value: object, kind: 'plain' | 'array', within: Map<object, object>): void {
    within.set(value, value);
    this.#number(value);
    const part = (each: unknown): void => {
      if (typeof each !== 'object' || each === null || this.#isKnown(each)) return void this.out(each);
      if (within.has(each) || this.#parts.statics.isNeutral(each)) return;
      const its = this.#parts.crossing(each);
      if (its === 'plain' || its === 'array') this.#walk(each, its, within);
      else this.out(each);
    };
    if (kind === 'array') for (const each of value as unknown[]) part(each);
    else for (const key of enumerableKeys(value)) part((value as Record<PropertyKey, unknown>)[key]);
  }
}
