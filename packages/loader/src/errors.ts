// Errors of the loader itself. Where Node would throw, Node's error is thrown, see resolution.ts.

export type LoaderErrorCode =
  /** The loader is used before it is installed, or outside of its hooks. */
  | 'TT_NOT_INSTALLED'
  /** A tsconfig.json cannot be read. */
  | 'TT_TSCONFIG'
  /** A turntable.config file, or a setting in the environment or on the command line, is invalid. */
  | 'TT_CONFIG'
  /** The bytes are not a state, or this version of Turntable or Node cannot read it. */
  | 'TT_STATE'
  /** A capture would lose pending operations of devices. */
  | 'TT_BUSY'
  /** A declared device does not exist, or cannot be created again. */
  | 'TT_DEVICE'
  /** Files have changed since a state was captured. */
  | 'TT_CODE_CHANGED'
  /** A class that other threads cannot find or must not load. */
  | 'TT_UNKNOWN_CLASS'
  /** This version of Node does not show internals of V8's objects that older ones show. */
  | 'TT_ENGINE_CLOSED';

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
