// Customers, cached and written through. A change reads and writes within one turn, so that concurrent changes by any
// number of actors do not lose each other.

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

  /** Changes the fields that customers may change themselves; returns the changed customer. */
  async changeProfile({
    _id,
    password,
    address,
    phoneNumber,
    phoneNumberType,
  }: Profile): Promise<Customer | undefined> {
    return this.#change(_id, (current) => ({ ...current, password, address, phoneNumber, phoneNumberType }));
  }

  /** Replaces the customer; returns whether it exists. */
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
    // The customer may have changed during the await: apply the change to the current state.
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
    // A concurrent request may have loaded and changed the customer during the await.
    const cached = this.#cache.get(id);
    if (cached === undefined && customer !== undefined) this.#cache.set(id, customer);
    return cached ?? customer;
  }
}
