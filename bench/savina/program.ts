// Child process of one row: `program.ts NAME SIZE WORKERS WARMUP SAMPLES`. Runs the program repeatedly and prints its
// measurements as one line of JSON. A wrong result ends the process.

import type { WorkerSetup } from './options.ts';
import type { RunSample } from './run.ts';
import { Runner } from './runner.ts';

/** The printed measurements. */
export interface Measured {
  readonly samples: readonly RunSample[];
  /** Peak heap of the thread that runs the program, in MiB. */
  readonly heap: number;
  /** Peak memory of the process, in MiB. */
  readonly memory: number;
}

const [name = '', size = '', workerSetup = '', warmup = '0', samples = '1'] = process.argv.slice(2);
const run = new Runner(workerSetup as WorkerSetup).spawn(name, size);
for (let i = 0; i < Number(warmup); i += 1) await run.once();
const measured: RunSample[] = [];
for (let i = 0; i < Number(samples); i += 1) measured.push(await run.once());
const heap = await run.heapPeak();
const memory = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ samples: measured, heap, memory } satisfies Measured));
