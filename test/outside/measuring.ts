// Loaded by Node before Turntable in a process that is measured: when it gets SIGWINCH it says on descriptor 3, as a line of JSON, how much memory it has once all
// garbage is collected. Natively: nothing of it is in the recording.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes. */
export interface MemoryUsage {
  readonly heap: number;
  readonly resident: number;
}

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const memoryUsage = process.memoryUsage.bind(process);
  process.on('SIGWINCH', () => {
    gc();
    const { heapUsed: heap, rss: resident } = memoryUsage();
    writeSync(3, `${JSON.stringify({ heap, resident } satisfies MemoryUsage)}\n`);
  });
}
