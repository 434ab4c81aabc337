import { describe, expect, it } from 'vitest';
import { CheckpointCuts } from '../src/replay/thread/checkpoint-cuts.ts';

describe('checkpoints between the snapshots of a recording', () => {
  /** Two threads of a process, with a simulated processor time. */
  function cutsOf(spacing: number, recorded: readonly number[] = []) {
    let [all, own] = [0, 0];
    const spending = { ofProcess: () => all, ofThread: () => own };
    const main = new CheckpointCuts({ spacingMs: spacing }, recorded, undefined, spending);
    const other = new CheckpointCuts({ spacingMs: spacing }, recorded, main.memory, spending);
    return {
      main,
      other,
      /** Returns the cuts that become checkpoints, if each cut follows the previous one after the same time. */
      phasesWanted(phases: readonly number[], milliseconds: number, cost = 0): number[] {
        return phases.filter((phase) => {
          all += milliseconds;
          const isWanted = main.startIfWanted(phase);
          if (isWanted) {
            all += cost;
            own += cost;
          }
          main.endCut();
          if (isWanted) main.noteComplete();
          return isWanted;
        });
      },
    };
  }
  const phases = (count: number, first = 1): number[] => Array.from({ length: count }, (_, i) => first + i);

  it('have at least the requested spacing', () => {
    expect(cutsOf(100).phasesWanted(phases(10), 30)).toEqual([4, 8]);
    expect(cutsOf(0).phasesWanted(phases(3), 0, 100)).toEqual([1, 2, 3]);
  });

  it('are at the same cuts on all threads, whichever thread is first', () => {
    const { main, other, phasesWanted: wantedPhases } = cutsOf(100);
    expect(wantedPhases(phases(4), 30)).toEqual([4]);
    expect(phases(4).filter((phase) => other.startIfWanted(phase))).toEqual([4]);
    // This thread is ahead of the main thread.
    expect(phases(6, 5).map((phase) => other.startIfWanted(phase))).toEqual(phases(6, 5).map(() => false));
    expect(wantedPhases(phases(6, 5), 30)).toEqual([]);
    expect(other.startIfWanted(11)).toBe(true);
    expect(main.startIfWanted(11)).toBe(true);
  });

  it('are spaced from existing snapshots', () => {
    expect(cutsOf(100, [3]).phasesWanted(phases(8), 40)).toEqual([6]);
  });

  it('are less frequent if they take long to write', () => {
    expect(cutsOf(100).phasesWanted(phases(60), 30, 400)).toEqual([4, 12, 20, 28, 36, 44, 52, 60]);
  });

  it('are not made by a thread whose decision was overwritten', () => {
    const { main, other } = cutsOf(0);
    expect(main.startIfWanted(1 + 2 ** 16)).toBe(true);
    expect(other.startIfWanted(1)).toBe(false);
  });
});
