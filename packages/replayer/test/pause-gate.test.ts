import { expect, it } from 'vitest';
import { PauseGate } from '../src/recorder/pause-gate.ts';

const SECOND = 1000;

/** A program with a state of some size that uses a share of the processor. */
function createProgram(stateMb: number) {
  let [now, cpuMs, heapMb] = [0, 0, 20];
  const gate = new PauseGate({ now: () => now, cpuMs: () => cpuMs, heapBytes: () => heapMb * 2 ** 20 });
  heapMb += stateMb;
  return {
    gate,
    mayPauseAfter(share: number): boolean {
      now += SECOND;
      cpuMs += share * SECOND;
      return gate.mayPause();
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

it('believes a measured pause rather than the estimate', () => {
  const { gate, mayPauseAfter } = createProgram(500);
  gate.notePause(49);
  expect(mayPauseAfter(0.9)).toBe(true);
  gate.notePause(51);
  expect(mayPauseAfter(0.9)).toBe(false);
});
