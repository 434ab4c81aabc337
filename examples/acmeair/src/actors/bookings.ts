// Bookings of some of the customers: each customer's are one actor's. It knows those of whom it was asked, and writes through.

import { randomUUID } from 'node:crypto';
import { Actor, type FarRef } from 'turntable';
import type { Booking } from '../model.ts';
import type { Customers } from './customers.ts';
import type { Database } from './database.ts';

/** How miles get to a customer: not at all, soundly, or as a first attempt might do it. */
export type MilesMode = 'none' | 'counted' | 'racy';

const MILES_PER_LEG = 500;

export class Bookings extends Actor {
  readonly #database: FarRef<Database>;
  readonly #customers: FarRef<Customers>;
  readonly #miles: MilesMode;
  /** By customer, oldest first. */
  readonly #byCustomer = new Map<string, Booking[]>();

  constructor(database: FarRef<Database>, customers: FarRef<Customers>, miles: MilesMode) {
    super();
    this.#database = database;
    this.#customers = customers;
    this.#miles = miles;
  }

  /** Answers its number once it is in the database. */
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

  /** Whether the customer had such a booking. */
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
    // Two who asked for the first time at once have the same list.
    const shared = this.#byCustomer.get(customerId) ?? bookings;
    this.#byCustomer.set(customerId, shared);
    return shared;
  }

  async #credit(customerId: string): Promise<void> {
    if (this.#miles === 'counted') await this.#customers.addMiles(customerId, MILES_PER_LEG);
    if (this.#miles === 'racy') await this.#creditRacily(customerId);
  }

  /**
   * The seeded bug. Between the two awaits the customer may be changed by somebody else, whose change is lost then; or this one is, if the other one has read
   * before and writes behind. `Customers.addMiles` is how to do it: where the state is, in one turn.
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
