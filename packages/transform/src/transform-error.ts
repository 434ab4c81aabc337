// Errors for code that the transform refuses or cannot parse. They name the file, the line, and a remedy.
import type { TRANSFORM_ERRORS } from './error-table.ts';

export type TransformErrorCode = keyof typeof TRANSFORM_ERRORS;

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

/** The way to run a file without transforming it, as a flag that users can copy. */
export function exclusionRemedy(path: string): string {
  const packageName = packageNameOf(path);
  if (packageName !== undefined) return `leave the package ${packageName} native with --exclude ${packageName}`;
  return `leave this file native with --exclude ${path.replaceAll('\\', '/').split('/').slice(-2).join('/')}`;
}

/** The package of a file in node_modules; undefined for a file of the program itself. */
export function packageNameOf(path: string): string | undefined {
  return /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/'))?.[1];
}
