// Snapshots of the whole program, as the main thread puts them together, with workers that are a list of numbers.

import { expect, it } from 'vitest';
import { Collector, type Part } from '../../src/snapshot/collector.ts';

const WORKERS = [0, 1, 2];

function collecting(): {
  readonly collector: Collector;
  /** Phases that were begun, and those that were given up. */
  readonly begun: number[];
  readonly abandoned: number[];
  whole(phase: number): void;
  /** Phases of snapshots as they were answered, and why there are none. */
  readonly answers: (number | string)[];
  take(): Promise<void>;
} {
  const begun: number[] = [];
  const abandoned: number[] = [];
  const answers: (number | string)[] = [];
  const collector: Collector = new Collector({
    begin: () => begun.push(begun.length + 1),
    abandoned: (phase) => void abandoned.push(phase),
  });
  return {
    collector,
    begun,
    abandoned,
    answers,
    whole(phase) {
      collector.cut(phase, WORKERS);
      for (const worker of WORKERS) collector.part(partOf(worker, phase));
    },
    async take() {
      try {
        answers.push((await collector.take()).phase);
      } catch (error) {
        answers.push((error as Error).message);
      }
    },
  };
}

function partOf(worker: number, phase: number): Part {
  const pauses = { cut: 0, total: 0, longest: 0, pieces: 0 };
  return { worker, phase, life: 0, size: 0, bytes: undefined, chunks: 0, pauses };
}

it('begins two at once; who asks meanwhile gets the next one, together', async () => {
  const { collector, begun, answers, take, whole } = collecting();
  const all = [take(), take(), take(), take()];
  expect(begun).toEqual([1, 2]);
  whole(1);
  expect(begun).toEqual([1, 2, 3]);
  collector.cut(2, WORKERS);
  whole(3);
  for (const worker of WORKERS) collector.part(partOf(worker, 2));
  await Promise.all(all);
  expect(answers).toEqual([1, 2, 3, 3]);
});

it('answers in the order of their phases, however long who asked has waited', async () => {
  const { answers, take, whole, collector } = collecting();
  const waited = [take(), take(), take()];
  whole(1);
  collector.cut(3, WORKERS);
  whole(2);
  // The third has waited, the fourth has not.
  const all = [...waited, take()];
  whole(4);
  for (const worker of WORKERS) collector.part(partOf(worker, 3));
  await Promise.all(all);
  expect(answers).toEqual([1, 2, 3, 4]);
});

it('begins another one in place of one that was given up for what the next one knows of, not for ever', async () => {
  const { collector, begun, abandoned, answers, take, whole } = collecting();
  const first = take();
  collector.failed(2, 1, 'process.title was changed', true);
  whole(2);
  await first;
  const second = take();
  for (let phase = 3; phase <= 6; phase++) collector.failed(1, phase, 'process.title was changed', true);
  await second;
  expect(answers).toEqual([2, 'there is no snapshot 6: worker 1: process.title was changed']);
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
  expect(abandoned).toEqual([1, 3, 4, 5, 6]);
});

it('answers why there is none, and goes on with who waits', async () => {
  const { collector, begun, answers, take, whole } = collecting();
  const all = [take(), take(), take()];
  collector.failed(1, 1, new Error('it does not fit'), false);
  expect(begun).toEqual([1, 2, 3]);
  whole(2);
  whole(3);
  await Promise.all(all);
  expect(answers).toEqual(['there is no snapshot 1: worker 1: it does not fit', 2, 3]);
});
