// The error of a DAP response, with a stable code.
import type { DAP_ERRORS } from './error-table.ts';

export type DapErrorCode = keyof typeof DAP_ERRORS;

export class DapError extends Error {
  readonly code: DapErrorCode;

  /** @param message the problem and the remedy, without a full stop */
  constructor(code: DapErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DapError';
    this.code = code;
  }
}
