// Files of the folder `node-shims`. They belong to Turntable but run as part of the program: they are transformed and
// captured, but not counted among the program's files.
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('node-shims/', import.meta.url);
const DIRECTORY = fileURLToPath(FOLDER);
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

export function isNodeShim(filename: string): boolean {
  return filename.startsWith(DIRECTORY);
}

export function nodeShimUrl(name: string): string {
  return new URL(`${name}${EXTENSION}`, FOLDER).href;
}
