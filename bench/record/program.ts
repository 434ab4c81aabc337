// Child process of one lane: `program.ts NAME SIZE LANE WORKERS`. A sample is two runs.

import { serveSamples } from '../harness/sample-server.ts';
import type { WorkerSetup } from '../savina/options.ts';
import { workOf, type RecordLane } from './work.ts';

const [name = '', size = '', lane = '', workerSetup = ''] = process.argv.slice(2);

await serveSamples(() => workOf(name, size, lane as RecordLane, workerSetup as WorkerSetup));
