// The suite brings its own collections, so that compiled code is compared and not built-in collections.
// A vector is a window [first, last) of a backing array that doubles when it is full.

const INITIAL_CAPACITY = 10;

export class Vector<E> {
  declare storage: E[] | null;
  declare first: number;
  declare last: number;

  constructor(capacity?: number) {
    this.storage = capacity === undefined || capacity === 0 ? null : new Array<E>(capacity);
    this.first = 0;
    this.last = 0;
  }

  static with<T>(element: T): Vector<T> {
    const vector = new Vector<T>(1);
    vector.append(element);
    return vector;
  }

  at(index: number): E | null {
    if (this.storage === null || index >= this.storage.length) return null;
    return this.storage[index]!;
  }

  atPut(index: number, element: E): void {
    if (this.storage === null) {
      this.storage = new Array<E>(Math.max(index + 1, INITIAL_CAPACITY));
    } else if (index >= this.storage.length) {
      let capacity = this.storage.length;
      while (capacity <= index) capacity *= 2;
      this.storage = this.storage.slice();
      this.storage.length = capacity;
    }
    this.storage[index] = element;
    if (this.last < index + 1) this.last = index + 1;
  }

  append(element: E): void {
    if (this.storage === null) {
      this.storage = new Array<E>(INITIAL_CAPACITY);
    } else if (this.last >= this.storage.length) {
      const capacity = this.storage.length * 2;
      this.storage = this.storage.slice();
      this.storage.length = capacity;
    }
    this.storage[this.last] = element;
    this.last += 1;
  }

  isEmpty(): boolean {
    return this.first === this.last;
  }

  forEach(fn: (element: E) => void): void {
    for (let i = this.first; i < this.last; i += 1) {
      fn(this.storage![i]!);
    }
  }

  hasSome(fn: (element: E) => boolean): boolean {
    for (let i = this.first; i < this.last; i += 1) {
      if (fn(this.storage![i]!)) return true;
    }
    return false;
  }

  getOne(fn: (element: E) => boolean): E | null {
    for (let i = this.first; i < this.last; i += 1) {
      const element = this.storage![i]!;
      if (fn(element)) return element;
    }
    return null;
  }

  removeFirst(): E | null {
    if (this.isEmpty()) return null;
    this.first += 1;
    return this.storage![this.first - 1]!;
  }

  remove(victim: E): boolean {
    if (this.storage === null || this.isEmpty()) return false;

    const kept = new Array<E>(this.capacity());
    let count = 0;
    let found = false;
    this.forEach((element) => {
      if (element === victim) {
        found = true;
      } else {
        kept[count] = element;
        count += 1;
      }
    });

    this.storage = kept;
    this.first = 0;
    this.last = count;
    return found;
  }

  removeAll(): void {
    this.first = 0;
    this.last = 0;
    if (this.storage !== null) this.storage = new Array<E>(this.storage.length);
  }

  size(): number {
    return this.last - this.first;
  }

  capacity(): number {
    return this.storage === null ? 0 : this.storage.length;
  }

  /** `before(a, b)` says whether `a` must stand before `b`. */
  sort(before: (a: E, b: E) => boolean): void {
    if (this.size() > 0) this.sortRange(this.first, this.last - 1, before);
  }

  private sortRange(low: number, high: number, before: (a: E, b: E) => boolean): void {
    if (low >= high) return;
    const storage = this.storage!;
    const pivot = storage[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (before(storage[i]!, pivot)) i += 1;
      while (before(pivot, storage[j]!)) j -= 1;
      if (i <= j) {
        this.swap(i, j);
        i += 1;
        j -= 1;
      }
    }
    this.sortRange(low, j, before);
    this.sortRange(i, high, before);
  }

  private swap(i: number, j: number): void {
    const storage = this.storage!;
    const element = storage[i]!;
    storage[i] = storage[j]!;
    storage[j] = element;
  }
}
