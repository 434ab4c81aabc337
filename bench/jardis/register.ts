// `--import` this before `turntable/register`, with TURNTABLE_RECORDINGS set: the program is recorded as a time-travelling debugger with one event loop does it
// (README.md). What it records is a recording of ours, and `turntable replay` knows nothing of who has made it; there, and where nothing is recorded, this does
// nothing.

import { isMainThread, workerData } from 'node:worker_threads';

const { env } = process;
if (isMainThread && (env['TURNTABLE_RECORDINGS'] ?? 'off') !== 'off') {
  env['TURNTABLE_TRACE'] = '1';
  env['TURNTABLE_KEEP'] ??= 'count=2';
  // So that the app begins with the program, whether or not that knows of actors. Nothing runs so long.
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
  throw new Error('a recorder of one event loop was given a second one: start the program without workers');
