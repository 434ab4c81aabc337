// Fills the database, once.

import { Actor, type FarRef } from 'turntable';
import type { Collection, Records } from '../model.ts';
import * as timetable from '../timetable/timetable.ts';
import type { Database } from './database.ts';

/** Records per message; the database can serve other requests between two messages. */
const BATCH_SIZE = 500;

export class Loader extends Actor {
  readonly #database: FarRef<Database>;
  readonly #days: number;
  #loading: Promise<void> | undefined;

  constructor(database: FarRef<Database>, days: number) {
    super();
    this.#database = database;
    this.#days = days;
  }

  /** Fills the database if it is empty; returns false if it was already loaded. */
  async load(customers: number): Promise<boolean> {
    if (this.#loading !== undefined) {
      await this.#loading;
      return false;
    }
    this.#loading = this.#fill(customers);
    try {
      await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
    return true;
  }

  async #fill(customers: number): Promise<void> {
    if ((await this.#database.count('customer')) > 0) return;
    await this.#insert('customer', timetable.customers(customers));
    await this.#insert('airportCodeMapping', timetable.airports());
    const segments = timetable.segments();
    await this.#insert('flightSegment', segments);
    await this.#insert('flight', timetable.flights(segments, new Date(), this.#days));
  }

  async #insert<C extends Collection>(collection: C, records: readonly Records[C][]): Promise<void> {
    for (let from = 0; from < records.length; from += BATCH_SIZE)
      await this.#database.insert(collection, records.slice(from, from + BATCH_SIZE));
  }
}
