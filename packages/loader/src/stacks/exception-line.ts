// The line and the caret that Node prints above an error which ends the process, where it was the membrane that threw it last: a callback of the program's has, and
// Node was told of it by way of us. V8 says of such an error only where it was thrown again, so the line is taken from the error's own first frame.
import { readFileSync } from '../files.ts';
import { types } from 'node:util';
import { fileURLToPath } from 'node:url';

let lastRethrown: WeakRef<object> | undefined;

/** The membrane is about to throw it again. */
export function noteRethrown(error: unknown): void {
  if (types.isNativeError(error)) lastRethrown = new WeakRef(error);
}

const FRAME = /^ {4}at (?:.* \()?((?:file:\/\/)?\/[^()]*):(\d+):(\d+)\)?$/m;

/** Nothing for an error that Node itself shows where it was thrown. */
export function exceptionLine(error: unknown): string | undefined {
  if (lastRethrown === undefined || lastRethrown.deref() !== error) return undefined;
  const [, file, line, column] = FRAME.exec(String((error as Error).stack)) ?? [];
  if (file === undefined) return undefined;
  const source = sourceOf(file)?.split('\n')[Number(line) - 1];
  if (source === undefined) return undefined;
  const lineBefore = source.slice(0, Number(column) - 1);
  // The engine points at the statement that throws.
  const statementColumn = /\bthrow\s+$/.exec(lineBefore)?.index ?? lineBefore.length;
  return `${file}:${line}\n${source}\n${source.slice(0, statementColumn).replaceAll(/[^\t]/g, ' ')}^\n\n`;
}

function sourceOf(file: string): string | undefined {
  try {
    return readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
  } catch {
    return undefined;
  }
}
