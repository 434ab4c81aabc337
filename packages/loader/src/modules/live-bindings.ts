// Live bindings for native code: an accessor on a cell reports assignments. All importers then read the cell some
// fifty times more slowly than a property, so only variables that are assigned after their initialisation get an
// accessor.
import type { Cell } from '@turntable/core';

export type BindingSetter = (value: unknown) => void;

// Node's own functions: the global ones are replaced to track the program's writes.
const { defineProperty, getOwnPropertyDescriptor } = Object;

/** Cells whose value is only known to the accessor installed here. */
const followedCells = new WeakSet<Cell>();

/** The value of an initialised cell; undefined if reading it would call other native code. */
export function cellValue(cell: Cell): { readonly value: unknown } | undefined {
  const descriptor = getOwnPropertyDescriptor(cell, 'v');
  if (descriptor !== undefined && 'value' in descriptor) return { value: descriptor.value as unknown };
  return followedCells.has(cell) ? { value: cell.v } : undefined;
}

/** Calls `setter` with the value of an initialised cell, now and after each assignment. */
export function followCell(cell: Cell, setter: BindingSetter): void {
  let value = cell.v;
  setter(value);
  const descriptor = getOwnPropertyDescriptor(cell, 'v');
  // Bindings of native modules are read from their namespace.
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
