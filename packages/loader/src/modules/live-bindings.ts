// Live bindings for native code: a cell that tells it of assignments. Such a cell is read through an accessor, some fifty times slower
// than a property, and so are all imports of it; only variables that are assigned after their initialisation are worth that.
import type { Cell } from '@turntable/core';

export type BindingSetter = (value: unknown) => void;

// Node's: whoever notes what the program writes has put others in their place, and this is none of it.
const { defineProperty, getOwnPropertyDescriptor } = Object;

/** Those of which only an accessor of ours knows the value. */
const followedCells = new WeakSet<Cell>();

/** Of a cell that has one: what it holds, unless it is native code that would have to be asked. */
export function cellValue(cell: Cell): { readonly value: unknown } | undefined {
  const descriptor = getOwnPropertyDescriptor(cell, 'v');
  if (descriptor !== undefined && 'value' in descriptor) return { value: descriptor.value as unknown };
  return followedCells.has(cell) ? { value: cell.v } : undefined;
}

/** `cell` is initialised. */
export function followCell(cell: Cell, setter: BindingSetter): void {
  let value = cell.v;
  setter(value);
  const descriptor = getOwnPropertyDescriptor(cell, 'v');
  // Bindings of native modules are read where they are.
  if (descriptor === undefined) return;
  if (descriptor.get === undefined) followedCells.add(cell);
  defineProperty(cell, 'v', {
    get: descriptor.get ?? (() => value),
    set(newValue: unknown) {
      value = newValue;
      descriptor.set?.(newValue);
      setter(newValue);
    },
    enumerable: true,
    configurable: true,
  });
}
