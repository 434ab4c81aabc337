// The child process of one lane: `program.ts NAME SIZE LANE PLACE`. A sample is two runs.

import { serveSamples } from '../harness/sample-server.ts';
import type { Place } from '../savina/options.ts';
import { workOf, type Lane } from './work.ts';

const [name = '', size = '', lane = '', place = ''] = process.argv.slice(2);

await serveSamples(() => workOf(name, size, lane as Lane, place as Place));
