// Reads a line of standard input synchronously, and leaves the rest to other readers, such as a program that is started
// afterwards.
import { readSync } from 'node:fs';

const STDIN = 0;
const LINE_END = 0x0a;
const MAX_LINE_BYTES = 1024;

export function readLine(): string {
  const bytes: number[] = [];
  const next = new Uint8Array(1);
  while (bytes.length < MAX_LINE_BYTES && readSync(STDIN, next) === 1) {
    const [byte = LINE_END] = next;
    if (byte === LINE_END) break;
    bytes.push(byte);
  }
  return Buffer.from(bytes).toString().trim();
}
