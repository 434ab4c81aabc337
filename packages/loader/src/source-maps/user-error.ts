// Errors in a file of the user (refused syntax, an invalid setting), shown as Node shows errors of V8: file and line,
// the line with a caret, the message, and the importer's stack without Turntable's frames. Only V8's errors carry the
// text that Node prints above a stack, so one is created at that location and given this error's message.
import { Script } from 'node:vm';
import { readFileSync } from '../files.ts';
import { MAP_COMMENT, withMappedErrors } from './provided-maps.ts';

/** An error with a location. Lines and columns count from 1. */
interface LocatedError extends Error {
  readonly code: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

function isLocated(error: unknown): error is LocatedError {
  return (
    error instanceof Error &&
    'code' in error &&
    `${error.code as string}`.startsWith('TT_') &&
    'path' in error &&
    'line' in error &&
    'column' in error
  );
}

/** Enough frames to reach the importer below the frames of the loader. */
const MAX_FRAMES = 60;

/**
 * Turns an error with a location into one that Node prints with its source line. Returns other errors unchanged.
 * @param nameOf Node's name of the file at a path: the path itself or its URL
 * @param framesOf the relevant frames of an error created now
 */
export function toUserError(
  error: unknown,
  nameOf: (path: string) => string = (path) => path,
  framesOf: (error: Error) => readonly string[] = programFrames,
): unknown {
  if (!isLocated(error) || Object.getOwnPropertyDescriptor(error, 'path')?.enumerable === false) return error;
  const { path, line, column, message } = error;
  const displayName = nameOf(path);
  const text = readFileOrEmpty(path);
  const engineErrorObject = createEngineError(path, displayName, text, line, column);
  const sourceExcerpt = `${displayName}:${line}\n${lineWithCaret(text, line, column)}`;
  const prefix = `${path}:${line}:${column}: `;
  const plainMessage = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  // A refusal is an ordinary syntax error and must not be shown as `TransformError [SyntaxError]`.
  if (!(error instanceof SyntaxError)) Object.setPrototypeOf(engineErrorObject, Object.getPrototypeOf(error) as object);
  const errorLabel = error.code === 'TT_SYNTAX' ? error.name : `${error.name} [${error.code}]`;
  const frames = framesOf(engineErrorObject);
  // Node prints an error without frames in brackets.
  const frameLines = frames.length > 0 ? frames.join('\n') : `    at ${path}:${line}:${column}`;
  const stack = `${sourceExcerpt}\n${errorLabel}: ${plainMessage}\n${frameLines}`;
  const defineHidden = (key: string, value: unknown): unknown =>
    Object.defineProperty(engineErrorObject, key, { value, writable: true, enumerable: false, configurable: true });
  defineHidden('message', message);
  for (const key of ['code', 'path', 'line', 'column', 'cause'] as const)
    if (key in error) defineHidden(key, error[key]);
  defineHidden('stack', stack);
  return engineErrorObject;
}

function createEngineError(path: string, name: string, text: string, line: number, column: number): Error {
  const previousLimit = Error.stackTraceLimit;
  Error.stackTraceLimit = MAX_FRAMES;
  try {
    // The comment comes first, since V8 stops reading at the error.
    const compileBroken = (): unknown => new Script(`${MAP_COMMENT.trim()}\n)`, { filename: path });
    withMappedErrors(path, name, text, () => ({ line: line - 1, column: column - 1 }), compileBroken);
  } catch (error) {
    if (error instanceof Error) return error;
  } finally {
    Error.stackTraceLimit = previousLimit;
  }
  return new SyntaxError();
}

/** The frames of the program, which requested the file, without Node's. */
function programFrames(error: Error): readonly string[] {
  return `${error.stack}`.split('\n').filter((line) => line.startsWith('    at ') && !line.includes('node:'));
}

function lineWithCaret(text: string, line: number, column: number): string {
  const sourceLine = text.split(/\r?\n/)[line - 1];
  if (sourceLine === undefined) return '';
  return `${sourceLine}\n${sourceLine.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')}^\n`;
}

function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
