// A shop of actors: a warehouse that keeps the stock, customers that order, a till that counts. Each is an ordinary
// class, independent of the worker on which it lives.
import { threadId } from 'node:worker_threads';
import { Actor, type FarRef } from 'turntable';

/** Keeps its class when it is thrown on another worker. */
export class OutOfStock extends Error {
  readonly sku: string;
  constructor(sku: string) {
    super(`no ${sku} left`);
    this.name = 'OutOfStock';
    this.sku = sku;
  }
}

export interface Order {
  readonly customer: string;
  readonly sku: string;
  readonly count: number;
}

export class Warehouse extends Actor {
  readonly #stock: Map<string, number>;

  constructor(stock: Map<string, number>) {
    super();
    this.#stock = stock;
  }

  /** Needs no lock, because a turn is never interrupted between the check and the change. */
  reserve(sku: string, count: number): number {
    const left = (this.#stock.get(sku) ?? 0) - count;
    if (left < 0) throw new OutOfStock(sku);
    this.#stock.set(sku, left);
    return left;
  }

  stock(): Map<string, number> {
    return this.#stock;
  }

  where(): string {
    return `thread ${threadId}`;
  }
}

export class Till extends Actor {
  readonly #orders: Order[] = [];

  take(order: Order): void {
    this.#orders.push(order);
  }

  count(): number {
    return this.#orders.length;
  }
}

export class Customer extends Actor {
  readonly #name: string;
  readonly #warehouse: FarRef<Warehouse>;
  readonly #till: FarRef<Till>;

  constructor(name: string, warehouse: FarRef<Warehouse>, till: FarRef<Till>) {
    super();
    this.#name = name;
    this.#warehouse = warehouse;
    this.#till = till;
  }

  async buy(sku: string, count: number): Promise<string> {
    try {
      const left = await this.#warehouse.reserve(sku, count);
      await this.#till.take({ customer: this.#name, sku, count });
      return `${this.#name}, on thread ${threadId}, has bought ${count} × ${sku}; ${left} left`;
    } catch (error) {
      if (error instanceof OutOfStock) return `${this.#name}, on thread ${threadId}, goes home without ${error.sku}`;
      throw error;
    }
  }
}
