// For `--import` before the hooks: records the program with traces into a temporary directory.

import { isMainThread } from 'node:worker_threads';
import '../snapshot/recorded.ts';

if (isMainThread) process.env['TURNTABLE_TRACE'] = '1';
