// Module records in a graph: written as a number, under which the host finds the record again, and what the record holds (exports, the
// variables of its top scope, failure, completion). What stands between records is not heap: docs/formats.md, "Programs".

import { contentsName, internals, ModuleRecord, readContents, writeContents } from '@turntable/core';
import { Refusal } from './heap-error.ts';
import { prototypeOf } from './intrinsics.ts';
import type { Factories } from './code.ts';
import type { Adapter } from './ports.ts';

export interface ModulePort {
  /** Nothing for a record that will not be found again. */
  numberOf(record: ModuleRecord): number | undefined;
  recordAt(number: number): ModuleRecord | undefined;
  /** Whether what it holds is there again by itself. */
  isOutside?(record: ModuleRecord): boolean;
}

const RECORD = 0;

export function moduleAdapter(port: ModulePort): Adapter {
  return {
    name: 'modules',
    asks: 'objects',
    claims: (prototype) => prototype === ModuleRecord.prototype,
    take(value) {
      if (prototypeOf(value) !== ModuleRecord.prototype) return undefined;
      const record = value as ModuleRecord;
      const number = port.numberOf(record);
      if (number === undefined)
        throw new Refusal(record, `module ${record.key} cannot be loaded again`, 'keep no function of it');
      const contents = port.isOutside?.(record) === true ? [] : readContents(record);
      return {
        kind: RECORD,
        header: [number],
        contents,
        // None of its properties is the program's.
        whole: true,
        label: (index) => ` ${contentsName(record, contents, index)}`,
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

type AnyFunction = (...args: never[]) => unknown;

/** Of a module that is still to be evaluated, what others have of it: its function declarations, which exist already. */
export function instantiatedFunctions(record: ModuleRecord): Factories {
  const functions: Record<number, () => AnyFunction> = {};
  for (const value of readContents(record)) {
    const identity = typeof value === 'function' ? internals.identify(value as AnyFunction) : undefined;
    if (identity !== undefined) functions[identity.ordinal] = () => value as AnyFunction;
  }
  return { functions, classes: {}, steps: {} };
}
