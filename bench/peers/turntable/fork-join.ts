import { Actor, far, type FarRef, spawn, stop, tell } from 'turntable';
import type { Size } from '../js/measure.ts';

export class Worker extends Actor {
  work(master: FarRef<Master>): void {
    tell(master).finished(Math.sin(37.2) ** 2);
    stop(far(this));
  }
}

export class Master extends Actor {
  readonly #count: number;
  readonly #finished = Promise.withResolvers<number>();
  #joined = 0;

  constructor(count: number) {
    super();
    this.#count = count;
  }

  start(): Promise<number> {
    for (let i = 0; i < this.#count; i++) tell(spawn(Worker)).work(this);
    return this.#finished.promise;
  }

  finished(_value: number): void {
    this.#joined++;
    if (this.#joined === this.#count) this.#finished.resolve(this.#joined);
  }
}

export async function forkJoin({ count }: Size): Promise<number> {
  const master = spawn(Master, count);
  const joined = await master.start();
  stop(master);
  return joined;
}
