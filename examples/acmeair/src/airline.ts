// The actors and their placement. With two workers the database has one of them to itself and its main clients live on
// the other, so that JSON and SQL are processed on different threads.

import { spawnWith, type FarRef } from 'turntable';
import { Bookings } from './actors/bookings.ts';
import { Customers } from './actors/customers.ts';
import { Database } from './actors/database.ts';
import { Flights } from './actors/flights.ts';
import { Loader } from './actors/loader.ts';
import { Sessions, type Authentication } from './actors/sessions.ts';
import { remoteSessions } from './http/remote-sessions.ts';
import type { Settings } from './settings.ts';

export interface Airline {
  readonly database: FarRef<Database>;
  readonly sessions: Authentication;
  readonly flights: FarRef<Flights>;
  readonly customers: FarRef<Customers>;
  readonly loader: FarRef<Loader>;
  /** Returns the actor that owns the customer's bookings. */
  bookingsOf(customerId: string): FarRef<Bookings>;
}

export function openAirline(settings: Settings): Airline {
  const { workers, cache } = settings;
  const workerOf = (i: number): 'main' | number => (workers === 0 ? 'main' : 1 + (i % workers));
  const database = spawnWith({ on: workerOf(0), name: 'database' }, Database, settings.database);
  const customers = spawnWith({ on: workerOf(1), name: 'customers' }, Customers, database, cache.max);
  const desks = Array.from({ length: settings.desks }, (_, i) =>
    spawnWith({ on: workerOf(i), name: `bookings ${i}` }, Bookings, database, customers, settings.miles),
  );
  return {
    database,
    customers,
    sessions:
      settings.authentication === undefined
        ? spawnWith({ on: workerOf(1), name: 'sessions' }, Sessions, database)
        : remoteSessions(settings.authentication),
    flights: spawnWith({ on: workerOf(1), name: 'flights' }, Flights, database, cache),
    loader: spawnWith({ on: workerOf(0), name: 'loader' }, Loader, database, settings.days),
    bookingsOf: (customerId) => desks[hashText(customerId) % desks.length] as FarRef<Bookings>,
  };
}

function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash;
}
