// The loader's own errors; what Node would throw for a program is thrown as Node's, see resolution.ts.

export type LoaderErrorCode =
  /** The loader is used before it is in place, or outside of its hooks. */
  | 'TT_NOT_INSTALLED'
  /** A tsconfig.json cannot be read. */
  | 'TT_TSCONFIG'
  /** A turntable.config file, or a setting in the environment or on the command line, says what cannot be. */
  | 'TT_CONFIG'
  /** Bytes that are no state, or one that this Turntable or this Node cannot read. */
  | 'TT_STATE'
  /** A capture would lose what is under way outside. */
  | 'TT_BUSY'
  /** A declared device that is none, or that cannot be made again. */
  | 'TT_DEVICE'
  /** Files are no longer what they were when a state was captured. */
  | 'TT_CODE_CHANGED'
  /** A class that other threads cannot find, or must not load. */
  | 'TT_UNKNOWN_CLASS'
  /** This Node keeps what older ones showed of the engine's objects to itself. */
  | 'TT_ENGINE_CLOSED';

/** Lines and columns count from one. */
export interface ErrorLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export class LoaderError extends Error {
  readonly code: LoaderErrorCode;
  /** Where in which file, if it is a file's fault; shown-error.ts shows the line. */
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
