// Writes values with references by number: repeated objects and symbols, known objects, chunks of pools. The subclass
// writes objects. Hot path: guarded by bench/heap.

import { CaptureRefusal } from './heap-error.ts';
import { IdentityTable, type RootPartition, type IdentitySet } from './identity-table.ts';
import { SafeMap, weakMapGet } from './intrinsics.ts';
import { isRestoredChunk, PoolWriter } from './buffer-pools.ts';
import { ByteWriter, type BytesConsumer } from './byte-writer.ts';
import * as T from './tags.ts';
import { isWeakMap, WeakEntryTracker } from './weak-entry-tracker.ts';
import type { HeapPorts } from './ports.ts';

export abstract class ValueWriter extends ByteWriter {
  readonly ports: HeapPorts;
  protected readonly identityTable: IdentityTable;
  protected readonly weakEntryTracker: WeakEntryTracker;
  private readonly symbolNumbers = new SafeMap<symbol, number>();
  private readonly poolWriter = new PoolWriter();
  /** Objects whose headers are being written. */
  protected readonly openObjects: object[] = [];
  protected headerDepth = 0;

  constructor(ports: HeapPorts, capacity: number, partition: RootPartition, onBytes?: BytesConsumer) {
    super(capacity, onBytes);
    this.ports = ports;
    this.identityTable = new IdentityTable(partition);
    this.weakEntryTracker = new WeakEntryTracker(ports, this.identityTable);
  }

  /** Writes an object or a function. @param shallow whether to defer its contents */
  protected abstract node(object: object, shallow: boolean): void;

  value(value: unknown): void {
    switch (typeof value) {
      case 'object':
        return value === null ? this.byte(T.NULL) : this.node(value, false);
      case 'string':
        return this.string(value);
      case 'number':
        return this.number(value);
      case 'boolean':
        return this.byte(value ? T.TRUE : T.FALSE);
      case 'undefined':
        return this.byte(T.UNDEFINED);
      case 'function':
        return this.node(value, false);
      case 'symbol':
        return this.symbol(value);
      case 'bigint':
        return this.bigint(value);
    }
  }

  /** Writes a value of a header. Its contents are deferred, so that they may refer to the object being allocated. */
  shallow(value: unknown): void {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return this.value(value);
    if (++this.headerDepth > T.MAX_HEADER_DEPTH)
      throw new CaptureRefusal(
        value,
        'its chain of prototypes, proxies or bound functions is too long',
        'shorten the chain',
      );
    if (!this.writeIfNumbered(value)) this.node(value, true);
    this.headerDepth--;
  }

  private symbol(value: symbol): void {
    // The number is checked first: the symbol may have got a name since it was written.
    const number = this.symbolNumbers.get(value);
    if (number !== undefined) return this.tagged(T.SYMBOL_REFERENCE, number);
    const name = this.ports.known.nameOf(value);
    if (name !== undefined) return this.knownObject(value as unknown as object, name);
    const key = keyFor(value);
    if (key !== undefined) {
      this.byte(T.REGISTERED_SYMBOL);
      return this.string(key);
    }
    this.symbolNumbers.set(value, this.symbolNumbers.size);
    this.weakEntryTracker.addOpaqueKey(value);
    this.byte(T.SYMBOL);
    this.value(value.description);
  }

  protected knownObject(object: object, name: string): void {
    const number = this.identityTable.numberOf(object);
    if (number !== undefined) return this.tagged(T.KNOWN, -1 - number);
    this.tagged(T.KNOWN, this.identityTable.numberKnown(object));
    this.string(name);
  }

  /** Writes the number of an object. Returns false if the object has no number. */
  protected writeIfNumbered(object: object): boolean {
    const number = this.identityTable.numberOf(object);
    if (number === undefined) return false;
    if (number < 0) this.tagged(T.KNOWN, -1 - number);
    else this.tagged(T.REFERENCE, number);
    return true;
  }

  protected writeReference(identitySet: IdentitySet, object: object): void {
    if (this.writeIfNumbered(object)) return;
    const name = this.ports.known.nameOf(object);
    if (name !== undefined) return this.knownObject(object, name);
    for (let i = 0; i < this.openObjects.length; i++) {
      if (this.openObjects[i] === object)
        throw new CaptureRefusal(object, 'it is its own prototype or target, through a cycle', 'break the cycle');
    }
    this.tagged(T.REFERENCE, this.identityTable.numberShared(identitySet, object));
  }

  /** Adds a slice of a pool to the state; its place goes to the footer. Returns false if the buffer is no pool. */
  coverPoolSlice(buffer: ArrayBuffer, from: number, length: number): boolean {
    if (this.ports.isPool?.(buffer) !== true && !isRestoredChunk(buffer)) return false;
    this.poolWriter.add(buffer, from, length);
    return true;
  }

  /** Adds a weak collection, whose entries count only if their keys are reached otherwise. */
  addWeakCollection(collection: object): void {
    this.weakEntryTracker.add(collection);
  }

  /** Writes entries whose keys have been reached since the last call. Returns false if there are none. */
  protected writeWeakEntries(): boolean {
    const entries = this.weakEntryTracker.takeReached();
    this.varint(entries.length);
    for (let i = 0; i < entries.length; i++) {
      const [collection, key] = entries[i] as [object, WeakKey];
      this.value(collection);
      this.value(key);
      if (isWeakMap(collection)) this.value(weakMapGet(collection, key));
    }
    return entries.length > 0;
  }

  /** Returns the bytes that no consumer has taken. Valid after `run` has returned true. */
  finish(): Uint8Array<ArrayBuffer> {
    const footerStart = this.size;
    this.identityTable.write(this);
    this.poolWriter.write(this);
    this.uint32(this.size - footerStart);
    return this.close();
  }
}

const { keyFor } = Symbol;
