// The class that actors may extend: its instances never pass by copy.

import type { actorMark } from '@turntable/runtime';

type Meet = (object: object, type: unknown) => void;

let meet: Meet = () => {};

/** Is told of each instance before the constructors of its classes run. */
export function meetActors(taker: Meet): void {
  meet = taker;
}

export abstract class Actor {
  declare readonly [actorMark]: true;
  // The mark at run time.
  readonly #isActor: true = true;

  constructor() {
    meet(this, new.target);
  }

  static has(value: object): boolean {
    return #isActor in value && value.#isActor;
  }
}
