// Hash tables with chained buckets; keys bring their own hash. Doubling splits each chain in two in place, entries keep
// their order.

import { Vector } from './vector.ts';

const INITIAL_CAPACITY = 16;

export interface Key {
  customHash(): number;
}

export class Entry<K extends Key, V> {
  declare hash: number;
  declare key: K;
  declare value: V;
  declare next: Entry<K, V> | null;

  constructor(hash: number, key: K, value: V, next: Entry<K, V> | null) {
    this.hash = hash;
    this.key = key;
    this.value = value;
    this.next = next;
  }

  match(hash: number, key: K): boolean {
    return this.hash === hash && key === this.key;
  }
}

type Bucket<K extends Key, V> = Entry<K, V> | null | undefined;

function hashOf(key: Key | null): number {
  if (!key) return 0;
  const hash = key.customHash();
  return hash ^ (hash >>> 16);
}

export class Dictionary<K extends Key, V> {
  declare buckets: Bucket<K, V>[];
  declare count: number;

  constructor(capacity?: number) {
    this.buckets = new Array<Bucket<K, V>>(capacity === undefined ? INITIAL_CAPACITY : capacity);
    this.count = 0;
  }

  size(): number {
    return this.count;
  }

  isEmpty(): boolean {
    return this.count === 0;
  }

  bucketIndex(hash: number): number {
    return (this.buckets.length - 1) & hash;
  }

  bucket(hash: number): Bucket<K, V> {
    return this.buckets[this.bucketIndex(hash)];
  }

  at(key: K): V | null {
    const hash = hashOf(key);
    let entry = this.bucket(hash);
    while (entry) {
      if (entry.match(hash, key)) return entry.value;
      entry = entry.next;
    }
    return null;
  }

  containsKey(key: K): boolean {
    const hash = hashOf(key);
    let entry = this.bucket(hash);
    while (entry) {
      if (entry.match(hash, key)) return true;
      entry = entry.next;
    }
    return false;
  }

  atPut(key: K, value: V): void {
    const hash = hashOf(key);
    const index = this.bucketIndex(hash);
    const head = this.buckets[index];
    if (!head) {
      this.buckets[index] = this.newEntry(key, value, hash);
      this.count += 1;
    } else {
      this.insertInBucket(key, value, hash, head);
    }
    if (this.count > this.buckets.length) this.resize();
  }

  newEntry(key: K, value: V, hash: number): Entry<K, V> {
    return new Entry(hash, key, value, null);
  }

  insertInBucket(key: K, value: V, hash: number, head: Entry<K, V>): void {
    let entry = head;
    while (true) {
      if (entry.match(hash, key)) {
        entry.value = value;
        return;
      }
      if (!entry.next) {
        this.count += 1;
        entry.next = this.newEntry(key, value, hash);
        return;
      }
      entry = entry.next;
    }
  }

  resize(): void {
    const old = this.buckets;
    this.buckets = new Array<Bucket<K, V>>(old.length * 2);
    this.transferEntries(old);
  }

  transferEntries(old: Bucket<K, V>[]): void {
    for (let i = 0; i < old.length; i += 1) {
      const head = old[i];
      if (head) {
        old[i] = null;
        if (!head.next) {
          this.buckets[head.hash & (this.buckets.length - 1)] = head;
        } else {
          this.splitBucket(old, i, head);
        }
      }
    }
  }

  splitBucket(old: Bucket<K, V>[], index: number, head: Entry<K, V>): void {
    let lowHead: Entry<K, V> | null = null;
    let lowTail: Entry<K, V> | null = null;
    let highHead: Entry<K, V> | null = null;
    let highTail: Entry<K, V> | null = null;

    let entry: Entry<K, V> | null = head;
    while (entry) {
      if ((entry.hash & old.length) === 0) {
        if (!lowTail) {
          lowHead = entry;
        } else {
          lowTail.next = entry;
        }
        lowTail = entry;
      } else {
        if (!highTail) {
          highHead = entry;
        } else {
          highTail.next = entry;
        }
        highTail = entry;
      }
      entry = entry.next;
    }

    if (lowTail) {
      lowTail.next = null;
      this.buckets[index] = lowHead;
    }
    if (highTail) {
      highTail.next = null;
      this.buckets[index + old.length] = highHead;
    }
  }

  removeAll(): void {
    this.buckets = new Array<Bucket<K, V>>(this.buckets.length);
    this.count = 0;
  }

  keys(): Vector<K> {
    const keys = new Vector<K>(this.count);
    for (let i = 0; i < this.buckets.length; i += 1) {
      let entry = this.buckets[i];
      while (entry) {
        keys.append(entry.key);
        entry = entry.next;
      }
    }
    return keys;
  }

  values(): Vector<V> {
    const values = new Vector<V>(this.count);
    for (let i = 0; i < this.buckets.length; i += 1) {
      let entry = this.buckets[i];
      while (entry) {
        values.append(entry.value);
        entry = entry.next;
      }
    }
    return values;
  }
}

export class IdentityEntry<K extends Key, V> extends Entry<K, V> {
  override match(hash: number, key: K): boolean {
    return this.hash === hash && this.key === key;
  }
}

export class IdentityDictionary<K extends Key, V> extends Dictionary<K, V> {
  constructor(capacity?: number) {
    super(capacity === undefined ? INITIAL_CAPACITY : capacity);
  }

  override newEntry(key: K, value: V, hash: number): Entry<K, V> {
    return new IdentityEntry(hash, key, value, null);
  }
}
