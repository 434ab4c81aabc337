// A temporary directory for a child process. Its parent deletes it after the process has ended, because a recording is
// complete only then.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'BENCH_SCRATCH';

export interface Scratch {
  /** The environment of the child process. */
  readonly env: NodeJS.ProcessEnv;
  delete(): void;
}

export function makeScratch(): Scratch {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  return {
    env: { ...process.env, [VARIABLE]: directory },
    delete: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** In the child process. */
export function scratchDirectory(): string {
  const directory = process.env[VARIABLE];
  if (directory === undefined) throw new Error(`${VARIABLE} is not set`);
  return directory;
}
