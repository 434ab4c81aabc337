// Tells functions of the program from Node's.
import { internals } from '@turntable/core';

/** Whether heap capture can see the closure of a function. */
export function isProgramFunction(value: unknown): boolean {
  return typeof value === 'function' && internals.isCapturable(value as () => unknown);
}
