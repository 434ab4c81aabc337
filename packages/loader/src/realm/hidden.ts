// Properties of the global object that are Turntable's; the program's view does not have them.
import { CORE_HERE } from '@turntable/core';

/** By which generated native text reaches the loader. */
export const SHELLS: unique symbol = Symbol.for('turntable.shells');

export function isHidden(key: PropertyKey): boolean {
  return key === SHELLS || key === CORE_HERE;
}
