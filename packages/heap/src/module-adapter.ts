// Adapter of module records. Each is written as a number, for the loader, and contents (exports, variables of the top
// scope, failure, completion). Links between records are not part of the heap: docs/internals/formats.md, "Programs".

import { contentName, internals, ModuleRecord, readContents, writeContents } from '@turntable/core';
import { CaptureRefusal } from './heap-error.ts';
import { prototypeOf } from './intrinsics.ts';
import type { CodeFactories } from './code-adapters.ts';
import type { ObjectAdapter } from './ports.ts';

export interface ModulePort {
  /** Returns the number of a record; undefined for a record that will not be found again. */
  numberOf(record: ModuleRecord): number | undefined;
  recordAt(number: number): ModuleRecord | undefined;
  /** Returns whether a restore loads the module again on the host side, so that its contents are not state. */
  isHostSide?(record: ModuleRecord): boolean;
}

const RECORD_KIND = 0;

export function createModuleAdapter(port: ModulePort): ObjectAdapter {
  return {
    name: 'modules',
    appliesTo: 'objects',
    matchesPrototype: (prototype) => prototype === ModuleRecord.prototype,
    takeApart(value) {
      if (prototypeOf(value) !== ModuleRecord.prototype) return undefined;
      const record = value as ModuleRecord;
      const number = port.numberOf(record);
      if (number === undefined)
        throw new CaptureRefusal(
          record,
          `module ${record.key} cannot be loaded again`,
          'do not store its functions or classes',
        );
      const contents = port.isHostSide?.(record) === true ? [] : readContents(record);
      return {
        kind: RECORD_KIND,
        header: [number],
        contents,
        // The program cannot change the properties of a record.
        isComplete: true,
        label: (index) => ` ${contentName(record, contents, index)}`,
      };
    },
    allocate(_, header) {
      const record = port.recordAt(header[0] as number);
      if (record === undefined) throw new TypeError(`the program has no module ${String(header[0])}`);
      return record;
    },
    fill: (record, _, contents) => writeContents(record as ModuleRecord, contents),
  };
}

type FunctionValue = (...args: never[]) => unknown;

/** Returns the function declarations of a module before its evaluation. Other modules may already refer to them. */
export function factoriesOfInstantiated(record: ModuleRecord): CodeFactories {
  const functions: Record<number, () => FunctionValue> = {};
  for (const value of readContents(record)) {
    const identity = typeof value === 'function' ? internals.identify(value as FunctionValue) : undefined;
    if (identity !== undefined) functions[identity.ordinal] = () => value as FunctionValue;
  }
  return { functions, classes: {}, steps: {} };
}
