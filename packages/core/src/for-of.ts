// State of a `for-of` whose body suspends. This object is the iterator of a native loop. After a suspension the loop is
// entered again, and `again()` makes the first `next()` return the previous value. The engine calls `return()` whenever
// the loop is left. With `pc > 0` the frame has only suspended, so the program's iterator stays open.

import { NativeTypeError, apply, isObject } from './intrinsics.ts';
import { formatValue, formatWithType } from './value-format.ts';
import { OwnIterator, iterator } from './iterator.ts';
import type { Frame } from './frame.ts';

type StepResult = { value: unknown; done: boolean };

export class ForOf {
  readonly frame: Frame;
  /** The program's iterator. Its `next` method is read only once. */
  source: Iterator<unknown>;
  method: unknown;
  /** Value of the current round. */
  value: unknown = undefined;
  repeat = false;

  constructor(frame: Frame, iterable: unknown, text?: string) {
    this.frame = frame;
    const source = iterator(iterable, undefined, text);
    this.source = source;
    this.method = source instanceof OwnIterator ? undefined : source.next;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): StepResult {
    if (this.repeat) {
      this.repeat = false;
      return { value: this.value, done: false };
    }
    const { method, source } = this;
    let result: IteratorResult<unknown>;
    if (method === undefined && source instanceof OwnIterator) result = source.next();
    else {
      if (typeof method !== 'function') throw new NativeTypeError(`${formatWithType(method)} is not a function`);
      result = apply(method as () => unknown, source, []) as IteratorResult<unknown>;
      if (!isObject(result)) throw new NativeTypeError(`Iterator result ${formatValue(result)} is not an object`);
    }
    if (result.done) return { value: undefined, done: true };
    const { value } = result;
    this.value = value;
    return { value, done: false };
  }

  again(): this {
    this.repeat = true;
    return this;
  }

  return(): unknown {
    const { source } = this;
    if (this.frame.pc > 0 || source instanceof OwnIterator) return {};
    const method: unknown = source.return;
    if (method === undefined || method === null) return {};
    if (typeof method !== 'function') throw new NativeTypeError(`${formatWithType(method)} is not a function`);
    return apply(method as () => unknown, source, []);
  }
}
