// Values as bytes, in which what was written stands for itself by a number: objects and symbols that are met again, objects that are known by name,
// chunks of pools. What an object is, is the writer's. Hot path: guarded by bench/heap.

import { Refusal } from './heap-error.ts';
import { Mentions, type Division, type Identities } from './identities.ts';
import { SafeMap, weakMapGet } from './intrinsics.ts';
import { isChunk, PoolWriter } from './pools.ts';
import { Sink, type GiveBytes } from './sink.ts';
import * as T from './tags.ts';
import { isWeakMap, WeakEntries } from './weak-entries.ts';
import type { HeapPorts } from './ports.ts';

export abstract class NumberedSink extends Sink {
  readonly ports: HeapPorts;
  protected readonly mentions: Mentions;
  protected readonly weak: WeakEntries;
  private readonly symbols = new SafeMap<symbol, number>();
  private readonly pools = new PoolWriter();
  /** Objects whose headers are being written. */
  protected readonly opening: object[] = [];
  protected headers = 0;

  constructor(ports: HeapPorts, capacity: number, division: Division, give?: GiveBytes) {
    super(capacity, give);
    this.ports = ports;
    this.mentions = new Mentions(division);
    this.weak = new WeakEntries(ports, this.mentions);
  }

  /** An object; `shallow`: its contents come later. */
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

  /** For headers: the contents come later, so that they may refer to what is being allocated. */
  shallow(value: unknown): void {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return this.value(value);
    if (++this.headers > T.HEADER_DEPTH)
      throw new Refusal(
        value,
        'too many objects need each other to be made',
        'shorten the chain of prototypes, proxies or bound functions',
      );
    if (!this.repeated(value)) this.node(value, true);
    this.headers--;
  }

  private symbol(value: symbol): void {
    // It may have got a name since.
    const number = this.symbols.get(value);
    if (number !== undefined) return this.tagged(T.SYMBOL_AGAIN, number);
    const name = this.ports.known.nameOf(value);
    if (name !== undefined) return this.known(value as unknown as object, name);
    const key = keyFor(value);
    if (key !== undefined) {
      this.byte(T.REGISTERED_SYMBOL);
      return this.string(key);
    }
    this.symbols.set(value, this.symbols.size);
    this.weak.hide(value);
    this.byte(T.SYMBOL);
    this.value(value.description);
  }

  protected known(object: object, name: string): void {
    const number = this.mentions.numberOf(object);
    if (number !== undefined) return this.tagged(T.KNOWN, -1 - number);
    this.tagged(T.KNOWN, this.mentions.numberKnown(object));
    this.string(name);
  }

  /** Writes the number of an object that has one. */
  protected repeated(object: object): boolean {
    const number = this.mentions.numberOf(object);
    if (number === undefined) return false;
    if (number < 0) this.tagged(T.KNOWN, -1 - number);
    else this.tagged(T.AGAIN, number);
    return true;
  }

  protected again(identities: Identities, object: object): void {
    if (this.repeated(object)) return;
    const name = this.ports.known.nameOf(object);
    if (name !== undefined) return this.known(object, name);
    for (let i = 0; i < this.opening.length; i++) {
      if (this.opening[i] === object)
        throw new Refusal(
          object,
          'it is needed to make itself',
          'break the cycle between its prototype or target and it',
        );
    }
    this.tagged(T.AGAIN, this.mentions.share(identities, object));
  }

  /** Whether the buffer is one of Node's pools. If so, this part of it is state; where it lies will be said in the footer. */
  cover(buffer: ArrayBuffer, from: number, length: number): boolean {
    if (this.ports.isPool?.(buffer) !== true && !isChunk(buffer)) return false;
    this.pools.add(buffer, from, length);
    return true;
  }

  /** A weak collection whose entries count as far as their keys are reached otherwise. */
  addWeak(collection: object): void {
    this.weak.add(collection);
  }

  /** The entries whose keys have been reached since the last time; false when there are none. */
  protected weakEntries(): boolean {
    const entries = this.weak.take();
    this.varint(entries.length);
    for (let i = 0; i < entries.length; i++) {
      const [collection, key] = entries[i] as [object, WeakKey];
      this.value(collection);
      this.value(key);
      if (isWeakMap(collection)) this.value(weakMapGet(collection, key));
    }
    return entries.length > 0;
  }

  /** The bytes that have not been given away; only after `run` has answered true. */
  finish(): Uint8Array<ArrayBuffer> {
    const footer = this.size;
    this.mentions.write(this);
    this.pools.write(this);
    this.uint32(this.size - footer);
    return this.close();
  }
}

const { keyFor } = Symbol;
