// The workload that all who visit share, as the plan for JMeter has it: in which order airports are asked for, what share of visits does what. Its percent
// controllers count instead of drawing lots, so that every run has the same share.

/** Of visits: account looked at and changed; bookings cancelled. */
const ACCOUNT = 0.25;
const CANCEL = 0.25;
const TO = 'DEL FRA HKG LHR BOM YUL SVO JFK CDG FCO SIN SYD IKA NRT'.split(' ');
const FROM = 'NRT BOM DEL FRA AMS HKG LHR YUL SVO JFK CDG FCO SIN SYD IKA'.split(' ');

export interface Route {
  readonly from: string;
  readonly to: string;
}

export class Plan {
  readonly customers: number;
  readonly #random: () => number;
  readonly #account = new Quota(ACCOUNT);
  readonly #cancel = new Quota(CANCEL);
  #queries = 0;

  /** @param customers that there are in the database */
  constructor(customers: number, seed = 1) {
    this.customers = customers;
    this.#random = randomFrom(seed);
  }

  /** A uniformly distributed integer from `least` to `most`. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  looksAtAccount(): boolean {
    return this.#account.take();
  }

  cancels(): boolean {
    return this.#cancel.take();
  }

  /** The lists are of different length: all pairs come, one after the other. */
  route(): Route {
    const query = this.#queries++;
    return { from: FROM[query % FROM.length] as string, to: TO[query % TO.length] as string };
  }
}

class Quota {
  readonly #share: number;
  #asked = 0;
  #taken = 0;

  constructor(share: number) {
    this.#share = share;
  }

  take(): boolean {
    this.#asked++;
    if (this.#taken + 1 > this.#share * this.#asked) return false;
    this.#taken++;
    return true;
  }
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
