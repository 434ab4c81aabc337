// What a program has imported from devices beyond the membrane of a recorded thread. Where it runs again nothing is loaded, and to look at what it has would be
// to ask: so its bindings are written, and put back. Where the program goes on outside of its recording devices are loaded again, and this is not asked for.
import { LiveCell, setExport, type ModuleRecord } from '@turntable/core';
import { originOf, type ProgramModules } from '@turntable/loader';

export interface DeviceBindings {
  /** What modules exported, by files. */
  readonly moduleExports: readonly (readonly [file: string, exports: unknown])[];
  /** Of records, by their numbers. */
  readonly recordBindings: readonly (readonly [record: number, cells: readonly BoundCell[]])[];
}

/** `isLive`: the value is the namespace that is asked whenever the binding is. */
type BoundCell = readonly [name: string, value: unknown, isLive: boolean];

export function isDeviceBehindMembrane(program: ProgramModules, record: ModuleRecord | undefined): boolean {
  const origin = record === undefined ? undefined : originOf(record);
  return origin?.kind === 'device' && program.verdicts.isBeyondMembrane(origin.filename ?? '');
}

export function readDeviceBindings(
  program: ProgramModules,
  records: readonly ModuleRecord[],
  moduleExports: ReadonlyMap<string, unknown>,
): DeviceBindings {
  return {
    moduleExports: [...moduleExports],
    recordBindings: records.flatMap((record, i) => {
      if (record.status !== 'evaluated' || !isDeviceBehindMembrane(program, record)) return [];
      const cells = [...record.cells].flatMap(([name, cell]): BoundCell[] => {
        if (cell instanceof LiveCell) return [[name, cell.source, true]];
        return Object.hasOwn(cell, 'v') ? [[name, cell.v, false]] : [];
      });
      return [[i, cells] as const];
    }),
  };
}

export function writeDeviceBindings(
  bindings: DeviceBindings,
  records: readonly ModuleRecord[],
  moduleExports: Map<string, unknown>,
): void {
  for (const [file, exports] of bindings.moduleExports) moduleExports.set(file, exports);
  for (const [number, cells] of bindings.recordBindings) {
    const record = records[number] as ModuleRecord;
    for (const [name, value, isLive] of cells) {
      if (isLive) (record.cell(name) as LiveCell).source = value as Record<string, unknown>;
      else setExport(record, name, value);
    }
  }
}
