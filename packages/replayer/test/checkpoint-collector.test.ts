// Which states of a run again are whole, told to the process that keeps them.
import { describe, expect, it } from 'vitest';
import { CheckpointCollector } from '../src/replay/thread/checkpoint-collector.ts';

/** What is told of states, all but that a part is there; parts may wait of so many bytes. */
function createCollector(maxPendingBytes?: number) {
  const messages: unknown[] = [];
  let completeCount = 0;
  const states = new CheckpointCollector(
    { noteComplete: () => completeCount++ },
    (message) => void ('checkpointPart' in message || messages.push(message)),
    maxPendingBytes,
  );
  return {
    states,
    part: (phase: number, worker: number, epoch = 0) =>
      states.addPart({ phase, worker, epoch, bytes: new Uint8Array(1000) }),
    /** Since it was asked last. */
    get sayings() {
      return messages.splice(0);
    },
    get wholes() {
      return completeCount;
    },
  };
}

describe('a state', () => {
  it('is whole when the main thread has cut and all workers of then have given their parts, in whatever order', () => {
    const collector = createCollector();
    collector.states.mainCut(1, [0, 1, 2]);
    for (const worker of [2, 0]) collector.part(1, worker);
    expect(collector.sayings).toEqual([]);
    collector.part(1, 1, 3);
    expect(collector.sayings).toEqual([{ completeCheckpoint: { phase: 1, epochs: { 0: 0, 1: 3, 2: 0 } } }]);
    for (const worker of [0, 1]) collector.part(2, worker);
    expect(collector.sayings).toEqual([]);
    collector.states.mainCut(2, [0, 1]);
    expect(collector.sayings).toEqual([{ completeCheckpoint: { phase: 2, epochs: { 0: 0, 1: 0 } } }]);
    expect(collector.wholes).toBe(2);
  });

  it('that is not whole before a later one is lacks a part for good: it is dropped, and what comes of it means nothing', () => {
    const collector = createCollector();
    for (const phase of [1, 2, 3]) {
      collector.states.mainCut(phase, [0, 1]);
      collector.part(phase, 0);
    }
    collector.part(3, 1);
    expect(collector.sayings).toEqual([
      { completeCheckpoint: { phase: 3, epochs: { 0: 0, 1: 0 } } },
      { droppedPhases: [1, 2] },
    ]);
    collector.part(2, 1);
    collector.states.mainCut(2, [0, 1]);
    expect(collector.sayings).toEqual([]);
  });

  it('is given up, the first one first, where more bytes wait for a thread that is far behind than may', () => {
    const collector = createCollector(3000);
    for (const phase of [1, 2, 3, 4, 5]) {
      collector.states.mainCut(phase, [0, 1]);
      collector.part(phase, 0);
    }
    expect(collector.sayings).toEqual([{ droppedPhases: [1] }, { droppedPhases: [2] }]);
    // The other one comes there.
    for (const phase of [1, 2, 3]) collector.part(phase, 1);
    expect(collector.sayings).toEqual([{ completeCheckpoint: { phase: 3, epochs: { 0: 0, 1: 0 } } }]);
    expect(collector.wholes).toBe(1);
  });
});
