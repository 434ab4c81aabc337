// Private data about an object, stored on the object in a private field. Only the owner of the field sees it: it is in
// no list of keys, and holders of the object cannot tell. A WeakMap entry of a short-lived object costs ten times as
// much, because the collector must visit it. Guarded by `npm run bench:membrane`.
import { Stamp } from './stamp.ts';

export interface HiddenField<Value> {
  get(object: object): Value | undefined;
  /** Sets or replaces the value. Works for frozen objects and proxies, but not for the global object. */
  set(object: object, value: Value): void;
}

/** Makes a field that only holders of the result can read. */
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
