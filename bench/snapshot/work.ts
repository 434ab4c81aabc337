// What one lane does again and again: two runs of a program of Savina, verified. `snapshots`: one is taken whenever as many messages have been
// handled as two runs take, so once a time, at whatever point of the program.

import { Runner } from '../savina/runner.ts';

export type Lane = 'none' | 'recorded' | 'snapshots';

export async function workOf(name: string, size: string, lane: Lane): Promise<() => Promise<void>> {
  const runner = new Runner('main');
  const run = runner.spawn(name, size);
  const twice = async (): Promise<void> => {
    await run.once();
    await run.once();
  };
  const before = await runner.turns();
  await twice();
  if (lane === 'snapshots') {
    const { theApp, theRecorder } = await import('../../packages/turntable/src/this-thread.ts');
    const turns = (await runner.turns()) - before;
    theApp().whenDue({ turns }, () => void theRecorder()?.take());
  }
  return twice;
}
