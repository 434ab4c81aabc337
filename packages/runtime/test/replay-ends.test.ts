// How a replay ends, and how it compares the output.
import { describe, expect, it } from 'vitest';
import { OutputSums, type TraceEnd, type TraceEvent } from '@turntable/recording';
import { describeEvent } from '../src/trace/replay-tape.ts';
import { createReplay, CUT_OFF, date, device, entry, messages, outcome, scheduled } from './tape-world.ts';

describe('a thread without work', () => {
  it('ends as its trace does', () => {
    for (const end of [{ reason: 'ended' }, CUT_OFF] as TraceEnd[]) {
      const { tape, halts } = createReplay([], end);
      expect(tape.checkEnd()).toBeUndefined();
      expect(tape.checkEnd()).toBeUndefined();
      expect(halts).toEqual([{ reason: end.reason, events: 0, messages: 0, turns: 0, isBetweenTurns: true }]);
    }
  });

  it('waits for messages and events of the scheduler at its position, and wakes the scheduler once for each', () => {
    for (const next of [messages(1, 2), scheduled(1, 2)]) {
      const { tape, scheduler, log, halts } = createReplay([next]);
      scheduler.rounds.roundCount = 1;
      scheduler.turns = 2;
      expect([tape.checkEnd(), tape.checkEnd()]).toEqual([next, next]);
      expect([log, halts]).toEqual([['wake'], []]);
    }
  });

  it('diverges if the next event is at another position, or no ingest', () => {
    for (const next of [messages(0, 2), messages(1, 1), scheduled(2, 2), entry(1, { round: 1 }), outcome(date)]) {
      const { tape, scheduler, halts } = createReplay([next]);
      scheduler.rounds.roundCount = 1;
      scheduler.turns = 2;
      expect(tape.checkEnd()).toBeUndefined();
      expect(halts).toMatchObject([
        { reason: 'diverged', divergence: { expected: describeEvent(next), actual: 'the thread has no work left' } },
      ]);
    }
  });

  it('is stopped if no event can arrive', () => {
    const cutOff = createReplay([messages(0, 0)]);
    cutOff.tape.endIdle(true);
    cutOff.tape.endIdle(false);
    expect(cutOff.halts).toEqual([{ reason: 'cut off', events: 0, messages: 0, turns: 0, isBetweenTurns: true }]);
    const waiting = createReplay([messages(0, 0)]);
    waiting.tape.endIdle(false);
    expect(waiting.halts).toMatchObject([
      { reason: 'diverged', divergence: { actual: 'no event is left, and every thread waits' } },
    ]);
  });

  it('that exits reports its end, or the event that is left', () => {
    let exits = 0;
    const onThreadExit = (): void => void exits++;
    const ended = createReplay([], undefined, { onThreadExit });
    ended.tape.onThreadExit();
    ended.tape.onThreadExit();
    ended.tape.reportEnd();
    expect(ended.halts).toEqual([{ reason: 'ended', events: 0, messages: 0, turns: 0 }]);
    const early = createReplay([outcome(date)], undefined, { onThreadExit });
    early.tape.onThreadExit();
    expect(early.halts).toMatchObject([
      { reason: 'diverged', divergence: { expected: 'the program reads date', actual: 'the thread ends' } },
    ]);
    const cutOff = createReplay([], CUT_OFF, { onThreadExit });
    cutOff.tape.onThreadExit();
    expect(cutOff.halts).toMatchObject([{ reason: 'cut off' }]);
    expect(exits).toBe(3);
  });

  it('tells late listeners at once', () => {
    const { tape, scheduler, log } = createReplay([]);
    const received: string[] = [];
    tape.onHalt(({ reason }) => received.push(`early ${reason}`));
    tape.finish('ended');
    tape.finish('cut off');
    tape.onHalt(({ reason }) => received.push(`late ${reason}`));
    expect(received).toEqual(['early ended', 'late ended']);
    log.length = 0;
    tape.attachScheduler(scheduler);
    expect(log).toEqual(['pause']);
  });
});

