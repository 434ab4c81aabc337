// What an engine tells while nobody goes anywhere, of a process that only says that it is there.
import { Duplex } from 'node:stream';
import { RecordedEngine, type ReplayProcess } from '@turntable/time-machine';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { surveyOf, type Step } from './random-runs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function process(): ReplayProcess {
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

/** What was told of a recording of so many stretches when it had been opened, and when somebody had gone somewhere. */
async function toldOf(stretches: number): Promise<boolean[][]> {
  const told: boolean[] = [];
  const all = Array.from({ length: stretches }, (): Step => ({ what: 'run', thread: 0, sends: 0 }));
  const engine = new RecordedEngine({
    survey: surveyOf(all),
    phases: [],
    start: process,
    rests: (isLong) => told.push(isLong),
  });
  const rested = (): boolean[] => {
    expect(told).toEqual([]);
    vi.runAllTimers();
    return told.splice(0);
  };
  const opened = rested();
  await engine.to({ order: 2, list: 0, statement: 0 });
  const gone = rested();
  await engine.close();
  return [opened, gone];
}

test('an engine of a long recording tells whoever prepares something that it is one', async () => {
  expect(await toldOf(20_000)).toEqual([[true], [true]]);
  expect(await toldOf(100)).toEqual([[false], [false]]);
});

test('whoever prepares something is told at once where somebody has come from afar, and where he is near after a rest', async () => {
  const told: boolean[] = [];
  const all = Array.from({ length: 100 }, (): Step => ({ what: 'run', thread: 0, sends: 0 }));
  const engine = new RecordedEngine({
    survey: surveyOf(all),
    phases: [],
    start: process,
    rests: (isLong) => told.push(isLong),
  });
  vi.runAllTimers();
  const toldWithin = async (order: number, milliseconds: number): Promise<number> => {
    await engine.to({ order, list: 0, statement: 0 });
    told.splice(0);
    vi.advanceTimersByTime(milliseconds);
    return told.length;
  };
  expect(await toldWithin(50, 1)).toBe(1);
  expect(await toldWithin(51, 100)).toBe(0);
  expect(await toldWithin(52, 1000)).toBe(1);
  await engine.close();
});
