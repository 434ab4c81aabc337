// What somebody knows of an object stands on the object itself, in a private field: no code but this sees it, no list of keys has it, and whoever has the object cannot tell. A WeakMap would
// say the same and cost ten times as much for an object that lives shortly, since the collector has to look after each of its entries. `npm run bench:membrane` guards it.
import { Stamp } from './stamp.ts';

export interface HiddenField<Value> {
  get(object: object): Value | undefined;
  /** In the place of another one, if there is one. Frozen objects and Proxies have them, too; the global object takes none. */
  set(object: object, value: Value): void;
}

/** Nobody else sees these. */
export function createHiddenField<Value>(): HiddenField<Value> {
  class StampedValue extends Stamp {
    #value: Value;

    constructor(object: object, value: Value) {
      super(object);
      this.#value = value;
    }

    static get(object: object): Value | undefined {
      return #value in object ? object.#value : undefined;
    }

    static set(object: object, value: Value): void {
      if (#value in object) object.#value = value;
      else new StampedValue(object, value);
    }
  }
  return StampedValue;
}
