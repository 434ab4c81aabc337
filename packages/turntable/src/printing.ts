// Long texts on their way out: as fast as whoever reads takes them, and no further than they read.
import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** Units that are worth a write of their own. */
const PIECE = 1 << 16;

/** Answers whether somebody has read to the end: `head` does not. */
export async function printTo(output: Writable, texts: Iterable<string>): Promise<boolean> {
  // What goes wrong is told to the callback of a write, too, and would end the process here.
  const ignore = (): void => {};
  output.on('error', ignore);
  try {
    let piece = '';
    for (const text of texts) {
      piece += text;
      if (piece.length < PIECE) continue;
      if (!(await written(output, piece))) return false;
      piece = '';
    }
    return await written(output, piece);
  } finally {
    output.off('error', ignore);
  }
}

async function written(output: Writable, text: string): Promise<boolean> {
  if (isFile(output)) return writtenWhole(output.fd, text);
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
function writtenWhole(file: number, text: string): true {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  return true;
}
