// For `--import` before the hooks: records the program with traces into a temporary directory.

import { isMainThread } from 'node:worker_threads';
import { scratchDirectory } from '../harness/scratch.ts';

if (isMainThread) {
  process.env['TURNTABLE_RECORDINGS'] = scratchDirectory();
  process.env['TURNTABLE_TRACE'] = '1';
  process.env['TURNTABLE_KEEP'] = 'count=2';
  process.once('SIGTERM', () => process.exit());
}
