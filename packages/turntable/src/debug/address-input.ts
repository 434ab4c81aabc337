// Reads the address of a served recording from standard input. Other users can see the arguments of a process, so an
// address that must stay secret from them is not an argument.
import { readSync } from 'node:fs';
import { isatty } from 'node:tty';

const STDIN = 0;
const LINE_END = 0x0a;
const MAX_ADDRESS_BYTES = 1024;

/** Reads one line and leaves the rest to other readers. */
export function readAddressLine(): string {
  if (isatty(STDIN)) process.stderr.write('address: ');
  const bytes: number[] = [];
  const next = new Uint8Array(1);
  while (bytes.length < MAX_ADDRESS_BYTES && readSync(STDIN, next) === 1) {
    const [byte = LINE_END] = next;
    if (byte === LINE_END) break;
    bytes.push(byte);
  }
  return Buffer.from(bytes).toString().trim();
}
