// What an engine tells while nobody goes anywhere, of a process that only says that it is there.
import { Duplex } from 'node:stream';
import { RecordedEngine, type EngineProcess } from '@turntable/replay';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { surveyOf, type Step } from './random-runs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function process(): EngineProcess {
  const channel: Duplex = new Duplex({
    read() {},
    write(chunk, _, done) {
      const { id } = JSON.parse(String(chunk)) as { readonly id: number };
      channel.push(`${JSON.stringify({ id, threads: [], memory: 1 })}\n`);
      done();
    },
  });
  return { channel, beginning: 'anew', kill() {}, ended: new Promise(() => {}) };
}

/** What was told after so many stretches were gone over, and nobody went on. */
async function toldAfter(stretches: number): Promise<boolean[]> {
  const told: boolean[] = [];
  const all = Array.from({ length: stretches }, (): Step => ({ what: 'run', thread: 0, sends: 0 }));
  const engine = new RecordedEngine({
    survey: surveyOf(all),
    phases: [],
    start: process,
    rests: (isLong) => told.push(isLong),
  });
  await engine.to({ order: 2, list: 0, statement: 0 });
  expect(told).toEqual([]);
  vi.runAllTimers();
  await engine.close();
  return told;
}

test('an engine of a long recording tells whoever prepares something that it is one', async () => {
  expect(await toldAfter(20_000)).toEqual([true]);
  expect(await toldAfter(100)).toEqual([false]);
});
