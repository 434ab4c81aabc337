// Where a module record comes from: what the loader keeps in `ModuleRecord.origin`.
import type { ModuleRecord } from '@turntable/core';
import type { RunningCode } from './code.ts';

export interface Origin {
  readonly filename: string | undefined;
  /** The text whose code the record runs. */
  readonly text?: RunningCode;
  /** The text is in no file, so states keep it. */
  readonly isKept?: boolean;
  readonly what: 'module' | 'commonjs' | 'facade' | 'json' | 'builtin' | 'device';
}

/** Nothing for code that was made at run time. */
export function originOf(record: ModuleRecord): Origin | undefined {
  return record.origin as Origin | undefined;
}
