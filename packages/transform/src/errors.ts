// What the transform refuses or cannot read, always with file, line and the way out.

export type TransformErrorCode = 'TT_SYNTAX' | 'TT_REFUSED';

export class TransformError extends SyntaxError {
  readonly code: TransformErrorCode;
  readonly path: string;
  readonly line: number;
  readonly column: number;

  constructor(code: TransformErrorCode, message: string, place: { path: string; line: number; column: number }) {
    super(`${place.path}:${place.line}:${place.column}: ${message}`);
    this.code = code;
    this.path = place.path;
    this.line = place.line;
    this.column = place.column;
  }
}

TransformError.prototype.name = 'SyntaxError';
