import { type FarRef, spawn, stop, tell } from 'turntable';
import type { Size } from '../js/measure.ts';

export class Finish {
  readonly #first = Promise.withResolvers<number>();

  reached(id: number): void {
    this.#first.resolve(id);
  }

  first(): Promise<number> {
    return this.#first.promise;
  }
}

export class Link {
  readonly #id: number;
  readonly #finish: FarRef<Finish>;
  #next: FarRef<Link> | undefined;

  constructor(id: number, finish: FarRef<Finish>) {
    this.#id = id;
    this.#finish = finish;
  }

  setNext(next: FarRef<Link>): void {
    this.#next = next;
  }

  hop(left: number): void {
    if (left === 0) tell(this.#finish).reached(this.#id);
    else tell(this.#next!).hop(left - 1);
  }
}

export async function threadRing({ actors, count }: Size): Promise<number> {
  const finish = spawn(Finish);
  const links = Array.from({ length: actors }, (_, id) => spawn(Link, id, finish));
  links.forEach((link, i) => tell(link).setNext(links[(i + 1) % actors]!));
  tell(links[0]!).hop(count);
  const id = await finish.first();
  for (const link of links) stop(link);
  stop(finish);
  return id;
}
