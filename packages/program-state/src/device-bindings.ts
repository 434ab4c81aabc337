// Imports from devices in a recorded thread. A replay loads no devices, and reading the handles would be recorded. So
// states contain the bindings, and a replay restores them. A restore outside a replay loads the devices again instead.
import { LiveCell, setExport, type ModuleRecord } from '@turntable/core';
import { originOf, type ProgramModules } from '@turntable/loader';

export interface DeviceBindings {
  /** Exports of devices, by file name. */
  readonly moduleExports: readonly (readonly [file: string, exports: unknown])[];
  /** Exports of module records of devices, by record number. */
  readonly recordBindings: readonly (readonly [record: number, cells: readonly BoundCell[]])[];
}

/** A binding in a record. `isLive`: it is read from a namespace at each access. */
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
