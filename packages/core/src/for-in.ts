// State of a `for-in` whose body suspends, as plain data. The keys are read once, natively. A key that is deleted
// before its round is skipped, as in the engine.

import { getOwnPropertyDescriptor, getPrototypeOf } from './intrinsics.ts';
import type { Frame } from './frame.ts';

export class ForIn {
  readonly frame: Frame;
  readonly object: unknown;
  readonly keys: string[];
  position = 0;
  value: string | undefined = undefined;
  repeat = false;

  constructor(frame: Frame, object: unknown) {
    this.frame = frame;
    this.object = object;
    const keys: string[] = [];
    for (const key in object as object) keys[keys.length] = key;
    this.keys = keys;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): { value: string | undefined; done: boolean } {
    if (this.repeat) {
      this.repeat = false;
      return { value: this.value, done: false };
    }
    while (this.position < this.keys.length) {
      const key = this.keys[this.position++] as string;
      if (!isEnumerableNow(Object(this.object), key)) continue;
      this.value = key;
      return { value: key, done: false };
    }
    return { value: undefined, done: true };
  }

  again(): this {
    this.repeat = true;
    return this;
  }

  return(): object {
    return {};
  }
}

function isEnumerableNow(object: object, key: string): boolean {
  for (let holder: object | null = object; holder !== null; holder = getPrototypeOf(holder)) {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) return descriptor.enumerable === true;
  }
  return false;
}
