// What one lane does again and again: two runs of a program of Savina, verified. `snapshots`: one is asked for before each two; `midway`: one begins
// somewhere within the first of them, where mailboxes may be full of what it has to write.

import { Runner } from '../savina/runner.ts';

export type Lane = 'none' | 'recorded' | 'snapshots' | 'midway';

export async function workOf(name: string, size: string, lane: Lane): Promise<() => Promise<void>> {
  const runner = new Runner('main');
  const run = runner.spawn(name, size);
  const twice = async (): Promise<void> => {
    await run.once();
    await run.once();
  };
  const before = await runner.turns();
  await twice();
  if (lane === 'none' || lane === 'recorded') return twice;
  const { theApp, theRecorder } = await import('../../packages/turntable/src/this-thread.ts');
  const take = (): void => void theRecorder()?.take();
  if (lane === 'snapshots')
    return () => {
      take();
      return twice();
    };
  let isWanted = false;
  const turns = Math.ceil(((await runner.turns()) - before) / 4);
  theApp().whenDue({ turns }, () => {
    if (isWanted) take();
    isWanted = false;
  });
  return () => {
    isWanted = true;
    return twice();
  };
}
