// Core's own error class, for misuse of the ABI, and for features that the host lacks. Errors that the language
// prescribes are thrown as such (TypeError, ReferenceError), never as this class.
import type { CORE_ERRORS } from './error-table.ts';

export type CoreErrorCode = keyof typeof CORE_ERRORS;

export class CoreError extends Error {
  readonly code: CoreErrorCode;
  constructor(code: CoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CoreError';
    this.code = code;
  }
}
