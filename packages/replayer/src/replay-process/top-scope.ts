// Top-level variables of a file. Probes do not pass them; the module record reads them and has the cells of imports and
// exports.
import { cellValue } from '@turntable/loader';
import { UNINITIALISED } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';

type ModuleRecord = Loader['program']['graph']['records'] extends ReadonlyMap<string, infer R> ? R : never;

/** A variable in a cell that importers share, or one that only the module record can read. */
export type TopVariable = { readonly isImported: boolean } & (
  | { readonly cell: ModuleRecord['importedCells'][number] }
  | { readonly record: ModuleRecord; readonly index: number }
);

export type TopScope = ReadonlyMap<string, TopVariable>;

/** Variables by name. @param file name as in stacks; undefined for the program's entry file */
export function topScopeOf({ program }: Loader, file: string | undefined): TopScope {
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

/** Module records of the program and its packages, ES modules first. */
export function programRecords({ graph, table }: Loader['program']): ModuleRecord[] {
  return [...graph.records.values(), ...table.commonJs.values()].filter(({ kind }) => kind !== 'synthetic');
}

/** Value of the variable. Undefined while it is uninitialized, and for exports of native code. */
export function topVariableValue(variable: TopVariable): { readonly value: unknown } | undefined {
  if ('cell' in variable) return cellValue(variable.cell);
  try {
    const value = variable.record.readScope?.(variable.index);
    return value === UNINITIALISED ? undefined : { value };
  } catch {
    return undefined;
  }
}
