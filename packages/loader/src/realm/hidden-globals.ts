// Turntable's properties of the global object. The program's view of it does not have them.
import { CORE_SYMBOL } from '@turntable/core';

/** Through this property generated native modules reach the loader. */
export const SHELLS_KEY: unique symbol = Symbol.for('turntable.shells');

export function isHiddenGlobal(key: PropertyKey): boolean {
  return key === SHELLS_KEY || key === CORE_SYMBOL;
}
