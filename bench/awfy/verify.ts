// Runs every program at its small sizes and prints one line per result. The tests compare the lines of a native process
// with the lines of a transformed one.

import { loadProgram, PROGRAMS } from './catalog.ts';

for (const { name, module, verified } of PROGRAMS) {
  const { newInstance } = await loadProgram(module);
  for (const size of verified) {
    console.log(`${name} ${size} ${String(await newInstance().innerBenchmarkLoop(size))}`);
  }
}
