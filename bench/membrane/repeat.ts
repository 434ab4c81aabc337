// `repeat.ts WORK TIMES`: a program that only repeats an operation.

import { WORK } from './work.ts';

const [work = '', times = '0'] = process.argv.slice(2);
for (let i = 0; i < Number(times); i++) {
  await WORK[work]?.();
  // Finalizers run between turns.
  await new Promise((resolve) => setImmediate(resolve));
}
