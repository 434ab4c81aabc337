// Child process of one lane: `program.ts WORK`.

import { serveSamples } from '../harness/sample-server.ts';
import { WORK } from './work.ts';

const [work = ''] = process.argv.slice(2);

await serveSamples(() => Promise.resolve(WORK[work] as () => unknown));
