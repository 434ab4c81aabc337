// Errors for code that the transform refuses or cannot parse. They name the file, the line, and a remedy.

export type TransformErrorCode = 'TT_SYNTAX' | 'TT_REFUSED';

export class TransformError extends SyntaxError {
  readonly code: TransformErrorCode;
  readonly path: string;
  readonly line: number;
  readonly column: number;

  constructor(code: TransformErrorCode, message: string, location: { path: string; line: number; column: number }) {
    super(`${location.path}:${location.line}:${location.column}: ${message}`);
    this.code = code;
    this.path = location.path;
    this.line = location.line;
    this.column = location.column;
  }
}

TransformError.prototype.name = 'SyntaxError';
