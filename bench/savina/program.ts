// The child process of one row: `program.ts NAME SIZE WARMUP SAMPLES`. Runs the program so often and prints what came of it as one line of JSON.
// Every run is verified, outside of what is timed; a wrong result ends the process.

import { GCProfiler } from 'node:v8';
import { timed, type Sample } from '../harness/session.ts';
import { loadProgram } from './catalog.ts';
import type { Problem } from './problem.ts';

/** What a child says of its row. */
export interface Measured {
  readonly samples: readonly Sample[];
  /** Of each sample. */
  readonly messages: readonly number[];
  /** MiB of the main thread's heap, at most, in a run of its own. */
  readonly heap: number;
  /** MiB of the whole process, at most. */
  readonly memory: number;
}

const MIB = 2 ** 20;

const [name = '', sizeName = '', warmup = '0', samples = '1'] = process.argv.slice(2);
const program = await loadProgram(name);
const size = program.problem[sizeName as keyof Problem<object>];
if (size === undefined) throw new RangeError(`${name} has no size "${sizeName}"`);

const measured: Measured = await measure(program.run.bind(program, size));
console.log(JSON.stringify(measured));

async function measure(run: () => Promise<unknown>): Promise<Measured> {
  for (let i = 0; i < Number(warmup); i += 1) await once(run);
  const runs: Awaited<ReturnType<typeof once>>[] = [];
  for (let i = 0; i < Number(samples); i += 1) runs.push(await once(run));
  return {
    samples: runs.map(({ sample }) => sample),
    messages: runs.map(({ messages }) => messages),
    heap: await heapPeak(run),
    memory: process.resourceUsage().maxRSS / 1024,
  };
}

async function once(run: () => Promise<unknown>): Promise<{ sample: Sample; messages: number }> {
  let result: unknown;
  const sample = await timed(async () => {
    result = await run();
  });
  if (!program.verify(result, size!)) {
    throw new Error(`${name} computed a wrong result at size ${JSON.stringify(size)}: ${JSON.stringify(result)}`);
  }
  return { sample, messages: program.messages(size!, result) };
}

/** The heap is at its peaks when the collector begins, and perhaps at the end. */
async function heapPeak(run: () => Promise<unknown>): Promise<number> {
  const profiler = new GCProfiler();
  profiler.start();
  await once(run);
  const atEnd = process.memoryUsage().heapUsed;
  const { statistics } = profiler.stop();
  return Math.max(atEnd, ...statistics.map(({ beforeGC }) => beforeGC.heapStatistics.usedHeapSize)) / MIB;
}
