// For `--import` before the hooks: records the program into a directory that is deleted at exit.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  process.env['TURNTABLE_RECORDINGS'] = directory;
  process.env['TURNTABLE_KEEP'] = 'count=2';
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  process.once('SIGTERM', () => process.exit());
}
