// Reads values with references by number (repeated objects and symbols, known objects, chunks of pools) and deferred
// contents, since references may precede the contents. The subclass interprets objects. Hot path: bench/heap.

import { HeapError } from './heap-error.ts';
import { PoolReader } from './buffer-pools.ts';
import { ByteReader } from './byte-reader.ts';
import * as T from './tags.ts';
import type { ReaderPorts } from './ports.ts';

/** Number of an object without further references. */
export const NOT_SHARED = -1;

export abstract class ValueReader extends ByteReader {
  readonly ports: ReaderPorts;
  /** Pairs of position and number of the objects with further references. */
  private readonly sharedPairs: number[] = [];
  /** Number of objects read, position of the next shared one, and its index in `sharedPairs`. */
  private metCount = 0;
  private nextSharedPosition = NOT_SHARED;
  private pairIndex = 0;
  protected readonly sharedObjects: (object | undefined)[] = [];
  private readonly knownByNumber: (object | symbol)[] = [];
  private readonly symbols: symbol[] = [];
  /** Deferred contents, and how many of them have been read. */
  private readonly deferredFills: (() => void)[] = [];
  private drainedCount = 0;
  /** Actions that need everything else to have been read. */
  protected readonly finalActions: (() => void)[] = [];
  /** Whether the contents of the current object are deferred. */
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

  stringValue(): string {
    const start = this.offset;
    const value = this.value();
    if (typeof value !== 'string') throw this.corrupt('a string', start);
    return value;
  }

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

  /** Enters the next object. Returns its number if it is shared. */
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

  runAtEnd(action: () => void): void {
    this.finalActions[this.finalActions.length] = action;
  }

  /** Turns errors of an adapter or constructor into errors about damaged bytes. */
  guard<R>(start: number, make: () => R): R {
    try {
      return make();
    } catch (error) {
      if (error instanceof HeapError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new HeapError(
        'TT_CORRUPT_STATE',
        `the state is damaged at byte ${start}: ${message}; restore another snapshot`,
        {
          offset: start,
          cause: error,
        },
      );
    }
  }

  protected readList(): unknown[] {
    const count = this.count(1, 'values');
    const values: unknown[] = [];
    for (let i = 0; i < count; i++) values[i] = this.value();
    return values;
  }

  /** Returns the buffer and offset of the next view of a pool. */
  nextPoolSlice(): { buffer: ArrayBuffer; offset: number } {
    return this.poolReader.nextSlice(this);
  }

  /** Returns whether the next element is a hole, and skips it. */
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
