// Globals of the host in a realm's ambient table. A loader of programs can redefine them there for transformed code
// alone, and observe how a program redefines them.

import { LAZY_GLOBALS, HOST_GLOBALS } from './host-global-names.ts';
import { defineProperty } from './intrinsics.ts';

/** Adds the host's globals to the table. Each forwards to the host's global object until it is redefined. */
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
