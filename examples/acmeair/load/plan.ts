// Workload shared by all visitors, after the benchmark's plan for JMeter: the order in which airports are queried, and
// the share of visits with each action. Its percent controllers count instead of drawing, so that every run has equal
// shares.

/** Shares of visits that view and change the account, and that cancel bookings. */
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

  /** @param customers number of customers in the database */
  constructor(customers: number, seed = 1) {
    this.customers = customers;
    this.#random = seededRandom(seed);
  }

  /** Returns a uniformly distributed integer from `min` to `max`. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1));
  }

  shouldViewAccount(): boolean {
    return this.#account.take();
  }

  shouldCancel(): boolean {
    return this.#cancel.take();
  }

  /** Returns all pairs of airports in turn: the two lists have different lengths. */
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

/** Returns a generator of numbers in [0, 1) that are the same for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
