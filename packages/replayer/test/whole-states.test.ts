// Which states of a run again are whole, told to the process that keeps them.
import { describe, expect, it } from 'vitest';
import { WholeStates } from '../src/replay/thread/whole-states.ts';

/** What is told of states, all but that a part is there; parts may wait of so many bytes. */
function told(mostWaiting?: number) {
  const sayings: unknown[] = [];
  let wholes = 0;
  const states = new WholeStates(
    { whole: () => wholes++ },
    (saying) => void ('state' in saying || sayings.push(saying)),
    mostWaiting,
  );
  return {
    states,
    part: (phase: number, worker: number, life = 0) =>
      states.part({ phase, worker, life, bytes: new Uint8Array(1000) }),
    /** Since it was asked last. */
    get sayings() {
      return sayings.splice(0);
    },
    get wholes() {
      return wholes;
    },
  };
}

describe('a state', () => {
  it('is whole when the main thread has cut and all workers of then have given their parts, in whatever order', () => {
    const its = told();
    its.states.cut(1, [0, 1, 2]);
    for (const worker of [2, 0]) its.part(1, worker);
    expect(its.sayings).toEqual([]);
    its.part(1, 1, 3);
    expect(its.sayings).toEqual([{ whole: { phase: 1, lives: { 0: 0, 1: 3, 2: 0 } } }]);
    for (const worker of [0, 1]) its.part(2, worker);
    expect(its.sayings).toEqual([]);
    its.states.cut(2, [0, 1]);
    expect(its.sayings).toEqual([{ whole: { phase: 2, lives: { 0: 0, 1: 0 } } }]);
    expect(its.wholes).toBe(2);
  });

  it('that is not whole before a later one is lacks a part for good: it is dropped, and what comes of it means nothing', () => {
    const its = told();
    for (const phase of [1, 2, 3]) {
      its.states.cut(phase, [0, 1]);
      its.part(phase, 0);
    }
    its.part(3, 1);
    expect(its.sayings).toEqual([{ whole: { phase: 3, lives: { 0: 0, 1: 0 } } }, { dropped: [1, 2] }]);
    its.part(2, 1);
    its.states.cut(2, [0, 1]);
    expect(its.sayings).toEqual([]);
  });

  it('is given up, the first one first, where more bytes wait for a thread that is far behind than may', () => {
    const its = told(3000);
    for (const phase of [1, 2, 3, 4, 5]) {
      its.states.cut(phase, [0, 1]);
      its.part(phase, 0);
    }
    expect(its.sayings).toEqual([{ dropped: [1] }, { dropped: [2] }]);
    // The other one comes there.
    for (const phase of [1, 2, 3]) its.part(phase, 1);
    expect(its.sayings).toEqual([{ whole: { phase: 3, lives: { 0: 0, 1: 0 } } }]);
    expect(its.wholes).toBe(1);
  });
});
