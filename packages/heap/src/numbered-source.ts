// Bytes in which what came before stands for itself by a number: objects and symbols that are mentioned again, objects that are known by name,
// chunks of pools. And contents that wait, since an object can be mentioned before they are read. What a value is, is the reader's.
// Hot path: bench/heap.

import { HeapError } from './heap-error.ts';
import { PoolReader } from './pools.ts';
import { Source } from './source.ts';
import * as T from './tags.ts';
import type { ReaderPorts } from './ports.ts';

/** The number of an object that is not mentioned again. */
export const NOWHERE = -1;

export abstract class NumberedSource extends Source {
  readonly ports: ReaderPorts;
  /** Places of objects that are mentioned again, and their numbers: place, number, … */
  private readonly places: number[] = [];
  /** How many objects have begun, where the next one begins that is mentioned again, and where in `places` that stands. */
  private met = 0;
  private nextPlace = NOWHERE;
  private mention = 0;
  protected readonly shared: (object | undefined)[] = [];
  private readonly known: (object | symbol)[] = [];
  private readonly symbols: symbol[] = [];
  /** Contents that wait, and how many of them have been read. */
  private readonly queue: (() => void)[] = [];
  private drained = 0;
  /** What needs everything else to have been read. */
  protected readonly last: (() => void)[] = [];
  /** The contents of the object at hand wait. */
  protected deferred = false;
  private readonly pools = new PoolReader();

  constructor(ports: ReaderPorts, bytes: Uint8Array, memory: number) {
    super(bytes, 0, bytes.length, memory);
    this.ports = ports;
  }

  abstract value(): unknown;

  protected footer(): void {
    const shared = this.count(2, 'shared objects');
    let place = 0;
    for (let i = 0; i < shared; i++) {
      this.shared[i] = undefined;
      place += this.varint();
      this.places[2 * i] = place;
      this.places[2 * i + 1] = this.index(shared, 'the number of a shared object');
    }
    this.nextPlace = this.places[0] ?? NOWHERE;
    this.pools.read(this);
    if (this.at !== this.end) throw this.corrupt('the end of the footer');
  }

  /** A value that must be a string. */
  text(): string {
    const at = this.at;
    const value = this.value();
    if (typeof value !== 'string') throw this.corrupt('a string', at);
    return value;
  }

  /** A value that must be an object or function. */
  reference(): object {
    const at = this.at;
    const value = this.value();
    if (!isObject(value)) throw this.corrupt('an object', at);
    return value;
  }

  protected again(): object {
    const at = this.at;
    const object = this.shared[this.index(this.shared.length, 'the number of a shared object')];
    if (object === undefined) throw this.corrupt('an object that came before', at);
    return object;
  }

  protected knownObject(): object | symbol {
    const at = this.at;
    const number = this.index(this.known.length + 1, 'the number of a known object');
    const before = this.known[number];
    if (before !== undefined) return before;
    const name = this.text();
    const object = this.ports.known.named(name);
    if (object === undefined) {
      throw new HeapError(
        'TT_FOREIGN_STATE',
        `the state refers to ${JSON.stringify(name)} (byte ${at}), which does not exist here; restore with the same version of Node and the same modules`,
        { offset: at },
      );
    }
    this.known[number] = object;
    return object;
  }

  protected earlierSymbol(): symbol | undefined {
    return this.symbols[this.index(this.symbols.length, 'the number of a symbol')];
  }

  protected newSymbol(): symbol {
    const description = this.value();
    if (description !== undefined && typeof description !== 'string') throw this.corrupt('a description');
    const symbol = Symbol(description);
    this.symbols[this.symbols.length] = symbol;
    return symbol;
  }

  /** The next object begins: answers its number if it will be mentioned again. */
  protected enter(): number {
    if (this.met++ !== this.nextPlace) return NOWHERE;
    const { places } = this;
    const number = places[this.mention + 1] as number;
    this.mention += 2;
    this.nextPlace = places[this.mention] ?? NOWHERE;
    return number;
  }

  protected register(number: number, object: object): void {
    if (number >= 0) this.shared[number] = object;
  }

  protected isDeferred(): boolean {
    const { deferred } = this;
    this.deferred = false;
    return deferred;
  }

  /** Does something when everything has been read. */
  atEnd(action: () => void): void {
    this.last[this.last.length] = action;
  }

  /** What an adapter or a constructor says of damaged parts is an error of the bytes. */
  guarded<R>(at: number, make: () => R): R {
    try {
      return make();
    } catch (error) {
      if (error instanceof HeapError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new HeapError('TT_CORRUPT_STATE', `state is damaged at byte ${at}: ${message}`, {
        offset: at,
        cause: error,
      });
    }
  }

  protected list(): unknown[] {
    const count = this.count(1, 'values');
    const values: unknown[] = [];
    for (let i = 0; i < count; i++) values[i] = this.value();
    return values;
  }

  /** Where in a chunk of a pool the view at hand begins. */
  slice(): { buffer: ArrayBuffer; offset: number } {
    return this.pools.next(this);
  }

  /** True if the next element is a hole, which is then read. */
  isHole(): boolean {
    if (this.bytes[this.at] !== T.HOLE || this.at >= this.end) return false;
    this.at++;
    return true;
  }

  protected later(fill: () => void): void {
    this.queue[this.queue.length] = fill;
  }

  protected drain(): void {
    while (this.drained < this.queue.length) {
      const fill = this.queue[this.drained] as () => void;
      (this.queue as unknown[])[this.drained++] = undefined;
      fill();
    }
  }

  /** What waited for everything to have been read. */
  protected atLast(): void {
    for (let i = 0; i < this.last.length; i++) (this.last[i] as () => void)();
  }

  propertyKey(): PropertyKey {
    const { at } = this;
    const key = this.value();
    if (typeof key !== 'string' && typeof key !== 'symbol') throw this.corrupt('a property key', at);
    return key;
  }
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
