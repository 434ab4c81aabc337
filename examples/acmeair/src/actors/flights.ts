// Flights by route and day. Caches queried routes and days, also those without flights.

import { LRUCache } from 'lru-cache';
import { Actor, type FarRef } from 'turntable';
import type { Flight, Instant, Segment } from '../model.ts';
import type { Database } from './database.ts';

export interface CacheSettings {
  /** Lifetime of cached entries in milliseconds; 0: unlimited. */
  readonly ttl: number;
  readonly max: number;
}

/** A flight with its segment. All flights of a segment share one segment object with the cache. */
export type FoundFlight = Flight & { readonly flightSegment: Segment };

/** An entry that is in the cache, even if its value is undefined. */
type CacheEntry<T> = { readonly value: T | undefined };

export class Flights extends Actor {
  readonly #database: FarRef<Database>;
  readonly #segments: LRUCache<string, CacheEntry<Segment>>;
  readonly #flights: LRUCache<string, CacheEntry<readonly FoundFlight[]>>;

  constructor(database: FarRef<Database>, { ttl, max }: CacheSettings) {
    super();
    this.#database = database;
    this.#segments = new LRUCache({ max, ttl });
    this.#flights = new LRUCache({ max, ttl });
  }

  /** @param day midnight of the day */
  async on(day: Instant, from: string, to: string): Promise<readonly FoundFlight[]> {
    const segment = await this.#segment(from, to);
    if (segment === undefined) return [];
    const key = `${segment._id}-${day}`;
    const cached = this.#flights.get(key);
    if (cached !== undefined) return cached.value ?? [];
    const flights = await this.#database.findBy('flight', {
      flightSegmentId: segment._id,
      scheduledDepartureTime: day,
    });
    const found = flights.map((flight) => ({ ...flight, flightSegment: segment }));
    this.#flights.set(key, { value: found.length === 0 ? undefined : found });
    return found;
  }

  /** Drops entries that became stale when flights were added. */
  clearCache(): void {
    this.#segments.clear();
    this.#flights.clear();
  }

  async #segment(originPort: string, destPort: string): Promise<Segment | undefined> {
    const key = originPort + destPort;
    const cached = this.#segments.get(key);
    if (cached !== undefined) return cached.value;
    const [found] = await this.#database.findBy('flightSegment', { originPort, destPort });
    this.#segments.set(key, { value: found });
    return found;
  }
}
