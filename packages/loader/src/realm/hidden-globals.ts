// Turntable's properties of the global object. The program does not see them.
import { CORE_SYMBOL } from '@turntable/core';

/** The property through which generated native modules reach the loader. */
export const SHELLS_KEY: unique symbol = Symbol.for('turntable.shells');

export function isHiddenGlobal(key: PropertyKey): boolean {
  return key === SHELLS_KEY || key === CORE_SYMBOL;
}
