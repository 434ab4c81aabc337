// The workload that all who visit share, as the plan for JMeter has it: in which order airports are asked for, what share of visits does what. Its percent
// controllers count instead of drawing lots, so that every run has the same share.

/** Of visits: account looked at and changed; bookings cancelled. */
const ACCOUNT_SHARE = 0.25;
const CANCEL_SHARE = 0.25;
const TO = 'DEL FRA HKG LHR BOM YUL SVO JFK CDG FCO SIN SYD IKA NRT'.split(' ');
const FROM = 'NRT BOM DEL FRA AMS HKG LHR YUL SVO JFK CDG FCO SIN SYD IKA'.split(' ');

export interface FlightRoute {
  readonly from: string;
  readonly to: string;
}

export class LoadPlan {
  readonly customers: number;
  readonly #random: () => number;
  readonly #account = new Quota(ACCOUNT_SHARE);
  readonly #cancel = new Quota(CANCEL_SHARE);
  #queries = 0;

  /** @param customers that there are in the database */
  constructor(customers: number, seed = 1) {
    this.customers = customers;
    this.#random = seededRandom(seed);
  }

  /** A uniformly distributed integer from `least` to `most`. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1));
  }

  shouldViewAccount(): boolean {
    return this.#account.take();
  }

  shouldCancel(): boolean {
    return this.#cancel.take();
  }

  /** The lists are of different length: all pairs come, one after the other. */
  route(): FlightRoute {
    const query = this.#queries++;
    return { from: FROM[query % FROM.length] as string, to: TO[query % TO.length] as string };
  }
}

class Quota {
  readonly #share: number;
  #requested = 0;
  #taken = 0;

  constructor(share: number) {
    this.#share = share;
  }

  take(): boolean {
    this.#requested++;
    if (this.#taken + 1 > this.#share * this.#requested) return false;
    this.#taken++;
    return true;
  }
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
