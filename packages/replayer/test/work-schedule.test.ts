import { describe, expect, it } from 'vitest';
import { WorkSchedule } from '../src/recorder/work-schedule.ts';

describe('a snapshot triggered by processor time', () => {
  /** Returns whether a snapshot is due after each time. A due one takes `cost` and pauses the threads as long. */
  function createSchedule(work: number) {
    let cpuMs = 70;
    const schedule = new WorkSchedule(work, () => cpuMs);
    return {
      compute(milliseconds: number): boolean {
        cpuMs += milliseconds;
        return schedule.takeDue();
      },
      /** Whether a cut point is due. */
      computeOn(milliseconds: number): boolean {
        cpuMs += milliseconds;
        return schedule.isCutPointDue();
      },
      cut: () => schedule.noteCutPoint(),
      take(cost: number, pausedMs = cost): void {
        const finish = schedule.startSnapshot();
        cpuMs += cost;
        finish(pausedMs);
      },
    };
  }

  it('is due once after the interval since the last one', () => {
    const { compute, take } = createSchedule(500);
    expect([compute(0), compute(499), compute(1), compute(400)]).toEqual([false, false, true, false]);
    take(30);
    expect([compute(499), compute(1)]).toEqual([false, true]);
  });

  it('has five cut points per interval, counted from the last cut of any kind', () => {
    const { computeOn, cut, take } = createSchedule(500);
    // The first attempt fails.
    expect([computeOn(99), computeOn(1), computeOn(20)]).toEqual([false, true, true]);
    cut();
    expect(computeOn(60)).toBe(false);
    take(30);
    expect([computeOn(69), computeOn(1)]).toEqual([false, true]);
  });

  it('is due again after a failed snapshot', () => {
    const { compute } = createSchedule(500);
    expect([compute(500), compute(499), compute(1)]).toEqual([true, false, true]);
  });

  it('is less frequent if it costs more than a tenth of the interval', () => {
    const { compute, take } = createSchedule(500);
    for (const cost of [300, 200, 100]) take(cost);
    expect([compute(999), compute(1)]).toEqual([false, true]);
  });

  it('is as frequent after a single slow one, or on a busy machine', () => {
    const { compute, take } = createSchedule(500);
    for (const [cost, pausedMs] of [
      [3000, 3000],
      [300, 20],
      [20, 300],
    ] as const)
      take(cost, pausedMs);
    expect([compute(499), compute(1)]).toEqual([false, true]);
  });
});
