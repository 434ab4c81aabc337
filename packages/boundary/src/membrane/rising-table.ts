// Objects by numbers that rise, each for a while: until it is taken out. Not a Map: where a Map that lives long is filled and emptied all the time, its tables
// lead from each to the next, and the collector of young objects takes all that was ever in them for alive (a fifth of what a request took).

const SLOTS = 256;

interface Slot<Value> {
  readonly number: number;
  readonly value: Value;
}

export class RisingTable<Value> {
  readonly #slots: (Slot<Value> | undefined)[] = Array.from({ length: SLOTS });
  /** Those that were still there when so many had come after them. */
  readonly #old = new Map<number, Value>();

  add(number: number, value: Value): void {
    const at = number % SLOTS;
    const before = this.#slots[at];
    if (before !== undefined) this.#old.set(before.number, before.value);
    this.#slots[at] = { number, value };
  }

  take(number: number): Value | undefined {
    const at = number % SLOTS;
    const slot = this.#slots[at];
    if (slot?.number === number) {
      this.#slots[at] = undefined;
      return slot.value;
    }
    if (this.#old.size === 0) return undefined;
    const value = this.#old.get(number);
    this.#old.delete(number);
    return value;
  }

  /** In the order of their numbers. */
  entries(): [number, Value][] {
    const found = [...this.#old];
    for (const slot of this.#slots) if (slot !== undefined) found.push([slot.number, slot.value]);
    return found.toSorted(([a], [b]) => a - b);
  }
}
