// A tape of a replay whose scheduler, steps and queues the test drives.
import type { StepCounter } from '@turntable/core';
import { TRACE_SOURCES, type TraceEnd, type TraceEvent, type TraceSource } from '@turntable/recording';
import { ReplayTape, type Halt, type ReplayTapeDeps } from '../src/trace/replay-tape.ts';
import { MemorySource } from './memory-trace.ts';

export const { timer, machine, date, device } = TRACE_SOURCES;
export const entry = (
  id: number,
  position: Partial<{ round: number; step: number; source: number; value: unknown }> = {},
): TraceEvent => ({ type: 'entry', round: 0, step: 0, source: timer, id, value: undefined, ...position }) as TraceEvent;
export const outcome = (source: number, value: unknown = source): TraceEvent =>
  ({ type: 'outcome', source, value }) as TraceEvent;
export const messages = (round: number, turns: number, count = 1): TraceEvent => ({
  type: 'messages',
  round,
  turns,
  worker: 2,
  count,
});
export const scheduled = (round: number, turns: number): TraceEvent => ({
  type: 'scheduler',
  round,
  turns,
  kind: 'phase',
  key: '1',
  value: undefined,
});

class EndingSource extends MemorySource {
  override readonly end: TraceEnd;
  constructor(events: readonly TraceEvent[], end: TraceEnd) {
    super(events, end.reason);
    this.end = end;
  }
}

export function createReplay(
  events: readonly TraceEvent[],
  end: TraceEnd = { reason: 'ended' } as TraceEnd,
  deps: Partial<ReplayTapeDeps> = {},
) {
  const log: unknown[] = [];
  const tasks: (() => void)[] = [];
  const microtasks: (() => void)[] = [];
  const ticks: (() => void)[] = [];
  const steps = {
    steps: 0,
    pending: false,
    beforeStep: undefined as ((isTick: boolean) => void) | undefined,
    hasWork: () => steps.pending,
    onBeforeStep: (callback: ((isTick: boolean) => void) | undefined) => void (steps.beforeStep = callback),
    drain: () => void log.push('drain'),
    runInRootContext: (run: () => unknown) => run(),
  };
  const halts: Halt[] = [];
  const source: TraceSource = new EndingSource(events, end);
  const tape = new ReplayTape(source, {
    setImmediate: (callback) => void tasks.push(callback),
    queueMicrotask: (callback) => void microtasks.push(callback),
    nextTick: (callback) => void ticks.push(callback),
    onHalt: (halt) => void halts.push(halt),
    onStep: () => void log.push('step'),
    onEntry: ({ id }) => void log.push(`before ${id}`),
    ...deps,
  });
  const scheduler = {
    rounds: { roundCount: 0 },
    turns: 0,
    hasTurns: false,
    messages: 0,
    currentActorName: () => 'Cart#1',
    wake: () => void log.push('wake'),
    pause: () => void log.push('pause'),
  };
  tape.attach(steps as unknown as StepCounter);
  tape.attachScheduler(scheduler);
  const run = (): void => {
    for (let i = 0; i < 50; i++) {
      const next = ticks.shift() ?? microtasks.shift() ?? tasks.shift();
      if (next === undefined) return;
      next();
    }
  };
  const perform = (sourceNumber: number, isDone: (id: number) => boolean = () => true): void =>
    tape.setPerformer(sourceNumber, (id) => {
      log.push(`perform ${id}`);
      return isDone(id);
    });
  return { tape, log, tasks, microtasks, ticks, steps, scheduler, halts, source, run, perform };
}

export const CUT_OFF = { reason: 'cut off' } as TraceEnd;
