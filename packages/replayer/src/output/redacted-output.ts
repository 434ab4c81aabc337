// Copies the output of a program with the secrets redacted. All other bytes stay as they are. A secret may be written in
// pieces, so a line is copied when it is complete, or when nothing follows for a moment.
import type { Readable, Writable } from 'node:stream';
import type { Redaction } from '@turntable/recording/redaction';

/** Maximum number of bytes that wait for the end of a line. */
const MAX_WAITING_BYTES = 1 << 16;
const MAX_WAIT_MS = 50;
const LINE_FEED = 0x0a;

/** Resolves at the end of the input. The output stays open. */
export async function copyRedacted(input: Readable, output: Writable, redaction: Redaction): Promise<void> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): boolean => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    return bytes.length === 0 || output.write(redactOutput(bytes, redaction));
  };
  for await (const chunk of input) {
    clearTimeout(timer);
    const bytes = chunk as Buffer;
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    waiting.push(bytes.subarray(0, end));
    const hasRoom = end === 0 ? true : flush();
    waiting.push(bytes.subarray(end));
    waitingBytes += bytes.length - end;
    const isFull = waitingBytes > MAX_WAITING_BYTES;
    if (!(isFull ? flush() : hasRoom)) await new Promise((settle) => output.once('drain', settle));
    if (waitingBytes > 0) timer = setTimeout(flush, MAX_WAIT_MS);
  }
  clearTimeout(timer);
  flush();
}

/** Redacts secrets. All other bytes stay the same. */
function redactOutput(bytes: Buffer, redaction: Redaction): Buffer {
  const text = bytes.toString('latin1');
  const redacted = redaction.redactText(text);
  return redacted === text ? bytes : Buffer.from(redacted, 'latin1');
}
