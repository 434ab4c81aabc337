// The origin of a module record, stored in `ModuleRecord.hostState`.
import type { ModuleRecord } from '@turntable/core';
import type { RunningCode } from './code-loader.ts';

export interface RecordOrigin {
  readonly filename: string | undefined;
  /** The code that the record runs. */
  readonly running?: RunningCode;
  /** Whether states contain the source, because it is in no file. */
  readonly isSourceKept?: boolean;
  readonly kind: 'module' | 'commonjs' | 'facade' | 'json' | 'builtin' | 'device';
}

/** The origin of a record; undefined for code that was compiled at run time. */
export function originOf(record: ModuleRecord): RecordOrigin | undefined {
  return record.hostState as RecordOrigin | undefined;
}
