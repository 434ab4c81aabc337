// Child process of one lane: `memory-program.ts NAME SIZE LANE TIMES`. Prints one line of JSON with the work of the
// main thread's garbage collector and the peak memory of the process, all threads and off-heap memory included.

import { GCProfiler } from 'node:v8';
import { workOf, type SnapshotLane } from './work.ts';

/** The printed measurements. */
export interface MemoryUse {
  /** Elapsed milliseconds, and the part of them in which the collector paused the main thread. */
  readonly wall: number;
  readonly collecting: number;
  /** Collected MiB. */
  readonly collected: number;
  /** Peak MiB of the main thread's heap and of the process. */
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
  // `cost` is in microseconds.
  collecting += cost / 1000;
  collected += Math.max(0, beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize) / MIB;
  heap = Math.max(heap, beforeGC.heapStatistics.totalHeapSize / MIB);
}
const memoryUse: MemoryUse = { wall, collecting, collected, heap, process: process.resourceUsage().maxRSS / 1024 };
console.log(JSON.stringify(memoryUse));
