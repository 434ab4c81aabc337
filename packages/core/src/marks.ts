// What somebody knows of an object stands on the object itself, in a private field: no code but this sees it, no list of keys has it, and whoever has the object cannot tell. A WeakMap would
// say the same and cost ten times as much for an object that lives shortly, since the collector has to look after each of its entries. `npm run bench:membrane` guards it.
import { Stamp } from './stamp.ts';

export interface Marks<Mark> {
  of(object: object): Mark | undefined;
  /** In the place of another one, if there is one. Frozen objects and Proxies have them, too; the global object takes none. */
  put(object: object, mark: Mark): void;
}

/** Nobody else sees these. */
export function createMarks<Mark>(): Marks<Mark> {
  class Marked extends Stamp {
    #mark: Mark;

    constructor(object: object, mark: Mark) {
      super(object);
      this.#mark = mark;
    }

    static of(object: object): Mark | undefined {
      return #mark in object ? object.#mark : undefined;
    }

    static put(object: object, mark: Mark): void {
      if (#mark in object) object.#mark = mark;
      else new Marked(object, mark);
    }
  }
  return Marked;
}
