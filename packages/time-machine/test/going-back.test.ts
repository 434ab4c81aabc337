// Which process an engine asks to go back, of processes that go wherever they are told to.
import { Duplex } from 'node:stream';
import { RecordedEngine, type EngineProcess } from '@turntable/time-machine';
import { MOST_UNDONE } from '@turntable/time-machine/notes';
import { expect, onTestFinished, test } from 'vitest';
import { surveyOf, type Step } from './random-runs.ts';

interface Said {
  readonly id: number;
  readonly go: {
    readonly limits: readonly { readonly worker: number; readonly life: number; readonly stretches: number }[];
  };
}

/** Of each process, before which stretches it was told to stand. */
function engineIn(stretches: number): { readonly engine: RecordedEngine; readonly told: number[][] } {
  const told: number[][] = [];
  const start = (): EngineProcess => {
    const its: number[] = [];
    told.push(its);
    const channel: Duplex = new Duplex({
      read() {},
      write(chunk, _, done) {
        const { id, go } = JSON.parse(String(chunk)) as Said;
        its.push((go.limits[0]?.stretches ?? 0) + 1);
        const threads = go.limits.map(({ stretches: begun, ...name }) => ({ ...name, begun, state: 'standing' }));
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
  await engine.to(before(1000 - MOST_UNDONE));
  expect(told).toEqual([[1000, 1000 - MOST_UNDONE]]);
  await engine.to(before(1001));
  await engine.to(before(1001 - MOST_UNDONE - 1));
  expect(told).toEqual([[1000, 1000 - MOST_UNDONE, 1001], [1000 - MOST_UNDONE]]);
});
