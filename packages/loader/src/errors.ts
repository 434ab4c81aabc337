// The loader's own errors; what Node would throw for a program is thrown as Node's, see resolution.ts.

export type LoaderErrorCode =
  /** The loader is used before it is in place, or outside of its hooks. */
  | 'TT_NOT_INSTALLED'
  /** A tsconfig.json cannot be read. */
  | 'TT_TSCONFIG'
  /** This Node keeps what older ones showed of the engine's objects to itself. */
  | 'TT_ENGINE_CLOSED';

export class LoaderError extends Error {
  readonly code: LoaderErrorCode;

  constructor(code: LoaderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

LoaderError.prototype.name = 'LoaderError';
