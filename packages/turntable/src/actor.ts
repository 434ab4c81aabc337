// The class that actors may extend: its instances never pass by copy.

import type { actorMark } from '@turntable/runtime';

export abstract class Actor {
  declare readonly [actorMark]: true;
  // The mark at run time.
  readonly #isActor: true = true;

  static has(value: object): boolean {
    return #isActor in value && value.#isActor;
  }
}
