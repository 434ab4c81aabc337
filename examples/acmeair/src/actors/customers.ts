// Customers as they are now: what is asked for is kept, what changes is written through. A change is made within one turn, so none can come between its
// reading and its writing, however many actors ask for some.

import { LRUCache } from 'lru-cache';
import { Actor, type FarRef } from 'turntable';
import type { Customer } from '../model.ts';
import type { Database } from './database.ts';

export type Profile = Pick<Customer, '_id' | 'password' | 'address' | 'phoneNumber' | 'phoneNumberType'>;

export class Customers extends Actor {
  readonly #database: FarRef<Database>;
  readonly #cache: LRUCache<string, Customer>;

  constructor(database: FarRef<Database>, maxEntries: number) {
    super();
    this.#database = database;
    this.#cache = new LRUCache({ max: maxEntries });
  }

  async find(id: string): Promise<Customer | undefined> {
    return this.#cache.get(id) ?? this.#load(id);
  }

  /** What customers may change of themselves; answers what it is then. */
  async changeProfile({
    _id,
    password,
    address,
    phoneNumber,
    phoneNumberType,
  }: Profile): Promise<Customer | undefined> {
    return this.#change(_id, (current) => ({ ...current, password, address, phoneNumber, phoneNumberType }));
  }

  /** Takes the place of what is known of the customer; answers whether there is one. */
  async replace(customer: Customer): Promise<boolean> {
    if ((await this.find(customer._id)) === undefined) return false;
    return this.#store(customer);
  }

  async addMiles(id: string, miles: number): Promise<boolean> {
    const changed = await this.#change(id, (current) => ({
      ...current,
      total_miles: current.total_miles + miles,
      miles_ytd: current.miles_ytd + miles,
    }));
    return changed !== undefined;
  }

  async #change(id: string, change: (current: Customer) => Customer): Promise<Customer | undefined> {
    const found = await this.find(id);
    if (found === undefined) return undefined;
    // Others may have changed it behind the await: what counts is what it is now.
    const changed = change(this.#cache.get(id) ?? found);
    await this.#store(changed);
    return changed;
  }

  #store(customer: Customer): Promise<boolean> {
    this.#cache.set(customer._id, customer);
    return this.#database.update('customer', customer);
  }

  async #load(id: string): Promise<Customer | undefined> {
    const customer = await this.#database.find('customer', id);
    // Somebody who asked for it as well may have changed it meanwhile.
    const cached = this.#cache.get(id);
    if (cached === undefined && customer !== undefined) this.#cache.set(id, customer);
    return cached ?? customer;
  }
}
