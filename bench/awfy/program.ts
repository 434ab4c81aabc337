// The child process of one variant of one program: `program.ts native|transformed MODULE INNER REPEAT`.

import { serveSamples } from '../harness/sample-server.ts';
import type { ProgramModule } from './catalog.ts';
import { loadNative } from './run-native.ts';

async function load(variant: string, file: URL): Promise<ProgramModule> {
  // Only a transformed child pays for loading the transform and core.
  if (variant === 'transformed') return (await import('./run-transformed.ts')).loadTransformed(file);
  return loadNative(file);
}

const [variant = '', module = '', inner = '1', repeat = '1'] = process.argv.slice(2);

await serveSamples(async () => {
  const { newInstance } = await load(variant, new URL(`./${module}.ts`, import.meta.url));
  const program = newInstance();
  const innerIterations = Number(inner);
  const repeats = Number(repeat);

  const check = (correct: boolean): void => {
    if (!correct) throw new Error(`${module} computed a wrong result at size ${innerIterations}`);
  };
  // Synchronous programs are run by a synchronous loop: they must not pay for the asynchronous ones.
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
