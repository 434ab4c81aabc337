// Variables of a file's own top scope, which no probe passes: the file's record reads them, and has the cells of what it exports and imports.
import { cellValue } from '@turntable/loader';
import { UNINITIALISED } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';

type ModuleRecord = Loader['program']['graph']['records'] extends ReadonlyMap<string, infer R> ? R : never;

/** In a cell that others may have as well, or in the file's code alone. */
export type TopVariable = { readonly isImported: boolean } & (
  | { readonly cell: ModuleRecord['importedCells'][number] }
  | { readonly record: ModuleRecord; readonly index: number }
);

/** By their names. @param file as stacks have it; the one that the program was started with, where no statement is about to begin */
export function topScopeOf({ program }: Loader, file: string | undefined): ReadonlyMap<string, TopVariable> {
  const variables = new Map<string, TopVariable>();
  for (const record of programRecords(program)) {
    if (file === undefined ? record.key !== program.entryPoint.url : program.table.runNameOf(record) !== file) continue;
    const { table, cells, importedCells: imported } = record;
    table.imports.forEach(({ local }, i) => {
      const cell = imported[i];
      if (cell !== undefined) variables.set(local, { isImported: true, cell });
    });
    table.variables?.forEach((name, index) => variables.set(name, { isImported: false, record, index }));
    for (const [name, cell] of cells) if (table.cells.includes(name)) variables.set(name, { isImported: false, cell });
  }
  return variables;
}

/** Those of the program and its packages, modules before CommonJS. */
export function programRecords({ graph, table }: Loader['program']): ModuleRecord[] {
  return [...graph.records.values(), ...table.commonJs.values()].filter(({ kind }) => kind !== 'synthetic');
}

/** Nothing, as long as it has no value; of what comes from native code, too. */
export function topVariableValue(variable: TopVariable): { readonly value: unknown } | undefined {
  if ('cell' in variable) return cellValue(variable.cell);
  try {
    const value = variable.record.readScope?.(variable.index);
    return value === UNINITIALISED ? undefined : { value };
  } catch {
    return undefined;
  }
}
