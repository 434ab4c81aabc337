// Module records in a graph: written as a number, under which the host finds the record again, and what the record holds (exports, the
// variables of its top scope, failure, completion). What stands between records is not heap: docs/formats.md, "Programs".

import { contentName, internals, ModuleRecord, readContents, writeContents } from '@turntable/core';
import { CaptureRefusal } from './heap-error.ts';
import { prototypeOf } from './intrinsics.ts';
import type { CodeFactories } from './code-adapters.ts';
import type { ObjectAdapter } from './ports.ts';

export interface ModulePort {
  /** Nothing for a record that will not be found again. */
  numberOf(record: ModuleRecord): number | undefined;
  recordAt(number: number): ModuleRecord | undefined;
  /** Whether what it holds is there again by itself. */
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
        throw new CaptureRefusal(record, `module ${record.key} cannot be loaded again`, 'keep no function of it');
      const contents = port.isHostSide?.(record) === true ? [] : readContents(record);
      return {
        kind: RECORD_KIND,
        header: [number],
        contents,
        // None of its properties is the program's.
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

/** Of a module that is still to be evaluated, what others have of it: its function declarations, which exist already. */
export function factoriesOfInstantiated(record: ModuleRecord): CodeFactories {
  const functions: Record<number, () => FunctionValue> = {};
  for (const value of readContents(record)) {
    const identity = typeof value === 'function' ? internals.identify(value as FunctionValue) : undefined;
    if (identity !== undefined) functions[identity.ordinal] = () => value as FunctionValue;
  }
  return { functions, classes: {}, steps: {} };
}
