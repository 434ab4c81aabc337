// An error in a text that the program's user wrote (refused, misspelt, a setting that cannot be) as Node shows one of the engine's:
// file and line, the line with a caret, the message, who asked for the file, and nothing of ours. Only errors of the engine carry what
// Node prints above a stack, so one is made at that place and given this one's words.
import { Script } from 'node:vm';
import { readFileSync } from '../files.ts';
import { MAP_COMMENT, withErrorsPlaced } from './provided-maps.ts';

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

/** `name` is what Node calls the file at `path`: itself, or its URL; `framesOf` an error made now, those that matter. */
export function shownError(
  error: unknown,
  name: (path: string) => string = (path) => path,
  framesOf: (error: Error) => readonly string[] = programFrames,
): unknown {
  if (!isPlaced(error) || Object.getOwnPropertyDescriptor(error, 'path')?.enumerable === false) return error;
  const { path, line, column, message } = error;
  const shownName = name(path);
  const text = textOf(path);
  const made = engineError(path, shownName, text, line, column);
  const above = `${shownName}:${line}\n${lineWithCaret(text, line, column)}`;
  const prefix = `${path}:${line}:${column}: `;
  const words = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  // A refusal is a syntax error like any other, and is not to be shown as `TransformError [SyntaxError]`.
  if (!(error instanceof SyntaxError)) Object.setPrototypeOf(made, Object.getPrototypeOf(error) as object);
  const named = error.code === 'TT_SYNTAX' ? error.name : `${error.name} [${error.code}]`;
  const frames = framesOf(made);
  // An error without any would be printed in brackets.
  const below = frames.length > 0 ? frames.join('\n') : `    at ${path}:${line}:${column}`;
  const stack = `${above}\n${named}: ${words}\n${below}`;
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

/** Who has asked for the file; there are none of ours, and Node's say nothing here. */
function programFrames(error: Error): readonly string[] {
  return `${error.stack}`.split('\n').filter((line) => line.startsWith('    at ') && !line.includes('node:'));
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
