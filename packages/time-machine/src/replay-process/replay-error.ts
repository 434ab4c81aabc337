import type { TIME_MACHINE_ERRORS } from '../error-table.ts';

/** `TT_DIVERGED` is a code of @turntable/runtime. */
type ReplayErrorCode = keyof typeof TIME_MACHINE_ERRORS | 'TT_DIVERGED';

/** Failure to reach a position or to answer a request. */
export class ReplayError extends Error {
  readonly code: ReplayErrorCode;

  constructor(code: ReplayError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReplayError';
    this.code = code;
  }
}
