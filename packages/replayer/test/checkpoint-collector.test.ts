// Tests which checkpoints the collector reports as complete to the parent process.
import { describe, expect, it } from 'vitest';
import { CheckpointCollector } from '../src/replay/thread/checkpoint-collector.ts';

/** Collects all messages about checkpoints except for parts. @param maxPendingBytes limit of incomplete checkpoints */
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
    /** Messages since the last call. */
    get sayings() {
      return messages.splice(0);
    },
    get wholes() {
      return completeCount;
    },
  };
}

describe('a checkpoint', () => {
  it('is complete when the main thread has cut and all its workers have sent their parts, in any order', () => {
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

  it('is dropped if a later one completes first, and its late parts are ignored', () => {
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

  it('is dropped, oldest first, when incomplete checkpoints exceed the size limit', () => {
    const collector = createCollector(3000);
    for (const phase of [1, 2, 3, 4, 5]) {
      collector.states.mainCut(phase, [0, 1]);
      collector.part(phase, 0);
    }
    expect(collector.sayings).toEqual([{ droppedPhases: [1] }, { droppedPhases: [2] }]);
    // The other worker makes its cut.
    for (const phase of [1, 2, 3]) collector.part(phase, 1);
    expect(collector.sayings).toEqual([{ completeCheckpoint: { phase: 3, epochs: { 0: 0, 1: 0 } } }]);
    expect(collector.wholes).toBe(1);
  });
});
