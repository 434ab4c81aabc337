// Snapshots that are taken without a request do not pause a busy program for long, and take little of its time.
import { expect, it } from 'vitest';
import { PauseGate, type SnapshotPause } from '../src/recorder/pause-gate.ts';

const SECOND = 1000;
const MB = 2 ** 20;

/** A program with a state of some size that uses a share of the processor. */
function createProgram(stateMb: number) {
  let [now, cpuMs, heapMb] = [0, 0, 20];
  const reported: SnapshotPause[] = [];
  const gate = new PauseGate({
    now: () => now,
    cpuMs: () => cpuMs,
    heapBytes: () => heapMb * MB,
    onLongPause: (pause) => reported.push(pause),
  });
  heapMb += stateMb;
  return {
    gate,
    reported,
    mayPauseAfter(share: number): boolean {
      now += SECOND;
      cpuMs += share * SECOND;
      return gate.mayPause();
    },
    snapshot(longestMs: number, bytes = 10 * MB): void {
      gate.noteSnapshot({ longestMs, totalMs: longestMs, bytes });
    },
    /** Number of snapshots at an interval of one second that are taken within `seconds`, each with the pause. */
    takeAtInterval(seconds: number, pauseMs: (second: number) => number): number {
      let taken = 0;
      for (let second = 0; second < seconds; second++) {
        now += SECOND;
        if (!gate.mayTakeAtInterval()) continue;
        taken++;
        const ms = pauseMs(second);
        this.snapshot(ms, ms * 20_000);
      }
      return taken;
    },
  };
}

it('lets a snapshot with a short pause interrupt a busy program', () => {
  expect(createProgram(4).mayPauseAfter(0.9)).toBe(true);
  expect(createProgram(6).mayPauseAfter(0.9)).toBe(false);
});

it('lets a snapshot with a long pause wait until the program is idle', () => {
  const { mayPauseAfter } = createProgram(500);
  expect([0.9, 0.2, 0.06, 0.04, 0, 0.5].map(mayPauseAfter)).toEqual([false, false, false, true, true, false]);
});

it('measures idleness from the moment at which a snapshot is needed', () => {
  const { gate, mayPauseAfter } = createProgram(500);
  mayPauseAfter(0);
  gate.restartIdleCheck();
  expect(mayPauseAfter(0.9)).toBe(false);
});

it('believes a measured pause rather than the size of the heap', () => {
  const { snapshot, mayPauseAfter } = createProgram(500);
  snapshot(49);
  expect(mayPauseAfter(0.9)).toBe(true);
});

it('estimates the pause from the least of the last three, because the first one is longer', () => {
  const { snapshot, mayPauseAfter } = createProgram(500);
  snapshot(400);
  expect(mayPauseAfter(0.9)).toBe(false);
  snapshot(45);
  snapshot(60);
  expect(mayPauseAfter(0.9)).toBe(true);
  snapshot(60);
  snapshot(60);
  expect(mayPauseAfter(0.9)).toBe(false);
});

it('expects a longer pause of a state that has grown', () => {
  const { snapshot, mayPauseAfter } = createProgram(500);
  snapshot(30, 10 * MB);
  snapshot(40, 20 * MB);
  expect(mayPauseAfter(0.9)).toBe(true);
  snapshot(200, 40 * MB);
  expect(mayPauseAfter(0.9)).toBe(false);
});

it('reports the first long pause of a large state, once', () => {
  const { snapshot, reported } = createProgram(500);
  snapshot(50);
  snapshot(900, 4000);
  expect(reported).toEqual([]);
  snapshot(51);
  snapshot(500);
  expect(reported).toEqual([{ longestMs: 51, totalMs: 51, bytes: 10 * MB }]);
});

it('does not report the long pause of a small state, or of a state that is not large in the first snapshot', () => {
  const { snapshot, reported } = createProgram(500);
  snapshot(150, 2 * MB);
  snapshot(150, MB / 2);
  expect(reported).toEqual([]);
  snapshot(150, 2 * MB);
  expect(reported).toHaveLength(1);
});

it('lets snapshots at an interval take at most a hundredth of the time once their pauses are long', () => {
  expect(createProgram(5).takeAtInterval(1000, () => 40)).toBe(1000);
  expect(createProgram(500).takeAtInterval(1000, () => 60)).toBe(168);
  expect(createProgram(500).takeAtInterval(1000, () => 1000)).toBe(11);
});

it('keeps nearly the share of the time while the state grows', () => {
  const pauseMs = (second: number): number => 40 + second;
  let total = 0;
  createProgram(500).takeAtInterval(10_000, (second) => {
    if (second > 1000) total += pauseMs(second);
    return pauseMs(second);
  });
  // The wait after a snapshot follows from its own pause, and the next one is longer.
  expect(total / (9000 * SECOND)).toBeLessThan(0.011);
  expect(total / (9000 * SECOND)).toBeGreaterThan(0.009);
});

it('takes snapshots at the interval again when the state has become small', () => {
  const program = createProgram(500);
  expect(program.takeAtInterval(100, () => 1000)).toBe(2);
  program.snapshot(10);
  expect(program.takeAtInterval(100, () => 10)).toBe(100);
});
