// Settings from environment variables, all of them optional.

import type { MilesMode } from './actors/bookings.ts';

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** `sqlite:FILE`, `sqlite::memory:` or `postgres://…` */
  readonly database: string;
  /** Number of threads in addition to the main thread. */
  readonly workers: number;
  /** Number of actors that share the bookings. */
  readonly desks: number;
  /** URL of the authentication service; undefined if the airline keeps sessions itself. */
  readonly authentication: URL | undefined;
  readonly miles: MilesMode;
  /** Whether replies to bookings wait for a snapshot that contains them, if the airline is recorded. */
  readonly flushBookings: boolean;
  /** Number of days with flights. */
  readonly days: number;
  readonly customers: number;
  readonly cache: { readonly ttl: number; readonly max: number };
}

const MILES: readonly string[] = ['none', 'counted', 'racy'] satisfies MilesMode[];

export function settingsFrom(environment: NodeJS.ProcessEnv): Settings {
  const number = (name: string, defaultValue: number): number => {
    const text = environment[name];
    if (text === undefined || text === '') return defaultValue;
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
    miles: miles as MilesMode,
    flushBookings: number('ACMEAIR_FLUSH', 0) > 0,
    days: number('ACMEAIR_DAYS', 5),
    customers: number('ACMEAIR_CUSTOMERS', 10_000),
    cache: { ttl: 20 * 60 * 1000, max: 100_000 },
  };
}
