// Where a module record comes from: what the loader keeps in `ModuleRecord.hostState`.
import type { ModuleRecord } from '@turntable/core';
import type { RunningCode } from './code-loader.ts';

export interface RecordOrigin {
  readonly filename: string | undefined;
  /** The text whose code the record runs. */
  readonly running?: RunningCode;
  /** The text is in no file, so states keep it. */
  readonly isSourceKept?: boolean;
  readonly kind: 'module' | 'commonjs' | 'facade' | 'json' | 'builtin' | 'device';
}

/** Nothing for code that was made at run time. */
export function originOf(record: ModuleRecord): RecordOrigin | undefined {
  return record.hostState as RecordOrigin | undefined;
}
