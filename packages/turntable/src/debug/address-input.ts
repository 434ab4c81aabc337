// Reads the address of a served recording from standard input. Other users can see the arguments of a process, so an
// address that must stay secret from them is not an argument.
import { isatty } from 'node:tty';
import { readLine } from '../read-line.ts';

/** Reads one line and leaves the rest to other readers. */
export function readAddressLine(): string {
  if (isatty(0)) process.stderr.write('address: ');
  return readLine();
}
