// An error in a text that the program's user wrote (refused, misspelt, a setting that cannot be) as Node shows one of the engine's:
// file and line, the line with a caret, the message, who asked for the file, and nothing of ours. Only errors of the engine carry what
// Node prints above a stack, so one is made at that place and given this one's words.
import { Script } from 'node:vm';
import { readFileSync } from '../files.ts';
import { MAP_COMMENT, withMappedErrors } from './provided-maps.ts';

/** Lines and columns count from one. */
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

/** Deep enough for whoever asked for the file, behind all that loads it. */
const MAX_FRAMES = 60;

/** `name` is what Node calls the file at `path`: itself, or its URL; `framesOf` an error made now, those that matter. */
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
  // A refusal is a syntax error like any other, and is not to be shown as `TransformError [SyntaxError]`.
  if (!(error instanceof SyntaxError)) Object.setPrototypeOf(engineErrorObject, Object.getPrototypeOf(error) as object);
  const errorLabel = error.code === 'TT_SYNTAX' ? error.name : `${error.name} [${error.code}]`;
  const frames = framesOf(engineErrorObject);
  // An error without any would be printed in brackets.
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
    // The comment comes first, since V8 reads no further than to the error.
    const compileBroken = (): unknown => new Script(`${MAP_COMMENT.trim()}\n)`, { filename: path });
    withMappedErrors(path, name, text, () => ({ line: line - 1, column: column - 1 }), compileBroken);
  } catch (error) {
    if (error instanceof Error) return error;
  } finally {
    Error.stackTraceLimit = previousLimit;
  }
  return new SyntaxError();
}

/** Who has asked for the file; there are none of ours, and Node's say nothing here. */
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
