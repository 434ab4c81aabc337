// Destructuring what is undefined or null, in V8's words, where emitted code has the value from somewhere that V8 would name
// instead of the original expression. `text` is what V8 calls that expression, null where it describes the value.

import { NativeTypeError } from './intrinsics.ts';
import { showWithType } from './show.ts';

export function noObject(value: undefined | null, text: string | null, property: string | null): never {
  const what = text ?? (value === null ? 'object null' : 'undefined');
  const subject = property === null ? `'${what}'` : `property '${property}' of '${what}'`;
  throw new NativeTypeError(`Cannot destructure ${subject} as it is ${value}.`);
}

export function noIterable(value: undefined | null, text: string | null): never {
  if (text !== null) throw new NativeTypeError(`${text} is not iterable`);
  throw new NativeTypeError(`${showWithType(value)} is not iterable (cannot read property Symbol(Symbol.iterator))`);
}
