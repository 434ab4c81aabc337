// Runs every program at its small sizes and prints what came out, a line each: for the tests, which compare the lines of a
// native process with those of a transformed one.

import { loadProgram, PROGRAMS } from './catalog.ts';

for (const { name, module, verified } of PROGRAMS) {
  const { newInstance } = await loadProgram(module);
  for (const size of verified) {
    console.log(`${name} ${size} ${String(await newInstance().innerBenchmarkLoop(size))}`);
  }
}
