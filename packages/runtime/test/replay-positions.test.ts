// What a replay does at each position of its trace: it answers, performs or diverges.
import { describe, expect, it } from 'vitest';
import type { TraceEnd, TraceEvent } from '@turntable/recording';
import {
  createReplay,
  CUT_OFF,
  date,
  device,
  entry,
  machine,
  messages,
  outcome,
  scheduled,
  timer,
} from './tape-world.ts';

describe('a request', () => {
  it('is answered by the next event if that is of its source', () => {
    const { tape, halts } = createReplay([outcome(machine, 'a'), outcome(date, 7)]);
    expect(tape.peek(date)).toBeUndefined();
    expect([
      tape.peek(machine),
      tape.outcome(machine),
      tape.peek(machine),
      tape.peek(date),
      tape.outcome(date),
    ]).toEqual(['a', 'a', undefined, 7, 7]);
    expect([tape.isAtEnd, halts]).toEqual([true, []]);
  });

  it('diverges if the next event is another one, or there is none', () => {
    for (const [events, expected] of [
      [
        [outcome(machine)],
        /^event 1 of the trace: recorded: the program reads machine; now: the program reads date \(Cart#1, after 4 turns of the worker\)$/,
      ],
      [[entry(1)], /recorded: timer calls \(its callback 1\) after 0 rounds and 0 steps; now: the program reads date/],
      [[], /recorded: no further event: the trace has ended; now: the program reads date/],
    ] as const) {
      const { tape, scheduler, halts } = createReplay(events);
      scheduler.turns = 4;
      expect(() => tape.outcome(date)).toThrow(expected);
      expect(halts).toMatchObject([
        { reason: 'diverged', events: 0, turns: 4, divergence: { ordinal: 1, actor: 'Cart#1', turn: 4 } },
      ]);
      expect(halts[0]?.divergence).not.toHaveProperty('isInOutput');
      expect(() => tape.outcome(machine)).toThrow(expected);
      expect(halts).toHaveLength(1);
    }
    const { tape } = createReplay([outcome(machine)]);
    expect(() => tape.outcome(device, () => 'fs.readFile')).toThrow('now: the program uses device: fs.readFile');
  });

  it('stops the program where the trace is cut off', () => {
    let ends = 0;
    const { tape, halts, log } = createReplay([outcome(date, 1)], CUT_OFF, { endThread: () => ends++ });
    expect(tape.outcome(date)).toBe(1);
    expect(tape.isAtEnd).toBe(false);
    expect(() => tape.outcome(date)).toThrow('the trace of this worker stops here');
    expect(halts).toEqual([{ reason: 'cut off', events: 1, messages: 0, turns: 0 }]);
    expect([ends, log]).toEqual([1, ['pause']]);
    const whole = createReplay([], { reason: 'cut off', isWhole: true } as TraceEnd);
    expect(() => whole.tape.outcome(date)).toThrow('stops here');
    expect(whole.halts).toEqual([{ reason: 'cut off', events: 0, messages: 0, turns: 0, isTraceWhole: true }]);
    const ended = createReplay([]);
    ended.tape.finish('ended');
    expect(() => ended.tape.outcome(date)).toThrow('the trace of this worker has ended');
  });

  it('stops the program if its answer was the last event before the end of the last round', () => {
    const { tape, scheduler, halts } = createReplay([outcome(date, 1), outcome(date, 2)], {
      reason: 'cut off',
      lastRound: 3,
    } as TraceEnd);
    scheduler.rounds.roundCount = 4;
    expect(tape.outcome(date)).toBe(1);
    expect(() => tape.outcome(date)).toThrow('stops here');
    expect(halts).toMatchObject([{ reason: 'cut off', events: 2 }]);
  });

  it('of code that is not part of the run is refused', () => {
    const { tape, halts } = createReplay([outcome(date, 1)]);
    const requests = tape.runApart(() => {
      expect(tape.isRunningApart).toBe(true);
      expect(() => tape.outcome(date)).toThrow('date is unavailable to evaluated code');
      expect(() => tape.outcome(date, () => 'Date.now()')).toThrow('Date.now() is unavailable to evaluated code');
      expect(tape.skipEntry(timer, () => true)).toBeUndefined();
      return tape.peek(date);
    });
    expect([requests, tape.isRunningApart, halts]).toEqual([undefined, false, []]);
    expect(() =>
      tape.runApart(() => {
        throw new RangeError('x');
      }),
    ).toThrow('x');
    expect(tape.outcome(date)).toBe(1);
  });
});

describe('an entry', () => {
  it('is performed when its position is reached, and not before', () => {
    const { run, perform, steps, scheduler, log, tape } = createReplay([
      entry(1, { round: 2, step: 3 }),
      entry(2, { round: 2, step: 3 }),
    ]);
    perform(timer);
    for (const [round, step] of [
      [0, 0],
      [2, 2],
      [1, 3],
    ] as const) {
      scheduler.rounds.roundCount = round;
      steps.steps = step;
      tape.wake();
      run();
      expect(log).toEqual([]);
    }
    scheduler.rounds.roundCount = 2;
    steps.steps = 3;
    tape.wake();
    run();
    expect(log).toEqual(['before 1', 'perform 1', 'before 2', 'perform 2']);
    expect(tape.isAtEnd).toBe(true);
  });

  it('diverges if its position is past', () => {
    for (const [round, step] of [
      [3, 3],
      [2, 4],
    ] as const) {
      const { run, perform, steps, scheduler, log, tape, halts } = createReplay([entry(1, { round: 2, step: 3 })]);
      perform(timer);
      scheduler.rounds.roundCount = round;
      steps.steps = step;
      const isPast = round > 2 ? step >= 3 : true;
      tape.wake();
      run();
      expect(halts).toHaveLength(isPast ? 1 : 0);
      expect(halts[0]?.divergence?.actual).toBe(`the thread has reached round ${round}, step ${step}`);
      expect(log).toEqual(['pause']);
    }
  });

  it('waits for pending steps, and for its performer', () => {
    const { run, perform, steps, log, tasks, ticks, microtasks } = createReplay([entry(1)], undefined, {
      nextTick: undefined as never,
    });
    run();
    expect(log).toEqual([]);
    steps.pending = true;
    perform(timer);
    tasks.shift()?.();
    expect(log).toEqual([]);
    steps.pending = false;
    run();
    expect(log).toEqual(['before 1', 'perform 1']);
    expect([tasks, ticks, microtasks]).toEqual([[], [], []]);
  });

  it('that cannot be performed yet is performed later', () => {
    let isReady = false;
    const { tape, run, perform, log, source } = createReplay([entry(1), messages(0, 0)]);
    perform(timer, () => isReady);
    run();
    expect(log).toEqual(['before 1', 'perform 1']);
    expect([tape.nextEvent?.type, tape.progress.events, source.takenCount]).toEqual(['entry', 0, 1]);
    expect(tape.endBeforeRound(9)).toBe(false);
    isReady = true;
    tape.wake();
    run();
    expect(log).toEqual(['before 1', 'perform 1', 'before 1', 'perform 1', 'wake']);
    expect([tape.nextEvent?.type, tape.progress.events]).toEqual(['messages', 1]);
  });

  it('is performed before the step at its position', () => {
    const { steps, perform, log } = createReplay([entry(1, { step: 1 }), entry(2, { step: 1 }), entry(3, { step: 2 })]);
    perform(timer);
    steps.beforeStep?.(false);
    expect(log).toEqual(['step']);
    steps.steps = 1;
    steps.beforeStep?.(true);
    expect(log.splice(0)).toEqual(['step', 'before 1', 'perform 1', 'before 2', 'perform 2', 'step']);
    steps.steps = 2;
    steps.beforeStep?.(false);
    expect(log).toEqual(['before 3', 'perform 3', 'step']);
  });

  it('of a microtask precedes the jobs that precede a tick', () => {
    for (const [isTick, expected] of [
      [true, ['before 1', 'perform 1', 'drain', 'step']],
      [false, ['before 1', 'perform 1', 'step']],
    ] as const) {
      const { steps, tape, log } = createReplay([entry(1, { source: device })]);
      tape.setPerformer(
        device,
        (id) => void log.push(`perform ${id}`),
        () => 'microtask',
      );
      steps.beforeStep?.(isTick);
      expect(log).toEqual(expected);
    }
  });

  it('of a microtask is performed in one, if its position is still the current one', () => {
    for (const isLate of [false, true]) {
      const { tape, tasks, microtasks, log, steps, halts } = createReplay([entry(1, { source: device })]);
      tape.setPerformer(
        device,
        (id) => void log.push(`perform ${id}`),
        () => 'microtask',
      );
      tasks.shift()?.();
      expect([log, microtasks.length]).toEqual([[], 1]);
      if (isLate) steps.steps = 1;
      microtasks.shift()?.();
      expect(log).toEqual(isLate ? ['pause'] : ['before 1', 'perform 1']);
      expect(halts).toHaveLength(isLate ? 1 : 0);
    }
  });

  it('that throws before a step is reported as uncaught', () => {
    const reported: unknown[] = [];
    for (const reportUncaught of [(error: unknown) => void reported.push(error), undefined]) {
      const { tape, steps, tasks } = createReplay(
        [entry(1), entry(2)],
        undefined,
        reportUncaught && { reportUncaught },
      );
      const performed: number[] = [];
      tape.setPerformer(timer, (id) => {
        performed.push(id);
        throw new RangeError(`of ${id}`);
      });
      tasks.length = 0;
      steps.beforeStep?.(false);
      expect(performed).toEqual([1, 2]);
      const thrown: unknown[] = [];
      for (const task of tasks.splice(0))
        try {
          task();
        } catch (error) {
          thrown.push(String(error));
        }
      expect(thrown).toEqual(reportUncaught === undefined ? ['RangeError: of 1', 'RangeError: of 2'] : []);
    }
    expect(reported.map(String)).toEqual(['RangeError: of 1', 'RangeError: of 2']);
  });

  it('wakes the scheduler after it if turns are pending', () => {
    for (const [next, hasTurns, wakes] of [
      [outcome(date), true, 1],
      [outcome(date), false, 0],
      [messages(0, 0), false, 1],
      [scheduled(0, 0), false, 1],
    ] as const) {
      const { run, perform, log, scheduler } = createReplay([entry(1), next]);
      scheduler.hasTurns = hasTurns;
      perform(timer);
      run();
      expect(log.filter((each) => each === 'wake')).toHaveLength(wakes);
    }
  });

  it('is skipped only at its position, with its source and value', () => {
    const { tape, scheduler, steps } = createReplay([entry(1, { round: 1, step: 2, value: 'a' }), outcome(date, 1)]);
    scheduler.rounds.roundCount = 1;
    steps.steps = 2;
    expect(tape.skipEntry(device, () => true)).toBeUndefined();
    expect(tape.skipEntry(timer, (value) => value === 'b')).toBeUndefined();
    scheduler.rounds.roundCount = 0;
    expect(tape.skipEntry(timer, () => true)).toBeUndefined();
    scheduler.rounds.roundCount = 1;
    steps.steps = 3;
    expect(tape.skipEntry(timer, () => true)).toBeUndefined();
    steps.steps = 2;
    expect(tape.skipEntry(timer, (value) => value === 'a')).toBe('a');
    expect(tape.skipEntry(timer, () => true)).toBeUndefined();
    expect(tape.outcome(date)).toBe(1);
  });
});

describe('an entry within a macrotask of Node', () => {
  it('is looked for among the ticks, if jobs are pending', () => {
    const { perform, steps, ticks, log, tasks } = createReplay([entry(1), entry(2)]);
    perform(timer);
    expect(ticks).toHaveLength(1);
    ticks.shift()?.();
    expect(log).toEqual([]);
    steps.pending = true;
    tasks.shift()?.();
    expect(ticks).toHaveLength(1);
    ticks.shift()?.();
    expect(log).toEqual(['before 1', 'perform 1']);
  });

  it('is looked for among the microtasks, if it follows one of the same macrotask', () => {
    const chainedEvents = (position: object): TraceEvent[] => [
      entry(1, { source: device }),
      entry(2, { source: device, ...position }),
    ];
    const microtasksAfter = (events: readonly TraceEvent[], chaining?: 'chained' | 'apart'): number => {
      const { tape, microtasks, tasks } = createReplay(events, undefined, { nextTick: undefined as never });
      for (const source of [device, timer])
        tape.setPerformer(
          source,
          () => true,
          () => 'macrotask',
          () => chaining,
        );
      expect(microtasks).toHaveLength(chaining === 'chained' ? 1 : 0);
      microtasks.length = 0;
      while (tape.progress.events === 0) tasks.shift()?.();
      return microtasks.length;
    };
    expect(microtasksAfter(chainedEvents({}))).toBe(1);
    expect(microtasksAfter(chainedEvents({ round: 1 }))).toBe(0);
    expect(microtasksAfter(chainedEvents({ step: 1 }))).toBe(0);
    expect(microtasksAfter(chainedEvents({ source: timer }))).toBe(0);
    expect(microtasksAfter(chainedEvents({}), 'apart')).toBe(0);
  });
});
