// An actor that holds a part of the heap.

import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Actor } from 'turntable';
import { airline, type Airline } from '../heap/airline.ts';

export class DataHolder extends Actor {
  readonly #data: Airline;
  #touched = 0;

  constructor(megabytes: number) {
    super();
    this.#data = airline(megabytes, true);
  }

  /** Starts waiting for the host, which may call this actor at any later time. */
  wait(): void {
    void finished(new PassThrough()).then(() => this.touch());
  }

  touch(): number {
    const { flights } = this.#data;
    (flights[this.#touched++ % flights.length] as { price: number }).price++;
    return this.#touched;
  }
}
