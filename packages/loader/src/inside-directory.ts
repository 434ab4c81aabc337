// Where the modules are that belong to Turntable and run inside the program; nobody who asks what a program consists of means them.
import { fileURLToPath } from 'node:url';

const INSIDE = fileURLToPath(new URL('inside/', import.meta.url));

export function isInside(filename: string): boolean {
  return filename.startsWith(INSIDE);
}
