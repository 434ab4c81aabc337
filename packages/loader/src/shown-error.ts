// An error in a text that the program's user wrote (refused, misspelt, a setting that cannot be) as Node shows one of the engine's:
// file and line, the line with a caret, the message, who asked for the file, and nothing of ours. Only errors of the engine carry what
// Node prints above a stack, so one is made at that place and given this one's words.
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { MAP_COMMENT, withErrorsPlaced } from './fatal-exceptions.ts';

/** Lines and columns count from one. */
interface PlacedError extends Error {
  readonly code: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

function isPlaced(error: unknown): error is PlacedError {
  return (
    error instanceof Error &&
    'code' in error &&
    `${error.code as string}`.startsWith('TT_') &&
    'path' in error &&
    'line' in error &&
    'column' in error
  );
}

/** Deep enough for whoever asked for the file, behind all that loads it. */
const FRAMES = 60;

/** `name` is what Node calls the file at `path`: itself, or its URL. */
export function shownError(error: unknown, name?: (path: string) => string, source?: string): unknown {
  if (!isPlaced(error) || Object.getOwnPropertyDescriptor(error, 'path')?.enumerable === false) return error;
  const { path, line, column, message } = error;
  const shownName = name?.(path) ?? path;
  const text = source ?? textOf(path);
  const made = engineError(path, shownName, text, line, column);
  const above = `${shownName}:${line}\n${lineWithCaret(text, line, column)}`;
  const prefix = `${path}:${line}:${column}: `;
  const words = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  // A refusal is a syntax error like any other, and is not to be shown as `TransformError [SyntaxError]`.
  if (!(error instanceof SyntaxError)) Object.setPrototypeOf(made, Object.getPrototypeOf(error) as object);
  const named = error.code === 'TT_SYNTAX' ? error.name : `${error.name} [${error.code}]`;
  const stack = `${above}\n${named}: ${words}${framesOf(made)}`;
  const hide = (key: string, value: unknown): unknown =>
    Object.defineProperty(made, key, { value, writable: true, enumerable: false, configurable: true });
  hide('message', message);
  for (const key of ['code', 'path', 'line', 'column', 'cause'] as const) if (key in error) hide(key, error[key]);
  hide('stack', stack);
  return made;
}

function engineError(path: string, name: string, text: string, line: number, column: number): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  try {
    // The comment comes first, since V8 reads no further than to the error.
    const fail = (): unknown => new Script(`${MAP_COMMENT.trim()}\n)`, { filename: path });
    withErrorsPlaced(path, name, text, () => ({ line: line - 1, column: column - 1 }), fail);
  } catch (error) {
    if (error instanceof Error) return error;
  } finally {
    Error.stackTraceLimit = limit;
  }
  return new SyntaxError();
}

/** Of the program; of Node only the outermost, and only alone: `inspect` puts errors without any into brackets. */
function framesOf(error: Error): string {
  const frames = `${error.stack}`.split('\n').filter((line) => line.startsWith('    at '));
  const ofProgram = frames.filter((frame) => !frame.includes('node:'));
  return (ofProgram.length > 0 ? ofProgram : frames.slice(-1)).map((frame) => `\n${frame}`).join('');
}

function lineWithCaret(text: string, line: number, column: number): string {
  const written = text.split(/\r?\n/)[line - 1];
  if (written === undefined) return '';
  return `${written}\n${written.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')}^\n`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
