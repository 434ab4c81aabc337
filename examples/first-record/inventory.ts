// A small stock of goods with state that debuggers cannot usually reach: private fields, closures over changing
// variables, and functions suspended in the middle of a loop.

interface Line {
  readonly sku: string;
  readonly count: number;
}

export class OutOfStock extends Error {
  override readonly name = 'OutOfStock';
  readonly sku: string;

  constructor(sku: string, wanted: number, left: number) {
    super(`${wanted} × ${sku} wanted, ${left} left`);
    this.sku = sku;
  }
}

export class Inventory {
  #stock = new Map<string, number>();
  #reservations = 0;
  static #opened = 0;

  constructor(stock: Iterable<readonly [string, number]>) {
    for (const [sku, count] of stock) this.#stock.set(sku, count);
    Inventory.#opened++;
  }

  static get opened(): number {
    return Inventory.#opened;
  }

  async reserve({ sku, count }: Line): Promise<string> {
    const left = this.#stock.get(sku) ?? 0;
    await undefined; // stands in for a database query, during which other reservations run
    if (left < count) throw new OutOfStock(sku, count, left);
    this.#stock.set(sku, (this.#stock.get(sku) ?? 0) - count);
    return `R${++this.#reservations}`;
  }

  *left(): Generator<string, number> {
    let total = 0;
    for (const [sku, count] of this.#stock) {
      total += count;
      yield `${sku}: ${count}`;
    }
    return total;
  }
}
