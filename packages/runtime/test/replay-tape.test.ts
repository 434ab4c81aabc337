// The tape of a replay with the scheduler and queues around it: which of them it wakes, and when.
import { expect, it } from 'vitest';
import type { StepCounter } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording';
import { ReplayTape } from '../src/trace/replay-tape.ts';
import { MemorySource } from './memory-trace.ts';

const IDLE_STEPS: StepCounter = {
  steps: 0,
  hasWork: () => false,
  onBeforeStep() {},
  drain() {},
  runInRootContext: (run) => run(),
};

it('does not wake the scheduler for an entry that cannot be performed yet, whatever follows it', () => {
  const tasks: (() => void)[] = [];
  const later = (callback: () => void): void => void tasks.push(callback);
  const source = new MemorySource([
    { type: 'entry', round: 0, step: 0, source: TRACE_SOURCES.timer, id: 1, value: undefined },
    { type: 'scheduler', round: 0, turns: 0, kind: 'round-length', key: '4', value: undefined },
  ]);
  const tape = new ReplayTape(source, { setImmediate: later, queueMicrotask: later });
  let wakes = 0;
  let isThere = false;
  tape.attach(IDLE_STEPS);
  tape.attachScheduler({
    rounds: { roundCount: 0 },
    turns: 0,
    hasTurns: false,
    messages: 0,
    currentActorName: () => 'the main program',
    wake() {
      wakes++;
      // As the scheduler does at the end of its rounds.
      later(() => tape.wake());
    },
    pause() {},
  });
  tape.setPerformer(TRACE_SOURCES.timer, () => isThere);
  const run = (): void => {
    for (let i = 0; i < 100 && tasks.length > 0; i++) tasks.shift()?.();
  };

  run();
  expect({ wakes, waiting: tasks.length, next: tape.nextEvent?.type }).toEqual({ wakes: 0, waiting: 0, next: 'entry' });

  isThere = true;
  tape.wake();
  run();
  expect({ wakes: wakes > 0, next: tape.nextEvent?.type }).toEqual({ wakes: true, next: 'scheduler' });
});

it('does not wake the scheduler before the entry point starts, even if requests were made by then', () => {
  const source = new MemorySource([
    { type: 'outcome', source: TRACE_SOURCES.machine, value: 'where an import leads' },
    { type: 'outcome', source: TRACE_SOURCES.machine, value: 'what the entry point asks' },
    { type: 'scheduler', round: 0, turns: 0, kind: 'phase', key: '1', value: undefined },
  ]);
  let isAwaited = true;
  const tape = new ReplayTape(source, { setImmediate() {}, queueMicrotask() {}, isEntryPending: () => isAwaited });
  let wakes = 0;
  tape.attach(IDLE_STEPS);
  tape.attachScheduler({
    rounds: { roundCount: 0 },
    turns: 0,
    hasTurns: false,
    messages: 0,
    currentActorName: () => 'the main program',
    wake: () => wakes++,
    pause() {},
  });
  const asks = (): unknown => tape.outcome(TRACE_SOURCES.machine);
  asks();
  asks();
  expect({ wakes, next: tape.nextEvent?.type }).toEqual({ wakes: 0, next: 'scheduler' });
  isAwaited = false;
  expect(tape.checkEnd()).toBe(tape.nextEvent);
  expect(wakes).toBe(1);
});
