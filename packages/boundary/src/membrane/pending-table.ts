// Objects by numbers that rise, each for a while: until it is taken out. Not a Map: where a Map that lives long is filled and emptied all the time, its tables
// lead from each to the next, and the collector of young objects takes all that was ever in them for alive (a fifth of what a request took).

const SLOT_COUNT = 256;

interface Slot<Value> {
  readonly number: number;
  readonly value: Value;
}

export class PendingTable<Value> {
  readonly #slots: (Slot<Value> | undefined)[] = Array.from({ length: SLOT_COUNT });
  /** Those that were still there when so many had come after them. */
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

  /** In the order of their numbers. */
  entries(): [number, Value][] {
    const all = [...this.#overflow];
    for (const slot of this.#slots) if (slot !== undefined) all.push([slot.number, slot.value]);
    return all.toSorted(([a], [b]) => a - b);
  }
}
