// What of the program's the outside gets while it is recorded, and under which number. A number is free again when the collector has taken both the
// thing and what the outside has of it, or the copy that the outside has; an entry says so, and the same of handles.
import { types } from 'node:util';
import { Eventual, type EngineView, type Marks, type TapeRecorder } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { EVENT } from './crossing.ts';
import type { Handle } from './handle.ts';
import { HandleLifetimes } from './handle-lifetimes.ts';
import type { Belonging } from './membrane-state.ts';
import { Exported, type Numbers } from './membrane.ts';
import { enumerableKeys, type Crossing } from './outer.ts';
import type { Outward } from './outward.ts';
import type { Statics } from './statics.ts';
import { AbortSignals } from './abort-signals.ts';
import { WeakTable } from './weak-table.ts';

const { getPrototypeOf } = Reflect;
const { prototype: signalPrototype } = AbortSignal;
const { isSharedArrayBuffer } = types;
const later = setImmediate;

export interface OutgoingParts {
  readonly tape: TapeRecorder;
  readonly statics: Statics;
  readonly marks: Marks<Handle | Exported>;
  readonly numbers: Numbers;
  readonly outward: Outward;
  readonly engine: Pick<EngineView, 'weakKeys'>;
  crossing(value: object): Crossing;
  copies(): Map<object, object>;
  meetSymbol(symbol: symbol): void;
  /** Whose code runs. */
  home(): object;
  cannotReplay(what: string): void;
}

/** A promise of the outside's that goes back there is the outside's to look after: whether it is rejected is no matter of the program's any more. */
export function handOver(known: object): void {
  if (Eventual.has(known)) Eventual.handle(known);
}

export class Outgoing {
  readonly #parts: OutgoingParts;
  readonly signals: AbortSignals = new AbortSignals();
  /** What the outside can still call or come back with. */
  readonly #byNumber: WeakTable<Exported>;
  /** Numbers of what the collector has taken, and of hand-made objects with which the outside is done. */
  readonly #gone: Record<'exports' | 'handles' | 'contexts' | 'over', number[]> = {
    exports: [],
    handles: [],
    contexts: [],
    over: [],
  };
  #isReleasing = false;
  readonly #exportLifetimes = new HandleLifetimes((numbers) => this.#release(this.#gone.exports, numbers));
  readonly #handleLifetimes = new HandleLifetimes((numbers) => this.#release(this.#gone.handles, numbers));

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
    this.#byNumber = new WeakTable(parts.engine);
  }

  out(value: unknown): unknown {
    if (typeof value === 'symbol') this.#parts.meetSymbol(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const known = this.outerOf(value);
    if (known !== undefined) {
      handOver(value);
      return known;
    }
    const { statics, outward } = this.#parts;
    if (statics.isNeutral(value)) return value;
    const kind = this.#parts.crossing(value);
    if (kind === 'plain' || kind === 'array') {
      const copies = this.#parts.copies();
      return copies.get(value) ?? this.#copy(value, kind, copies);
    }
    if (kind === 'bare') return value;
    if (kind !== 'raw') return this.export(value, outward.standIn(value, kind)).outer;
    const { number } = this.export(value, value);
    if (getPrototypeOf(value) === signalPrototype) this.signals.add(value as AbortSignal, number);
    // Whoever has it writes there when it likes.
    if (isSharedArrayBuffer(ArrayBuffer.isView(value) ? value.buffer : value))
      this.#parts.cannotReplay('SharedArrayBuffer');
    return value;
  }

  outerOf(value: object): object | undefined {
    const mark = this.#parts.marks.of(value);
    if (mark === undefined) return undefined;
    if (mark instanceof Exported) return mark.inside === value ? mark.outer : undefined;
    return mark.proxy === value ? mark.native : undefined;
  }

  /** It has a number from now on, and each of the two leads to the other. */
  export(inside: object, outer: object): Exported {
    const exported = this.#numbered(inside, outer);
    const { marks } = this.#parts;
    marks.put(inside, exported);
    if (outer !== inside) marks.put(outer, exported);
    return exported;
  }

  exports(): Belonging[] {
    return this.#byNumber.entries().map(([number, { inside, home }]) => [number, inside, home]);
  }

  /** Its number is free again some day, unless nothing was recorded when it came: few of those are in the state with which a recording begins. */
  watch(handle: Handle): void {
    if (!this.#parts.tape.isResting) handle.life = this.#handleLifetimes.of(handle.number);
  }

  /** Nothing can call from there any more. */
  releaseContexts(numbers: readonly number[]): void {
    this.#release(this.#gone.contexts, numbers);
  }

  /** The outside is done with these hand-made objects. */
  tellOver(numbers: readonly number[]): void {
    if (!this.#parts.tape.isResting) this.#release(this.#gone.over, numbers);
  }

  /** Each crossing makes a copy: what becomes of the original is not the outside's. */
  #copy(value: object, kind: 'plain' | 'array', within: Map<object, object>): object {
    const copy: object = kind === 'array' ? [] : (Object.create(getPrototypeOf(value)) as object);
    within.set(value, copy);
    this.#parts.marks.put(copy, this.#numbered(value, copy));
    if (kind === 'array') for (const each of value as unknown[]) (copy as unknown[]).push(this.#part(each, within));
    else
      for (const key of enumerableKeys(value)) {
        const inner = this.#part((value as Record<PropertyKey, unknown>)[key], within);
        // An assignment would be something else: to `__proto__`.
        if (key in copy)
          Object.defineProperty(copy, key, { value: inner, writable: true, enumerable: true, configurable: true });
        else (copy as Record<PropertyKey, unknown>)[key] = inner;
      }
    return copy;
  }

  #part(each: unknown, within: Map<object, object>): unknown {
    if (typeof each !== 'object' || each === null || this.outerOf(each) !== undefined) return this.out(each);
    const known = within.get(each);
    if (known !== undefined) return known;
    if (this.#parts.statics.isNeutral(each)) return each;
    const kind = this.#parts.crossing(each);
    return kind === 'plain' || kind === 'array' ? this.#copy(each, kind, within) : this.out(each);
  }

  #numbered(inside: object, outer: object): Exported {
    const number = this.#parts.numbers.exports++;
    const life = this.#parts.tape.isResting ? undefined : this.#exportLifetimes.of(number);
    const exported = new Exported(number, inside, outer, this.#parts.home(), life);
    this.#byNumber.add(exported);
    return exported;
  }

  #release(gone: number[], numbers: readonly number[]): void {
    for (const number of numbers) gone.push(number);
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    later(() => this.#releaseAll()).unref();
  }

  #releaseAll(): void {
    this.#isReleasing = false;
    const { exports, handles, contexts, over } = this.#gone;
    this.#gone.exports = [];
    this.#gone.handles = [];
    this.#gone.contexts = [];
    this.#gone.over = [];
    for (const number of exports) this.#byNumber.delete(number);
    const released = [EVENT.released, exports, handles, contexts];
    this.#parts.tape.entry(SOURCES.device, 0, over.length === 0 ? released : [...released, over]);
  }
}
