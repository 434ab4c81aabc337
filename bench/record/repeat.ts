// `repeat.ts NAME SIZE PLACE TIMES`: runs a program of Savina so often, and says as a line of JSON how many messages that took, and for how long.

import { spawnWith, start } from 'turntable';
import { WORKERS, type Place } from '../savina/options.ts';
import { Repeated } from './repeated.ts';

/** What is said. */
export interface Said {
  readonly messages: number;
  /** Between the first run, which is not counted, and the end. */
  readonly milliseconds: number;
}

const [name = '', size = '', place = '', times = '1'] = process.argv.slice(2);
const workers = WORKERS[place as Place];
const app = start({ workers });
const repeated = spawnWith({ on: Math.min(workers, 1) }, Repeated, name, size);
await repeated.run();
const began = performance.now();
let messages = 0;
for (let i = 0; i < Number(times); i++) messages += await repeated.run();
const milliseconds = performance.now() - began;
await app.close();
console.log(JSON.stringify({ messages, milliseconds } satisfies Said));
