// Customers come to a barber whose waiting room has a limited number of seats. A customer that finds it full is sent
// back to the factory and returns later. In the papers customers arrive at the barber's rate, whatever the arrival rate
// says; at their size both are equal.

import { Actor, far, spawn, tell, type FarRef } from 'turntable';
import { ResultCell } from '../outcome.ts';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

/** Duration in draws. */
function duration(random: Random, rate: number): number {
  return random.below(rate) + 10;
}

export class WaitingRoom extends Actor {
  readonly #seats: number;
  readonly #barber: FarRef<Barber>;
  readonly #waiting: FarRef<Customer>[] = [];
  #barberSleeps = true;
  #waits = 0;

  constructor(seats: number, barber: FarRef<Barber>) {
    super();
    this.#seats = seats;
    this.#barber = barber;
  }

  enter(customer: FarRef<Customer>): void {
    if (this.#waiting.length === this.#seats) {
      tell(customer).full();
      return;
    }
    this.#waiting.push(customer);
    if (this.#barberSleeps) {
      this.#barberSleeps = false;
      tell(far<WaitingRoom>(this)).next();
    } else {
      tell(customer).wait();
    }
  }

  next(): void {
    const customer = this.#waiting.shift();
    if (customer !== undefined) {
      tell(this.#barber).cut(customer, this);
      return;
    }
    tell(this.#barber).wait();
    this.#barberSleeps = true;
    this.#waits += 1;
  }

  /** Returns how often the barber found the waiting room empty. */
  waits(): number {
    return this.#waits;
  }
}

export class Barber {
  readonly #random = new Random();
  readonly #rate: number;
  #isAsleep = true;

  constructor(rate: number) {
    this.#rate = rate;
  }

  cut(customer: FarRef<Customer>, room: FarRef<WaitingRoom>): void {
    this.#isAsleep = false;
    tell(customer).start();
    this.#random.spend(duration(this.#random, this.#rate));
    tell(customer).done();
    tell(room).next();
  }

  wait(): void {
    this.#isAsleep = true;
  }

  /** Returns the next random number and the number of waits, which the room knows after the last haircut. */
  async finish(room: FarRef<WaitingRoom>): Promise<{ nextRandom: number; waits: number }> {
    const waits = await room.waits();
    if (!this.#isAsleep) throw new Error('the barber must sleep while the waiting room is empty');
    return { nextRandom: this.#random.next(), waits };
  }
}

export class CustomerFactory extends Actor {
  readonly #random = new Random();
  readonly #room: FarRef<WaitingRoom>;
  readonly #outcome: FarRef<ResultCell<number>>;
  readonly #half: number;
  readonly #halfway: Halfway;
  #open: number;
  #returns = 0;

  constructor(haircuts: number, room: FarRef<WaitingRoom>, outcome: FarRef<ResultCell<number>>, halfway: Halfway) {
    super();
    this.#open = haircuts;
    this.#room = room;
    this.#outcome = outcome;
    this.#half = haircuts >> 1;
    this.#halfway = halfway;
  }

  start(rate: number): void {
    for (let i = this.#open; i > 0; i -= 1) {
      tell(this.#room).enter(spawn(Customer, this));
      this.#random.spend(duration(this.#random, rate));
    }
  }

  returned(customer: FarRef<Customer>): void {
    this.#returns += 1;
    tell(this.#room).enter(customer);
  }

  done(): void {
    this.#open -= 1;
    if (this.#open === this.#half) tellHalfway(this.#halfway);
    if (this.#open === 0) tell(this.#outcome).resolve(this.#returns);
  }
}

export class Customer extends Actor {
  readonly #factory: FarRef<CustomerFactory>;
  #state: 'new' | 'waiting' | 'in the chair' | 'done' = 'new';

  constructor(factory: FarRef<CustomerFactory>) {
    super();
    this.#factory = factory;
  }

  full(): void {
    tell(this.#factory).returned(this);
  }

  wait(): void {
    if (this.#state === 'new') this.#state = 'waiting';
  }

  start(): void {
    this.#state = 'in the chair';
  }

  done(): void {
    this.#state = 'done';
    tell(this.#factory).done();
  }
}

interface Result {
  readonly nextRandom: number;
  readonly returns: number;
  readonly waits: number;
}

export interface Size {
  readonly haircuts: number;
  readonly seats: number;
  /** Range of draws between two customers, plus ten; the papers' programs use `cuttingRate` instead. */
  readonly arrivalRate: number;
  /** Range of draws of a haircut, plus ten. */
  readonly cuttingRate: number;
}

export const problem: Problem<Size> = {
  paper: { haircuts: 2500, seats: 1000, arrivalRate: 1000, cuttingRate: 1000 },
  quick: { haircuts: 800, seats: 400, arrivalRate: 200, cuttingRate: 200 },
  small: { haircuts: 30, seats: 8, arrivalRate: 20, cuttingRate: 20 },
};

export async function run({ haircuts, seats, arrivalRate, cuttingRate }: Size, halfway?: Halfway): Promise<Result> {
  const outcome = new ResultCell<number>();
  const barber = spawn(Barber, cuttingRate);
  const room = spawn(WaitingRoom, seats, barber);
  tell(spawn(CustomerFactory, haircuts, room, far(outcome), halfway)).start(arrivalRate);
  const returns = await outcome.result;
  return { returns, ...(await barber.finish(room)) };
}

/** Returns the number that the barber draws after the last haircut. */
export function expected({ haircuts, cuttingRate }: Size): number {
  const random = new Random();
  for (let i = 0; i < haircuts; i += 1) random.spend(duration(random, cuttingRate));
  return random.next();
}

export function verify({ nextRandom }: Result, size: Size): boolean {
  return nextRandom === expected(size);
}

/**
 * A customer is created, enters, waits or wakes the barber, gets a haircut (three messages more) and reports; each return
 * takes three messages more. How often the barber sleeps depends on the schedule.
 */
export function messages({ haircuts }: Size, { returns, waits }: Result): number {
  return 3 + 1 + haircuts * (1 + 1 + 1 + 4 + 1) + 3 * returns + waits + 1 + 4;
}
