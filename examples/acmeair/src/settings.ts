// Settings come from the environment, all of them optional.

import type { Miles } from './actors/bookings.ts';

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** `sqlite:FILE`, `sqlite::memory:` or `postgres://…` */
  readonly database: string;
  /** Threads beside the main one. */
  readonly workers: number;
  /** Actors that share the bookings. */
  readonly desks: number;
  /** The other service's, if sessions are not kept here. */
  readonly authentication: URL | undefined;
  readonly miles: Miles;
  /** Whether who books is answered only when a snapshot has the booking, if the airline is recorded. */
  readonly flushBookings: boolean;
  /** Days of which there are flights. */
  readonly days: number;
  readonly customers: number;
  readonly cache: { readonly ttl: number; readonly most: number };
}

const MILES: readonly string[] = ['none', 'counted', 'racy'] satisfies Miles[];

export function settingsFrom(environment: NodeJS.ProcessEnv): Settings {
  const number = (name: string, otherwise: number): number => {
    const text = environment[name];
    if (text === undefined || text === '') return otherwise;
    const value = Number(text);
    if (!Number.isInteger(value) || value < 0) throw new Error(`${name} is ${text}; give an integer from 0`);
    return value;
  };
  const miles = environment['ACMEAIR_MILES'] ?? 'counted';
  if (!MILES.includes(miles)) throw new Error(`ACMEAIR_MILES is ${miles}; give one of ${MILES.join(', ')}`);
  const authentication = environment['ACMEAIR_AUTH'];
  return {
    host: environment['ACMEAIR_HOST'] ?? '127.0.0.1',
    port: number('ACMEAIR_PORT', 9080),
    database: environment['ACMEAIR_DATABASE'] ?? 'sqlite::memory:',
    workers: number('ACMEAIR_WORKERS', 2),
    desks: Math.max(1, number('ACMEAIR_DESKS', 4)),
    authentication: authentication === undefined ? undefined : new URL(authentication),
    miles: miles as Miles,
    flushBookings: number('ACMEAIR_FLUSH', 0) > 0,
    days: number('ACMEAIR_DAYS', 5),
    customers: number('ACMEAIR_CUSTOMERS', 10_000),
    cache: { ttl: 20 * 60 * 1000, most: 100_000 },
  };
}
