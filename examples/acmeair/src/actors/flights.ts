// Which flights there are on a day. Routes and days that were asked for are kept, those without flights among them.

import { LRUCache } from 'lru-cache';
import { Actor, type FarRef } from 'turntable';
import type { Flight, Instant, Segment } from '../model.ts';
import type { Database } from './database.ts';

export interface CacheSettings {
  /** Milliseconds; 0: as long as there is room. */
  readonly ttl: number;
  readonly most: number;
}

/** A flight as it is answered: all flights of a segment share it with each other and with the cache. */
export type FoundFlight = Flight & { readonly flightSegment: Segment };

/** A cache keeps what there is not as well. */
type Kept<T> = { readonly found: T | undefined };

export class Flights extends Actor {
  readonly #database: FarRef<Database>;
  readonly #segments: LRUCache<string, Kept<Segment>>;
  readonly #flights: LRUCache<string, Kept<readonly FoundFlight[]>>;

  constructor(database: FarRef<Database>, { ttl, most }: CacheSettings) {
    super();
    this.#database = database;
    this.#segments = new LRUCache({ max: most, ttl });
    this.#flights = new LRUCache({ max: most, ttl });
  }

  /** @param day midnight */
  async on(day: Instant, from: string, to: string): Promise<readonly FoundFlight[]> {
    const segment = await this.#segment(from, to);
    if (segment === undefined) return [];
    const key = `${segment._id}-${day}`;
    const kept = this.#flights.get(key);
    if (kept !== undefined) return kept.found ?? [];
    const flights = await this.#database.findBy('flight', {
      flightSegmentId: segment._id,
      scheduledDepartureTime: day,
    });
    const found = flights.map((flight) => ({ ...flight, flightSegment: segment }));
    this.#flights.set(key, { found: found.length === 0 ? undefined : found });
    return found;
  }

  /** What was kept of flights that have been scheduled since is wrong. */
  forget(): void {
    this.#segments.clear();
    this.#flights.clear();
  }

  async #segment(originPort: string, destPort: string): Promise<Segment | undefined> {
    const key = originPort + destPort;
    const kept = this.#segments.get(key);
    if (kept !== undefined) return kept.found;
    const [found] = await this.#database.findBy('flightSegment', { originPort, destPort });
    this.#segments.set(key, { found });
    return found;
  }
}
