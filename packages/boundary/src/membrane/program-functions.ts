// What is the program's among values of which most are Node's.
import { internals } from '@turntable/core';

/** Whether it is a function that capture can look into. */
export function isProgramFunction(value: unknown): boolean {
  return typeof value === 'function' && internals.isCapturable(value as () => unknown);
}
