// Scratch directories: each test file has one in the directory of the run. Their paths are short, for tests put sockets
// into them, whose paths may have about a hundred bytes.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Environment variable that names the directory of the run. */
export const RUN_VARIABLE = 'TURNTABLE_TEST_RUN';

/** Environment variable of the second run of a file, whose output is kept even if it passes. */
export const RERUN_VARIABLE = 'TURNTABLE_TEST_RERUN';

/** Name of the file in a scratch directory in which the test worker notes its children and their output. */
export const OBSERVED_FILE = 'observed.json';

export function scratchOf(run: string, file: string): string {
  return join(run, createHash('sha1').update(file).digest('hex').slice(0, 8));
}
