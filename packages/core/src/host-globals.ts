// Names of the global object that lead through a realm's ambient table without being core's: the host's own stand behind them. So whoever loads
// programs can put something else there for transformed code alone, and learns of what a program puts in their places.

import { LAZY_GLOBALS, HOST_GLOBALS } from './host-global-names.ts';
import { defineProperty } from './intrinsics.ts';

/** Each leads to the host's global object, until somebody defines it anew. */
export function addHostGlobals(ambient: Record<string, unknown>): void {
  const globals = globalThis as unknown as Record<string, unknown>;
  for (const name of [...HOST_GLOBALS, ...LAZY_GLOBALS])
    defineProperty(ambient, name, {
      get: () => globals[name],
      set: (value: unknown) => void (globals[name] = value),
      enumerable: true,
      configurable: true,
    });
}
