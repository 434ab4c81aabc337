// `repeat.ts WORK TIMES`: a program that does it so often, and nothing else.

import { WORK } from './work.ts';

const [work = '', times = '0'] = process.argv.slice(2);
for (let i = 0; i < Number(times); i++) {
  await WORK[work]?.();
  // What the collector has taken is told between turns.
  await new Promise((resolve) => setImmediate(resolve));
}
