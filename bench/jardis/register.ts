// Records the program as a time-travelling debugger with one event loop does (README.md). Usage: `--import` this file
// before `turntable/register`, with TURNTABLE_RECORDINGS set. The result is an ordinary recording that `turntable
// replay` reads. In a replay, or without a recording, this module does nothing.

import { isMainThread, workerData } from 'node:worker_threads';

const { env } = process;
if (isMainThread && (env['TURNTABLE_RECORDINGS'] ?? 'off') !== 'off') {
  env['TURNTABLE_TRACE'] = '1';
  env['TURNTABLE_KEEP'] ??= 'count=2';
  // Starts the app together with the program, even if that uses no actors. No program runs for so long.
  env['TURNTABLE_SNAPSHOTS'] = 'every=500h';
  const [{ logContents }, { stopTheWorld }, { snapshotByWork }] = await Promise.all([
    import('./contents.ts'),
    import('./stop-the-world.ts'),
    import('./interval.ts'),
  ]);
  logContents();
  stopTheWorld();
  snapshotByWork(Number(env['JARDIS_INTERVAL'] ?? 2000));
} else if (!isMainThread && (workerData as { turntable?: unknown } | null)?.turntable !== undefined)
  throw new Error('this recorder supports one event loop; start the program without workers');
