// The actor that holds a part of the heap.

import { Actor } from 'turntable';
import { airline, type Airline } from '../heap/airline.ts';

export class Holder extends Actor {
  readonly #data: Airline;
  #touched = 0;

  constructor(megabytes: number) {
    super();
    this.#data = airline(megabytes, true);
  }

  touch(): number {
    const { flights } = this.#data;
    (flights[this.#touched++ % flights.length] as { price: number }).price++;
    return this.#touched;
  }
}
