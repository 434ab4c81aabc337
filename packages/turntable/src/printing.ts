// Long texts on their way out: as fast as whoever reads takes them, and no further than they read.
import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** Units that are worth a write of their own. */
const CHUNK_CHARS = 1 << 16;

/** Answers whether somebody has read to the end: `head` does not. */
export async function printTo(output: Writable, chunks: Iterable<string>): Promise<boolean> {
  // What goes wrong is told to the callback of a write, too, and would end the process here.
  const ignore = (): void => {};
  output.on('error', ignore);
  try {
    let buffered = '';
    for (const text of chunks) {
      buffered += text;
      if (buffered.length < CHUNK_CHARS) continue;
      if (!(await writeText(output, buffered))) return false;
      buffered = '';
    }
    return await writeText(output, buffered);
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

/** Standard output that goes into a file. */
function isFile(output: Writable): output is Writable & { readonly fd: number } {
  return output === process.stdout && fstatSync(process.stdout.fd).isFile();
}

/** Node takes a write that a full disk has cut short for a whole one; the next one says why. */
function writeWhole(fd: number, text: string): true {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length;) offset += writeSync(fd, bytes, offset);
  return true;
}
