// `repeat.ts NAME SIZE WORKERS TIMES`: runs a Savina program repeatedly and prints messages and duration as a line of
// JSON.

import { spawnWith, start } from 'turntable';
import { WORKER_COUNTS, type WorkerSetup } from '../savina/options.ts';
import { Repeated } from './repeated.ts';

/** The printed result. */
export interface RepeatResult {
  readonly messages: number;
  /** Duration after the first run, which is not counted. */
  readonly milliseconds: number;
}

const [name = '', size = '', workerSetup = '', times = '1'] = process.argv.slice(2);
const workers = WORKER_COUNTS[workerSetup as WorkerSetup];
const app = start({ workers });
const repeated = spawnWith({ on: Math.min(workers, 1) }, Repeated, name, size);
await repeated.run();
const startedAt = performance.now();
let messages = 0;
for (let i = 0; i < Number(times); i++) messages += await repeated.run();
const milliseconds = performance.now() - startedAt;
await app.close();
console.log(JSON.stringify({ messages, milliseconds } satisfies RepeatResult));
