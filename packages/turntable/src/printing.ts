// The output of the terminal commands. They print texts of recordings, which are untrusted, so all output loses its
// control characters here. Long texts are printed only as far and as fast as the reader reads them.
import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { sanitizeLines } from '@turntable/replayer/entry';
import { styled, type Style } from './colours.ts';

/** Number of characters of one write. */
const CHUNK_CHARS = 1 << 16;

/** Prints a text on standard output. */
export function print(text: string): void {
  process.stdout.write(sanitizeLines(text));
}

/** Prints a text on standard error. */
export function printError(text: string): void {
  process.stderr.write(sanitizeLines(text));
}

export function printStyled(style: Style, text: string, stream: NodeJS.WriteStream): void {
  stream.write(styled(style, sanitizeLines(text), stream));
}

/**
 * Prints chunks. Resolves with whether the reader has read everything, which `head`, for example, does not.
 * @param sanitize makes a text harmless for a terminal
 */
export async function printTo(
  output: Writable,
  chunks: Iterable<string>,
  sanitize: (text: string) => string = sanitizeLines,
): Promise<boolean> {
  // Write errors are passed to the callback of `write`, and emitted as well: without a listener, they end the process.
  const ignore = (): void => {};
  output.on('error', ignore);
  try {
    let buffered = '';
    for (const text of chunks) {
      buffered += text;
      if (buffered.length < CHUNK_CHARS) continue;
      if (!(await writeText(output, sanitize(buffered)))) return false;
      buffered = '';
    }
    return await writeText(output, sanitize(buffered));
  } finally {
    output.off('error', ignore);
  }
}

async function writeText(output: Writable, text: string): Promise<boolean> {
  if (isFile(output)) return writeWhole(output.fd, text);
  return await new Promise((settle, reject) => {
    output.write(text, (error) => {
      if (error == null) settle(true);
      else if ((error as { code?: unknown }).code === 'EPIPE') settle(false);
      else reject(error);
    });
  });
}

/** Whether an output is standard output that is redirected to a file. */
function isFile(output: Writable): output is Writable & { readonly fd: number } {
  return output === process.stdout && fstatSync(process.stdout.fd).isFile();
}

/** Writes a whole text. Node reports a write that a full disk cut short as complete; writing the rest then fails. */
function writeWhole(fd: number, text: string): true {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length;) offset += writeSync(fd, bytes, offset);
  return true;
}
