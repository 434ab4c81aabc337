// The loader's own errors; what Node would throw for a program is thrown as Node's, see resolution.ts.

export type LoaderErrorCode = 'TT_LOAD' | 'TT_CONFIG';

export class LoaderError extends Error {
  readonly code: LoaderErrorCode;

  constructor(code: LoaderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

LoaderError.prototype.name = 'LoaderError';
