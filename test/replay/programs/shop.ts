// Customers request prices of a shop, which returns them by reference, book and pay. Every payment raises all prices, so a customer that has read a price
// before another payment pays too little and fails. Which customers fail depends on scheduling.

import { far, type FarRef } from 'turntable';
import { spawn } from './spawn.ts';

const CUSTOMERS = 11;
const RAISE = 10;

export class PriceList {
  readonly #prices = [100, 200, 300];

  priceOf(item: number): number {
    return this.#prices[item] as number;
  }

  raise(): void {
    this.#prices.forEach((price, i) => (this.#prices[i] = price + RAISE));
  }
}

export class Shop {
  readonly #list = new PriceList();
  readonly #prices = far(this.#list);
  readonly #bookings: { readonly item: number; readonly customer: string }[] = [];

  prices(): FarRef<PriceList> {
    return this.#prices;
  }

  book(item: number, customer: string): number {
    return this.#bookings.push({ item, customer }) - 1;
  }

  pay(booking: number, amount: number): string {
    const { item, customer } = this.#bookings[booking] as { item: number; customer: string };
    const price = this.#list.priceOf(item);
    if (amount !== price) throw new Error(`${customer} pays ${amount} for what costs ${price}`);
    this.#list.raise();
    return `${customer} has bought ${item} for ${price}`;
  }
}

export class Customer {
  readonly #name: string;
  readonly #shop: FarRef<Shop>;

  constructor(name: string, shop: FarRef<Shop>) {
    this.#name = name;
    this.#shop = shop;
  }

  async buy(item: number): Promise<string> {
    const prices = await this.#shop.prices();
    const price = await prices.priceOf(item);
    const booking = await this.#shop.book(item, this.#name);
    await new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 3));
    return this.#shop.pay(booking, price);
  }
}

export async function run(): Promise<unknown> {
  const shop = spawn(Shop);
  const customers = Array.from({ length: CUSTOMERS }, (_, i) => spawn(Customer, `customer ${i}`, shop));
  const bought = await Promise.allSettled(customers.map((customer, i) => customer.buy(i % 3)));
  return bought.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error).message));
}