describe('a round', () => {
  it('does not start if the recorded thread may not have started it', () => {
    const end = { reason: 'cut off', lastRound: 3 } as TraceEnd;
    const { tape, halts } = createReplay([], end);
    expect([tape.endBeforeRound(3), halts]).toEqual([false, []]);
    expect([tape.endBeforeRound(4), tape.endBeforeRound(1)]).toEqual([true, true]);
    expect(halts).toEqual([{ reason: 'cut off', events: 0, messages: 0, turns: 0, isBetweenTurns: true }]);
    for (const [events, otherEnd] of [
      [[outcome(date)], end],
      [[], CUT_OFF],
      [[], { reason: 'ended', lastRound: 3 } as TraceEnd],
    ] as const)
      expect(createReplay(events, otherEnd).tape.endBeforeRound(4)).toBe(false);
  });
});

describe('the output', () => {
  const outputOf = (text: string) => {
    const sums = new OutputSums();
    sums.add(1, text);
    return sums.take();
  };
  const createCompared = (events: readonly TraceEvent[], end?: TraceEnd) => {
    let printed = '';
    const replay = createReplay(events, end, {
      output: {
        note: (stream, output) => void (printed += `${stream}${String(output)}`),
        compare: (recorded) => {
          const actual = printed;
          printed = '';
          const expected = recorded.map(({ bytes }) => bytes).join();
          return actual.length === (recorded[0]?.bytes ?? -1) + 1 || (actual === '' && recorded.length === 0)
            ? undefined
            : { expected: `${expected} bytes`, actual };
        },
      },
    });
    return { ...replay, print: (text: string) => replay.tape.noteOutput(1, text) };
  };

  it('is compared at each event, and at the end', () => {
    const { tape, halts, print } = createCompared([{ ...outcome(date), output: outputOf('abc') }, outcome(date)], {
      reason: 'ended',
      lastOutput: outputOf('de'),
    } as TraceEnd);
    print('abc');
    tape.runApart(() => print('not of the program'));
    tape.outcome(date);
    tape.outcome(date);
    print('de');
    tape.checkEnd();
    expect(halts).toMatchObject([{ reason: 'ended' }]);
  });

  it('that differs is a divergence', () => {
    const { tape, halts, print } = createCompared([{ ...outcome(date), output: outputOf('abc') }]);
    print('ab');
    expect(() => tape.outcome(date)).toThrow('recorded: 3 bytes; now: 1ab');
    expect(halts).toMatchObject([{ reason: 'diverged', divergence: { ordinal: 1, isInOutput: true } }]);
    for (const end of ['finish', 'checkEnd'] as const) {
      const last = createCompared([], { reason: 'ended' } as TraceEnd);
      last.print('more');
      last.tape[end]('ended');
      expect(last.halts).toMatchObject([{ reason: 'diverged', divergence: { isInOutput: true } }]);
      const cutOff = createCompared([], CUT_OFF);
      cutOff.print('more');
      cutOff.tape[end]('cut off');
      expect(cutOff.halts).toMatchObject([{ reason: 'cut off' }]);
    }
  });
});

it('an event is described with its position', () => {
  expect(
    [
      messages(1, 2),
      messages(1, 2, 3),
      scheduled(4, 5),
      entry(6, { round: 7, step: 8 }),
      outcome(date),
      outcome(device),
      undefined,
    ].map(describeEvent),
  ).toEqual([
    '1 message of worker 2 is taken after 2 turns (1 rounds)',
    '3 messages of worker 2 are taken after 2 turns (1 rounds)',
    'phase 1 after 5 turns (4 rounds)',
    'timer calls (its callback 6) after 7 rounds and 8 steps',
    'the program reads date',
    'the program uses device',
    'no further event: the trace has ended',
  ]);
});
