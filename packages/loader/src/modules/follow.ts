// Live bindings for native code: a cell that tells it of assignments. Such a cell is read through an accessor, some fifty times slower
// than a property, and so are all imports of it; only variables that are assigned after their initialisation are worth that.
import type { Cell } from '@turntable/core';

export type Setter = (value: unknown) => void;

/** `cell` is initialised. */
export function follow(cell: Cell, setter: Setter): void {
  let value = cell.v;
  setter(value);
  const before = Object.getOwnPropertyDescriptor(cell, 'v');
  // Bindings of native modules are read where they are.
  if (before === undefined) return;
  Object.defineProperty(cell, 'v', {
    get: before.get ?? (() => value),
    set(assigned: unknown) {
      value = assigned;
      before.set?.(assigned);
      setter(assigned);
    },
    enumerable: true,
    configurable: true,
  });
}
