// Live bindings for native code: a cell that tells it of assignments. Such a cell is read through an accessor, some fifty times slower
// than a property, and so are all imports of it; only variables that are assigned after their initialisation are worth that.
import type { Cell } from '@turntable/core';

export type Setter = (value: unknown) => void;

// Node's: whoever notes what the program writes has put others in their place, and this is none of it.
const { defineProperty, getOwnPropertyDescriptor } = Object;

/** Those of which only an accessor of ours knows the value. */
const followed = new WeakSet<Cell>();

/** Of a cell that has one: what it holds, unless it is native code that would have to be asked. */
export function heldBy(cell: Cell): { readonly value: unknown } | undefined {
  const held = getOwnPropertyDescriptor(cell, 'v');
  if (held !== undefined && 'value' in held) return { value: held.value as unknown };
  return followed.has(cell) ? { value: cell.v } : undefined;
}

/** `cell` is initialised. */
export function follow(cell: Cell, setter: Setter): void {
  let value = cell.v;
  setter(value);
  const before = getOwnPropertyDescriptor(cell, 'v');
  // Bindings of native modules are read where they are.
  if (before === undefined) return;
  if (before.get === undefined) followed.add(cell);
  defineProperty(cell, 'v', {
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
