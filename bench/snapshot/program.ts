// The child process of one lane: `program.ts NAME SIZE HOW`. A sample is two runs of a program of Savina, verified. `snapshots`: one is taken whenever
// as many messages have been handled as two runs take, so once a sample, at whatever point of the program.

import { serveSamples } from '../harness/sample-server.ts';
import { Runner } from '../savina/runner.ts';

const [name = '', size = '', how = ''] = process.argv.slice(2);

await serveSamples(async () => {
  const runner = new Runner('main');
  const run = runner.spawn(name, size);
  const twice = async (): Promise<void> => {
    await run.once();
    await run.once();
  };
  const before = await runner.turns();
  await twice();
  if (how === 'snapshots') {
    const { theApp, theRecorder } = await import('../../packages/turntable/src/this-thread.ts');
    const turns = (await runner.turns()) - before;
    theApp().whenTurned(turns, () => void theRecorder()?.take());
  }
  return twice;
});
