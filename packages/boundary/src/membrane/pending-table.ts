// Values by ascending number, each until it is taken. Not a Map, because a long-lived Map that is constantly filled and
// emptied keeps its replaced tables linked: the young-generation collector then treats everything that was ever in them
// as alive (a fifth of the cost of a request).

const SLOT_COUNT = 256;

interface Slot<Value> {
  readonly number: number;
  readonly value: Value;
}

export class PendingTable<Value> {
  readonly #slots: (Slot<Value> | undefined)[] = Array.from({ length: SLOT_COUNT });
  /** Values that were still pending when their slot was needed for a later number. */
  readonly #overflow = new Map<number, Value>();

  add(number: number, value: Value): void {
    const slotIndex = number % SLOT_COUNT;
    const previous = this.#slots[slotIndex];
    if (previous !== undefined) this.#overflow.set(previous.number, previous.value);
    this.#slots[slotIndex] = { number, value };
  }

  take(number: number): Value | undefined {
    const slotIndex = number % SLOT_COUNT;
    const slot = this.#slots[slotIndex];
    if (slot?.number === number) {
      this.#slots[slotIndex] = undefined;
      return slot.value;
    }
    if (this.#overflow.size === 0) return undefined;
    const value = this.#overflow.get(number);
    this.#overflow.delete(number);
    return value;
  }

  /** Returns the pending values in ascending order of numbers. */
  entries(): [number, Value][] {
    const all = [...this.#overflow];
    for (const slot of this.#slots) if (slot !== undefined) all.push([slot.number, slot.value]);
    return all.toSorted(([a], [b]) => a - b);
  }
}
