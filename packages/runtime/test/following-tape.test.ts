// The tape of a run again, beside those who stand around it: who is woken, and when.
import { expect, it } from 'vitest';
import type { Steps } from '@turntable/core';
import { SOURCES } from '@turntable/recording';
import { FollowingTape } from '../src/trace/following-tape.ts';
import { MemorySource } from './trace.ts';

const AT_REST: Steps = { steps: 0, isLeft: () => false, beforeSteps() {}, drain() {}, atRest: (run) => run() };

it('wakes nobody for an entry that cannot be performed yet, whatever stands behind it', () => {
  const tasks: (() => void)[] = [];
  const later = (callback: () => void): void => void tasks.push(callback);
  const source = new MemorySource([
    { what: 'entry', round: 0, step: 0, source: SOURCES.timer, id: 1, value: undefined },
    { what: 'happened', round: 0, turns: 0, kind: 'pace', key: '4', value: undefined },
  ]);
  const tape = new FollowingTape(source, { later, soon: later });
  let wakes = 0;
  let isThere = false;
  tape.attach(AT_REST);
  tape.join({
    rounds: { count: 0 },
    turns: 0,
    hasTurns: false,
    messages: 0,
    whose: () => 'the main program',
    wake() {
      wakes++;
      // As the scheduler does at the end of its rounds.
      later(() => tape.wake());
    },
    hold() {},
  });
  tape.on(SOURCES.timer, () => isThere);
  const run = (): void => {
    for (let i = 0; i < 100 && tasks.length > 0; i++) tasks.shift()?.();
  };

  run();
  expect({ wakes, waiting: tasks.length, next: tape.next?.what }).toEqual({ wakes: 0, waiting: 0, next: 'entry' });

  isThere = true;
  tape.wake();
  run();
  expect({ wakes: wakes > 0, next: tape.next?.what }).toEqual({ wakes: true, next: 'happened' });
});

it('wakes nobody for what stands next before the entry point has begun, though something was asked by then', () => {
  const source = new MemorySource([
    { what: 'outcome', source: SOURCES.machine, value: 'where an import leads' },
    { what: 'outcome', source: SOURCES.machine, value: 'what the entry point asks' },
    { what: 'happened', round: 0, turns: 0, kind: 'phase', key: '1', value: undefined },
  ]);
  let isAwaited = true;
  const tape = new FollowingTape(source, { later() {}, soon() {}, isAwaited: () => isAwaited });
  let wakes = 0;
  tape.attach(AT_REST);
  tape.join({
    rounds: { count: 0 },
    turns: 0,
    hasTurns: false,
    messages: 0,
    whose: () => 'the main program',
    wake: () => wakes++,
    hold() {},
  });
  const asks = (): unknown => tape.outcome(SOURCES.machine);
  asks();
  asks();
  expect({ wakes, next: tape.next?.what }).toEqual({ wakes: 0, next: 'happened' });
  isAwaited = false;
  expect(tape.judge()).toBe(tape.next);
  expect(wakes).toBe(1);
});
