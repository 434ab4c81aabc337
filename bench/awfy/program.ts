// Child process of one program: `program.ts MODULE INNER REPEAT`. Both variants run this file; the only difference is
// that one of them is started with `--import turntable/register`.

import { serveSamples } from '../harness/sample-server.ts';
import { loadProgram } from './catalog.ts';

const [module = '', inner = '1', repeat = '1'] = process.argv.slice(2);

await serveSamples(async () => {
  const { newInstance } = await loadProgram(module);
  const program = newInstance();
  const innerIterations = Number(inner);
  const repeats = Number(repeat);

  const check = (correct: boolean): void => {
    if (!correct) throw new Error(`${module} computed a wrong result at size ${innerIterations}`);
  };
  // Synchronous programs run in a synchronous loop, so that they do not pay for asynchronous ones.
  const finish = async (first: PromiseLike<boolean>, done: number): Promise<void> => {
    check(await first);
    for (let i = done; i < repeats; i += 1) check(await program.innerBenchmarkLoop(innerIterations));
  };
  return () => {
    for (let i = 1; i <= repeats; i += 1) {
      const correct = program.innerBenchmarkLoop(innerIterations);
      if (typeof correct !== 'boolean') return finish(correct, i);
      check(correct);
    }
    return undefined;
  };
});
