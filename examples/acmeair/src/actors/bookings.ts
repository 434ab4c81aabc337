// Bookings of some customers: each customer belongs to one of these actors, which caches bookings and writes them
// through.

import { randomUUID } from 'node:crypto';
import { Actor, type FarRef } from 'turntable';
import type { Booking } from '../model.ts';
import type { Customers } from './customers.ts';
import type { Database } from './database.ts';

/** How bookings earn miles: not at all, correctly, or with the seeded race. */
export type MilesMode = 'none' | 'counted' | 'racy';

const MILES_PER_LEG = 500;

export class Bookings extends Actor {
  readonly #database: FarRef<Database>;
  readonly #customers: FarRef<Customers>;
  readonly #miles: MilesMode;
  /** Cached bookings by customer, oldest first. */
  readonly #byCustomer = new Map<string, Booking[]>();

  constructor(database: FarRef<Database>, customers: FarRef<Customers>, miles: MilesMode) {
    super();
    this.#database = database;
    this.#customers = customers;
    this.#miles = miles;
  }

  /** Resolves with the number of the booking once it is in the database. */
  async book(customerId: string, flightId: string): Promise<string> {
    const booking: Booking = {
      _id: randomUUID(),
      customerId,
      flightId,
      dateOfBooking: new Date().toISOString(),
    };
    const bookings = await this.#bookingsOf(customerId);
    await this.#database.insert('booking', [booking]);
    bookings.push(booking);
    await this.#credit(customerId);
    return booking._id;
  }

  /** Returns whether the customer had this booking. */
  async cancel(customerId: string, number: string): Promise<boolean> {
    const bookings = await this.#bookingsOf(customerId);
    const count = await this.#database.remove('booking', { _id: number, customerId });
    const index = bookings.findIndex(({ _id }) => _id === number);
    if (index !== -1) bookings.splice(index, 1);
    return count > 0;
  }

  async list(customerId: string): Promise<readonly Booking[]> {
    return this.#bookingsOf(customerId);
  }

  async #bookingsOf(customerId: string): Promise<Booking[]> {
    const known = this.#byCustomer.get(customerId);
    if (known !== undefined) return known;
    const bookings = await this.#database.findBy('booking', { customerId });
    // If two requests load the bookings at the same time, they share one list.
    const shared = this.#byCustomer.get(customerId) ?? bookings;
    this.#byCustomer.set(customerId, shared);
    return shared;
  }

  async #credit(customerId: string): Promise<void> {
    if (this.#miles === 'counted') await this.#customers.addMiles(customerId, MILES_PER_LEG);
    if (this.#miles === 'racy') await this.#creditRacily(customerId);
  }

  /**
   * The seeded bug. Another turn may change the customer between the two awaits; one of the two changes is then lost.
   * `Customers.addMiles` shows the correct way: it reads and writes in one turn of the actor that owns the state.
   */
  async #creditRacily(customerId: string): Promise<void> {
    const customer = await this.#customers.find(customerId);
    if (customer === undefined) return;
    const { total_miles, miles_ytd } = customer;
    await this.#customers.replace({
      ...customer,
      total_miles: total_miles + MILES_PER_LEG,
      miles_ytd: miles_ytd + MILES_PER_LEG,
    });
  }
}
