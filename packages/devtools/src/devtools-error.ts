// The error of a CDP response, with a stable code.
import type { DEVTOOLS_ERRORS } from './error-table.ts';

export type DevtoolsErrorCode = keyof typeof DEVTOOLS_ERRORS;

export class DevtoolsError extends Error {
  readonly code: DevtoolsErrorCode;
  /** Details for the `data` of the response. */
  readonly data: string | undefined;

  /** @param message in V8's own wording if V8 has such an error: clients compare messages */
  constructor(code: DevtoolsErrorCode, message: string, data?: string) {
    super(message);
    this.name = 'DevtoolsError';
    this.code = code;
    this.data = data;
  }
}
