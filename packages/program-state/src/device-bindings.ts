// What a program has imported from devices beyond the membrane of a recorded thread. Where it runs again nothing is loaded, and to look at what it has would be
// to ask: so its bindings are written, and put back. Where the program goes on outside of its recording devices are loaded again, and this is not asked for.
import { LiveCell, setExport, type ModuleRecord } from '@turntable/core';
import { originOf, type ProgramModules } from '@turntable/loader';

export interface DeviceBindings {
  /** What modules exported, by files. */
  readonly loaded: readonly (readonly [file: string, exports: unknown])[];
  /** Of records, by their numbers. */
  readonly bindings: readonly (readonly [record: number, cells: readonly BoundCell[]])[];
}

/** `isLive`: the value is the namespace that is asked whenever the binding is. */
type BoundCell = readonly [name: string, value: unknown, isLive: boolean];

export function isDeviceBeyond(program: ProgramModules, record: ModuleRecord | undefined): boolean {
  const origin = record === undefined ? undefined : originOf(record);
  return origin?.what === 'device' && program.verdicts.isBeyondMembrane(origin.filename ?? '');
}

export function readDeviceBindings(
  program: ProgramModules,
  records: readonly ModuleRecord[],
  loaded: ReadonlyMap<string, unknown>,
): DeviceBindings {
  return {
    loaded: [...loaded],
    bindings: records.flatMap((record, i) => {
      if (record.status !== 'evaluated' || !isDeviceBeyond(program, record)) return [];
      const cells = [...record.cells].flatMap(([name, cell]): BoundCell[] => {
        if (cell instanceof LiveCell) return [[name, cell.source, true]];
        return Object.hasOwn(cell, 'v') ? [[name, cell.v, false]] : [];
      });
      return [[i, cells] as const];
    }),
  };
}

export function writeDeviceBindings(
  state: DeviceBindings,
  records: readonly ModuleRecord[],
  loaded: Map<string, unknown>,
): void {
  for (const [file, exports] of state.loaded) loaded.set(file, exports);
  for (const [number, cells] of state.bindings) {
    const record = records[number] as ModuleRecord;
    for (const [name, value, isLive] of cells) {
      if (isLive) (record.cell(name) as LiveCell).source = value as Record<string, unknown>;
      else setExport(record, name, value);
    }
  }
}
