// Bytes in which what came before stands for itself by a number: objects and symbols that are mentioned again, objects that are known by name,
// chunks of pools. And contents that wait, since an object can be mentioned before they are read. What a value is, is the reader's.
// Hot path: bench/heap.

import { HeapError } from './heap-error.ts';
import { PoolReader } from './buffer-pools.ts';
import { ByteReader } from './byte-reader.ts';
import * as T from './tags.ts';
import type { ReaderPorts } from './ports.ts';

/** The number of an object that is not mentioned again. */
export const NOT_SHARED = -1;

export abstract class ValueReader extends ByteReader {
  readonly ports: ReaderPorts;
  /** Places of objects that are mentioned again, and their numbers: place, number, … */
  private readonly sharedPairs: number[] = [];
  /** How many objects have begun, where the next one begins that is mentioned again, and where in `sharedPairs` that stands. */
  private metCount = 0;
  private nextSharedPosition = NOT_SHARED;
  private pairIndex = 0;
  protected readonly sharedObjects: (object | undefined)[] = [];
  private readonly knownByNumber: (object | symbol)[] = [];
  private readonly symbols: symbol[] = [];
  /** Contents that wait, and how many of them have been read. */
  private readonly deferredFills: (() => void)[] = [];
  private drainedCount = 0;
  /** What needs everything else to have been read. */
  protected readonly finalActions: (() => void)[] = [];
  /** The contents of the object at hand wait. */
  protected isNextDeferred = false;
  private readonly poolReader = new PoolReader();

  constructor(ports: ReaderPorts, bytes: Uint8Array, memory: number) {
    super(bytes, 0, bytes.length, memory);
    this.ports = ports;
  }

  abstract value(): unknown;

  protected readFooter(): void {
    const sharedCount = this.count(2, 'shared objects');
    let position = 0;
    for (let i = 0; i < sharedCount; i++) {
      this.sharedObjects[i] = undefined;
      position += this.varint();
      this.sharedPairs[2 * i] = position;
      this.sharedPairs[2 * i + 1] = this.index(sharedCount, 'the number of a shared object');
    }
    this.nextSharedPosition = this.sharedPairs[0] ?? NOT_SHARED;
    this.poolReader.read(this);
    if (this.offset !== this.end) throw this.corrupt('the end of the footer');
  }

  /** A value that must be a string. */
  stringValue(): string {
    const start = this.offset;
    const value = this.value();
    if (typeof value !== 'string') throw this.corrupt('a string', start);
    return value;
  }

  /** A value that must be an object or function. */
  objectValue(): object {
    const start = this.offset;
    const value = this.value();
    if (!isObject(value)) throw this.corrupt('an object', start);
    return value;
  }

  protected readReference(): object {
    const start = this.offset;
    const object = this.sharedObjects[this.index(this.sharedObjects.length, 'the number of a shared object')];
    if (object === undefined) throw this.corrupt('an object that came before', start);
    return object;
  }

  protected readKnownObject(): object | symbol {
    const start = this.offset;
    const number = this.index(this.knownByNumber.length + 1, 'the number of a known object');
    const known = this.knownByNumber[number];
    if (known !== undefined) return known;
    const name = this.stringValue();
    const object = this.ports.known.objectNamed(name);
    if (object === undefined) {
      throw new HeapError(
        'TT_FOREIGN_STATE',
        `the state refers to ${JSON.stringify(name)} (byte ${start}), which does not exist here; restore with the same version of Node and the same modules`,
        { offset: start },
      );
    }
    this.knownByNumber[number] = object;
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
  protected enterObject(): number {
    if (this.metCount++ !== this.nextSharedPosition) return NOT_SHARED;
    const { sharedPairs } = this;
    const number = sharedPairs[this.pairIndex + 1] as number;
    this.pairIndex += 2;
    this.nextSharedPosition = sharedPairs[this.pairIndex] ?? NOT_SHARED;
    return number;
  }

  protected registerShared(number: number, object: object): void {
    if (number >= 0) this.sharedObjects[number] = object;
  }

  protected takeDeferral(): boolean {
    const { isNextDeferred: isDeferred } = this;
    this.isNextDeferred = false;
    return isDeferred;
  }

  /** Does something when everything has been read. */
  runAtEnd(action: () => void): void {
    this.finalActions[this.finalActions.length] = action;
  }

  /** What an adapter or a constructor says of damaged parts is an error of the bytes. */
  guard<R>(start: number, make: () => R): R {
    try {
      return make();
    } catch (error) {
      if (error instanceof HeapError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new HeapError('TT_CORRUPT_STATE', `state is damaged at byte ${start}: ${message}`, {
        offset: start,
        cause: error,
      });
    }
  }

  protected readList(): unknown[] {
    const count = this.count(1, 'values');
    const values: unknown[] = [];
    for (let i = 0; i < count; i++) values[i] = this.value();
    return values;
  }

  /** Where in a chunk of a pool the view at hand begins. */
  nextPoolSlice(): { buffer: ArrayBuffer; offset: number } {
    return this.poolReader.nextSlice(this);
  }

  /** True if the next element is a hole, which is then read. */
  skipHole(): boolean {
    if (this.bytes[this.offset] !== T.HOLE || this.offset >= this.end) return false;
    this.offset++;
    return true;
  }

  protected defer(fill: () => void): void {
    this.deferredFills[this.deferredFills.length] = fill;
  }

  protected drainDeferred(): void {
    while (this.drainedCount < this.deferredFills.length) {
      const fill = this.deferredFills[this.drainedCount] as () => void;
      (this.deferredFills as unknown[])[this.drainedCount++] = undefined;
      fill();
    }
  }

  /** What waited for everything to have been read. */
  protected runFinalActions(): void {
    for (let i = 0; i < this.finalActions.length; i++) (this.finalActions[i] as () => void)();
  }

  propertyKey(): PropertyKey {
    const { offset: start } = this;
    const key = this.value();
    if (typeof key !== 'string' && typeof key !== 'symbol') throw this.corrupt('a property key', start);
    return key;
  }
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
