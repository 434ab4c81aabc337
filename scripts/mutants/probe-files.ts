// Files to which probes append, one for each test file.
import { join } from 'node:path';

/** Environment variable that names the directory of these files, and in processes of a test file its own one. */
export const PROBES_VARIABLE = 'TURNTABLE_MUTANT_PROBES';

export function probeFileOf(directory: string, testFile: string): string {
  return join(directory, testFile.replaceAll('/', '+'));
}

/** @param name file name of a `probeFileOf` */
export function testFileOf(name: string): string {
  return name.replaceAll('+', '/');
}
