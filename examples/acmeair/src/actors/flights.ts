// Which flights there are on a day. Routes and days that were asked for are kept, those without flights among them.

import { LRUCache } from 'lru-cache';
import { Actor, type FarRef } from 'turntable';
import type { Flight, Instant, Segment } from '../model.ts';
import type { Database } from './database.ts';

export interface CacheSettings {
  /** Milliseconds; 0: as long as there is room. */
  readonly ttl: number;
  readonly max: number;
}

/** A flight as it is answered: all flights of a segment share it with each other and with the cache. */
export type FoundFlight = Flight & { readonly flightSegment: Segment };

/** A cache keeps what there is not as well. */
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

  /** @param day midnight */
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

  /** What was kept of flights that have been scheduled since is wrong. */
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
