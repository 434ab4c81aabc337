// The child process of one lane: `memory-program.ts NAME SIZE LANE TIMES`. Says, as one line of JSON, what the garbage collector of its main thread did
// meanwhile and how much memory the process had at most, all threads and everything outside of the heap included.

import { GCProfiler } from 'node:v8';
import { workOf, type SnapshotLane } from './work.ts';

/** What a child says of its lane. */
export interface MemoryUse {
  /** Milliseconds, elapsed, and of these those that the main thread was kept by the collector. */
  readonly wall: number;
  readonly collecting: number;
  /** MiB that were given back. */
  readonly collected: number;
  /** MiB at most, of the main thread's heap and of the process. */
  readonly heap: number;
  readonly process: number;
}

const MIB = 2 ** 20;

const [name = '', size = '', lane = '', times = '1'] = process.argv.slice(2);
const work = await workOf(name, size, lane as SnapshotLane);
await work();
const profiler = new GCProfiler();
profiler.start();
const startedAt = performance.now();
for (let i = 0; i < Number(times); i++) await work();
const wall = performance.now() - startedAt;
const { statistics } = profiler.stop();
let collecting = 0;
let collected = 0;
let heap = process.memoryUsage().heapTotal / MIB;
for (const { cost, beforeGC, afterGC } of statistics) {
  // Microseconds.
  collecting += cost / 1000;
  collected += Math.max(0, beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize) / MIB;
  heap = Math.max(heap, beforeGC.heapStatistics.totalHeapSize / MIB);
}
const memoryUse: MemoryUse = { wall, collecting, collected, heap, process: process.resourceUsage().maxRSS / 1024 };
console.log(JSON.stringify(memoryUse));
