// Properties of the global object that are Turntable's; the program's view does not have them.
import { CORE_SYMBOL } from '@turntable/core';

/** By which generated native text reaches the loader. */
export const SHELLS_KEY: unique symbol = Symbol.for('turntable.shells');

export function isHiddenGlobal(key: PropertyKey): boolean {
  return key === SHELLS_KEY || key === CORE_SYMBOL;
}
