// Actor of program.ts, which holds a part of the heap. Breakpoints are set on the lines with the comments `often`,
// `never`.

import { Actor } from 'turntable';
import { airline, type Airline } from '../heap/airline.ts';

export class Ledger extends Actor {
  readonly #data: Airline;
  #sum = 0;

  constructor(megabytes: number) {
    super();
    this.#data = airline(megabytes, true);
  }

  /** Executes four statements per entry. */
  enter(entries: number): number {
    const { flights } = this.#data;
    for (let i = 0; i < entries; i++) {
      const flight = flights[i % flights.length] as { price: number };
      flight.price = (flight.price + i) % 1000; // often
      this.#sum = (this.#sum + flight.price) % 1_000_003;
      if (i < 0) this.#never();
    }
    return this.#sum;
  }

  #never(): void {
    this.#sum = 0; // never
  }
}
