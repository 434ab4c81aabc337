// Tells functions of the program from Node's.
import { internals } from '@turntable/core';

/** Whether a value is a function of the program: heap capture can read its closure. */
export function isProgramFunction(value: unknown): boolean {
  return typeof value === 'function' && internals.isCapturable(value as () => unknown);
}
