// Runs every program at its small size and prints what came out, a line each, as JSON: for the tests, which run this in a process of its own, transformed.

import { loadProgram, PROGRAMS } from './catalog.ts';

for (const name of PROGRAMS) {
  const program = await loadProgram(name);
  const size = program.problem.small;
  const result = await program.run(size);
  console.log(JSON.stringify({ name, isRight: program.verify(result, size), result }));
}
