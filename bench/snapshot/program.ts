// Child process of one lane: `program.ts NAME SIZE LANE`. A sample is two runs.

import { serveSamples } from '../harness/sample-server.ts';
import { workOf, type SnapshotLane } from './work.ts';

const [name = '', size = '', lane = ''] = process.argv.slice(2);

await serveSamples(() => workOf(name, size, lane as SnapshotLane));
