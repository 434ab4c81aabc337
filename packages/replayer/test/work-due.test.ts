import { describe, expect, it } from 'vitest';
import { WorkDue } from '../src/recorder/work-due.ts';

describe('a snapshot by what was computed', () => {
  /** Whether one is due after so many milliseconds; one that is takes so many of the processor's, and keeps the threads as long. */
  function dueEach(work: number) {
    let spent = 70;
    const due = new WorkDue(work, () => spent);
    return {
      compute(milliseconds: number): boolean {
        spent += milliseconds;
        return due.look();
      },
      /** Whether a bare cut is. */
      computeOn(milliseconds: number): boolean {
        spent += milliseconds;
        return due.isBareDue();
      },
      cut: () => due.cut(),
      take(cost: number, kept = cost): void {
        const taken = due.begins();
        spent += cost;
        taken(kept);
      },
    };
  }

  it('is due when so much has been computed since the last one, and once', () => {
    const { compute, take } = dueEach(500);
    expect([compute(0), compute(499), compute(1), compute(400)]).toEqual([false, false, true, false]);
    take(30);
    expect([compute(499), compute(1)]).toEqual([false, true]);
  });

  it('has bare cuts before it, five times as often, counted from the last cut of any kind', () => {
    const { computeOn, cut, take } = dueEach(500);
    // Not to be had at first.
    expect([computeOn(99), computeOn(1), computeOn(20)]).toEqual([false, true, true]);
    cut();
    expect(computeOn(60)).toBe(false);
    take(30);
    expect([computeOn(69), computeOn(1)]).toEqual([false, true]);
  });

  it('is due again where the one before has come to nothing', () => {
    const { compute } = dueEach(500);
    expect([compute(500), compute(499), compute(1)]).toEqual([true, false, true]);
  });

  it('is rarer where writing one takes more than a tenth of that', () => {
    const { compute, take } = dueEach(500);
    for (const cost of [300, 200, 100]) take(cost);
    expect([compute(999), compute(1)]).toEqual([false, true]);
  });

  it('is as often though one has taken long, or others had the machine meanwhile', () => {
    const { compute, take } = dueEach(500);
    for (const [cost, kept] of [
      [3000, 3000],
      [300, 20],
      [20, 300],
    ] as const)
      take(cost, kept);
    expect([compute(499), compute(1)]).toEqual([false, true]);
  });
});
