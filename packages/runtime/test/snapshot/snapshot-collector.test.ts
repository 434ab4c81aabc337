// Snapshots of the whole program as the main thread collects them; workers are a list of numbers.

import { expect, it } from 'vitest';
import { SnapshotCollector, type WorkerPart } from '../../src/snapshot/snapshot-collector.ts';

const WORKERS = [0, 1, 2];

function createCollector(): {
  readonly collector: SnapshotCollector;
  /** Phases that were started, and those that were abandoned. */
  readonly startedPhases: number[];
  readonly abandoned: number[];
  completeParts(phase: number): void;
  /** Phases of delivered snapshots, and reasons of failed ones. */
  readonly answers: (number | string)[];
  take(): Promise<void>;
} {
  const startedPhases: number[] = [];
  const abandoned: number[] = [];
  const answers: (number | string)[] = [];
  const collector: SnapshotCollector = new SnapshotCollector({
    startPhase: () => startedPhases.push(startedPhases.length + 1),
    onAbandoned: (phase) => void abandoned.push(phase),
  });
  return {
    collector,
    startedPhases,
    abandoned,
    answers,
    completeParts(phase) {
      collector.mainThreadCut(phase, WORKERS);
      for (const worker of WORKERS) collector.addPart(partOf(worker, phase));
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

function partOf(worker: number, phase: number): WorkerPart {
  const pauses = { cut: 0, total: 0, longest: 0, pieces: 0 };
  return { worker, phase, epoch: 0, size: 0, bytes: undefined, chunks: 0, pauses };
}

it('starts two snapshots at once; later requests share the next one', async () => {
  const { collector, startedPhases, answers, take, completeParts } = createCollector();
  const all = [take(), take(), take(), take()];
  expect(startedPhases).toEqual([1, 2]);
  completeParts(1);
  expect(startedPhases).toEqual([1, 2, 3]);
  collector.mainThreadCut(2, WORKERS);
  completeParts(3);
  for (const worker of WORKERS) collector.addPart(partOf(worker, 2));
  await Promise.all(all);
  expect(answers).toEqual([1, 2, 3, 3]);
});

it('delivers snapshots in the order of their phases, however long a request has waited', async () => {
  const { answers, take, completeParts, collector } = createCollector();
  const waited = [take(), take(), take()];
  completeParts(1);
  collector.mainThreadCut(3, WORKERS);
  completeParts(2);
  // The third request has waited, the fourth has not.
  const all = [...waited, take()];
  completeParts(4);
  for (const worker of WORKERS) collector.addPart(partOf(worker, 3));
  await Promise.all(all);
  expect(answers).toEqual([1, 2, 3, 4]);
});

it('retries a snapshot after a failure that the next one avoids, a limited number of times', async () => {
  const { collector, startedPhases, abandoned, answers, take, completeParts } = createCollector();
  const first = take();
  collector.partFailed(2, 1, 'process.title was changed', true);
  completeParts(2);
  await first;
  const second = take();
  for (let phase = 3; phase <= 6; phase++) collector.partFailed(1, phase, 'process.title was changed', true);
  await second;
  expect(answers).toEqual([2, 'snapshot 6 could not be taken: worker 1: process.title was changed']);
  expect(startedPhases).toEqual([1, 2, 3, 4, 5, 6]);
  expect(abandoned).toEqual([1, 3, 4, 5, 6]);
});

it('rejects a failed snapshot with the reason, and starts the next one', async () => {
  const { collector, startedPhases, answers, take, completeParts } = createCollector();
  const all = [take(), take(), take()];
  collector.partFailed(1, 1, new Error('it does not fit'), false);
  expect(startedPhases).toEqual([1, 2, 3]);
  completeParts(2);
  completeParts(3);
  await Promise.all(all);
  expect(answers).toEqual(['snapshot 1 could not be taken: worker 1: it does not fit', 2, 3]);
});
