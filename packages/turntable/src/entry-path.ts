import { fileURLToPath } from 'node:url';

/** The main program of a recording as a path, or as it is if it is no URL of a file; undefined if it is not known. */
export function entryPath(entry: string | null | undefined): string | undefined {
  return entry?.startsWith('file:') === true ? fileURLToPath(entry) : (entry ?? undefined);
}
