// Errors of the loader itself. Where Node would throw, Node's error is thrown, see resolution.ts.
import type { LOADER_ERRORS } from './error-table.ts';

/** `TT_ENGINE_CLOSED` is a code of @turntable/core, `TT_UNKNOWN_CLASS` of @turntable/runtime. */
export type LoaderErrorCode = keyof typeof LOADER_ERRORS | 'TT_ENGINE_CLOSED' | 'TT_UNKNOWN_CLASS';

/** A location in a file. Lines and columns count from 1. */
export interface ErrorLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export class LoaderError extends Error {
  readonly code: LoaderErrorCode;
  /** The file and line at fault, if any; `toUserError` shows the line. */
  declare readonly path?: string;
  declare readonly line?: number;
  declare readonly column?: number;

  constructor(code: LoaderErrorCode, message: string, options?: ErrorOptions & { readonly location?: ErrorLocation }) {
    const location = options?.location;
    super(
      location === undefined ? message : `${location.path}:${location.line}:${location.column}: ${message}`,
      options,
    );
    this.code = code;
    if (location !== undefined) Object.assign(this, location);
  }
}

LoaderError.prototype.name = 'LoaderError';
