// Which process an engine asks to go back, of processes that go wherever they are told to.
import { Duplex } from 'node:stream';
import { RecordedEngine, type ReplayProcess } from '@turntable/time-machine';
import { MAX_UNDONE_STRETCHES } from '@turntable/time-machine/replay-process';
import { expect, onTestFinished, test } from 'vitest';
import { surveyOf, type Step } from './random-runs.ts';

interface RunMessage {
  readonly id: number;
  readonly run: {
    readonly limits: readonly { readonly worker: number; readonly life: number; readonly stretches: number }[];
  };
}

/** Of each process, before which stretches it was told to stand. */
function engineIn(stretches: number): { readonly engine: RecordedEngine; readonly told: number[][] } {
  const told: number[][] = [];
  const start = (): ReplayProcess => {
    const its: number[] = [];
    told.push(its);
    const channel: Duplex = new Duplex({
      read() {},
      write(chunk, _, done) {
        const { id, run } = JSON.parse(String(chunk)) as RunMessage;
        its.push((run.limits[0]?.stretches ?? 0) + 1);
        const threads = run.limits.map(({ stretches: begun, ...name }) => ({ ...name, begun, state: 'standing' }));
        channel.push(`${JSON.stringify({ id, threads, memory: 1 })}\n`);
        done();
      },
    });
    return { channel, beginning: 'anew', kill() {}, ended: new Promise(() => {}) };
  };
  const all = Array.from({ length: stretches }, (): Step => ({ what: 'run', thread: 0, sends: 0 }));
  const engine = new RecordedEngine({ survey: surveyOf(all), phases: [], start, memory: 2 ** 30 });
  onTestFinished(() => engine.close());
  return { engine, told };
}

const before = (order: number) => ({ order, list: 0, statement: 0 });

test('a process is asked to go back as far as it may be able to, and no further', async () => {
  const { engine, told } = engineIn(2000);
  await engine.to(before(1000));
  await engine.to(before(1000 - MAX_UNDONE_STRETCHES));
  expect(told).toEqual([[1000, 1000 - MAX_UNDONE_STRETCHES]]);
  await engine.to(before(1001));
  await engine.to(before(1001 - MAX_UNDONE_STRETCHES - 1));
  expect(told).toEqual([[1000, 1000 - MAX_UNDONE_STRETCHES, 1001], [1000 - MAX_UNDONE_STRETCHES]]);
});
