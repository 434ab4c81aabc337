// Variables of a file's own top scope, which no probe passes: the file's record reads them, and has the cells of what it exports and imports.
import { heldBy } from '@turntable/loader';
import { UNINITIALISED } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';

type ModuleRecord = Loader['program']['graph']['records'] extends ReadonlyMap<string, infer R> ? R : never;

/** In a cell that others may have as well, or in the file's code alone. */
export type TopVariable = { readonly isImported: boolean } & (
  | { readonly cell: ModuleRecord['imported'][number] }
  | { readonly record: ModuleRecord; readonly index: number }
);

/** By their names. @param file as stacks have it; the one that the program was started with, where no statement is about to begin */
export function topScopeOf({ program }: Loader, file: string | undefined): ReadonlyMap<string, TopVariable> {
  const found = new Map<string, TopVariable>();
  for (const record of filesOf(program)) {
    if (file === undefined ? record.key !== program.entry.url : program.table.runName(record) !== file) continue;
    const { table, cells, imported } = record;
    table.imports.forEach(({ local }, i) => {
      const cell = imported[i];
      if (cell !== undefined) found.set(local, { isImported: true, cell });
    });
    table.variables?.forEach((name, index) => found.set(name, { isImported: false, record, index }));
    for (const [name, cell] of cells) if (table.cells.includes(name)) found.set(name, { isImported: false, cell });
  }
  return found;
}

/** Those of the program and its packages, modules before CommonJS. */
export function filesOf({ graph, table }: Loader['program']): ModuleRecord[] {
  return [...graph.records.values(), ...table.commonJs.values()].filter(({ kind }) => kind !== 'synthetic');
}

/** Nothing, as long as it has no value; of what comes from native code, too. */
export function valueOfTop(variable: TopVariable): { readonly value: unknown } | undefined {
  if ('cell' in variable) return heldBy(variable.cell);
  try {
    const value = variable.record.readScope?.(variable.index);
    return value === UNINITIALISED ? undefined : { value };
  } catch {
    return undefined;
  }
}
