// Sets by linear search over a vector: the two kinds differ in name only, as in the other languages' ports, where one
// compares by equality and the other by identity.

import { Vector } from './vector.ts';

const INITIAL_CAPACITY = 10;

export class VectorSet<E> {
  declare items: Vector<E>;

  constructor(capacity?: number) {
    this.items = new Vector(capacity === undefined ? INITIAL_CAPACITY : capacity);
  }

  size(): number {
    return this.items.size();
  }

  forEach(fn: (element: E) => void): void {
    this.items.forEach(fn);
  }

  hasSome(fn: (element: E) => boolean): boolean {
    return this.items.hasSome(fn);
  }

  getOne(fn: (element: E) => boolean): E | null {
    return this.items.getOne(fn);
  }

  add(element: E): void {
    if (!this.contains(element)) this.items.append(element);
  }

  contains(candidate: E): boolean {
    return this.hasSome((element) => element === candidate);
  }

  removeAll(): void {
    this.items.removeAll();
  }

  collect<T>(fn: (element: E) => T): Vector<T> {
    const collected = new Vector<T>();
    this.forEach((element) => collected.append(fn(element)));
    return collected;
  }
}

export class IdentitySet<E> extends VectorSet<E> {
  constructor(capacity?: number) {
    super(capacity === undefined ? INITIAL_CAPACITY : capacity);
  }

  override contains(candidate: E): boolean {
    return this.hasSome((element) => element === candidate);
  }
}
