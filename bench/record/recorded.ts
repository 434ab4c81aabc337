// With `--import`, before the hooks: the program is recorded with traces, in a directory that is gone with it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  process.env['TURNTABLE_RECORDINGS'] = directory;
  process.env['TURNTABLE_TRACE'] = '1';
  process.env['TURNTABLE_KEEP'] = 'count=2';
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  process.once('SIGTERM', () => process.exit());
}
