// The source line and caret that Node prints above an error that ends the process, for errors that the membrane
// rethrows. V8 reports where the membrane threw them, so the line is taken from the first frame of the stack instead.
import { readFileSync } from '../files.ts';
import { types } from 'node:util';
import { fileURLToPath } from 'node:url';

let lastRethrown: WeakRef<object> | undefined;
let recordedSource: (file: string) => string | undefined = () => undefined;

/** Sets a function that returns the recorded text of a file during a replay. Owner: the fatal exceptions. */
export function setRecordedSource(sourceOf: typeof recordedSource): void {
  recordedSource = sourceOf;
}

/** Must be called before the membrane rethrows an error from a callback of the program. */
export function noteRethrown(error: unknown): void {
  if (types.isNativeError(error)) lastRethrown = new WeakRef(error);
}

const FRAME = /^ {4}at (?:.* \()?((?:file:\/\/)?\/[^()]*):(\d+):(\d+)\)?$/m;

/** The line and caret for an error that the membrane rethrew last; undefined for others, which Node locates itself. */
export function exceptionLine(error: unknown): string | undefined {
  if (lastRethrown === undefined || lastRethrown.deref() !== error) return undefined;
  const [, file, line, column] = FRAME.exec(String((error as Error).stack)) ?? [];
  if (file === undefined) return undefined;
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const source = (recordedSource(path) ?? readText(path))?.split('\n')[Number(line) - 1];
  if (source === undefined) return undefined;
  const lineBefore = source.slice(0, Number(column) - 1);
  // V8 points at the start of the `throw` statement.
  const statementColumn = /\bthrow\s+$/.exec(lineBefore)?.index ?? lineBefore.length;
  return `${file}:${line}\n${source}\n${source.slice(0, statementColumn).replaceAll(/[^\t]/g, ' ')}^\n\n`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
