// Preloaded before Turntable into a measured process. On SIGWINCH it collects garbage and writes its memory use to
// descriptor 3 as a line of JSON. It runs natively, so nothing of it is recorded.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory use in bytes. */
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
