// Tests that a trace with a limit ends there as if it had been cut off, and otherwise where it ends itself.
import { expect, it } from 'vitest';
import { TRACE_SOURCES, type TraceEnd, type TraceEvent, type TraceSource } from '@turntable/recording';
import { LimitedTrace } from '../src/replay/thread/limited-trace.ts';

const END: TraceEnd = { reason: 'ended' } as unknown as TraceEnd;
const eventAt = (time: number | undefined): TraceEvent => ({
  type: 'outcome',
  source: TRACE_SOURCES.date,
  value: time,
});

class FakeTrace implements TraceSource {
  takenCount = 0;
  readonly end = END;
  readonly #events: readonly TraceEvent[];

  constructor(events: readonly TraceEvent[]) {
    this.#events = events;
  }

  get next(): TraceEvent | undefined {
    return this.#events[this.takenCount];
  }

  take(): void {
    this.takenCount++;
  }
}

/** Takes all events. */
function takeAll(times: readonly (number | undefined)[], limit: ConstructorParameters<typeof LimitedTrace>[1]) {
  const source = new FakeTrace(times.map(eventAt));
  const checked: unknown[] = [];
  const clock = {
    read: (event: TraceEvent) => {
      const { value } = event as { value: unknown };
      checked.push(value);
      return value;
    },
  };
  const trace = new LimitedTrace(source, limit, clock as never);
  let taken = 0;
  for (; trace.next !== undefined; trace.take()) {
    // The time of an event is read once, however often the event is looked at.
    expect(trace.next).toBe(source.next);
    expect(trace.takenCount).toBe(taken++);
  }
  const { isLimitReached, end, takenCount } = trace;
  trace.take();
  return { isLimitReached, end, takenCount, checked, takenAfterEnd: trace.takenCount - takenCount };
}

const CUT_OFF = { isLimitReached: true, end: { reason: 'cut off' }, takenAfterEnd: 0 };

it('ends after the event of its limit', () => {
  expect(takeAll([1, 2, 3], { kind: 'event', worker: 0, event: 2 })).toMatchObject({ ...CUT_OFF, takenCount: 2 });
  expect(takeAll([1, 2, 3], { kind: 'event', worker: 0, event: 0 })).toMatchObject({ ...CUT_OFF, takenCount: 0 });
  for (const event of [3, 4])
    expect(takeAll([1, 2, 3], { kind: 'event', worker: 0, event })).toMatchObject({
      isLimitReached: false,
      end: END,
      takenCount: 3,
    });
});

it('ends before the first event after the time of its limit', () => {
  const times = [10, undefined, 20, 30, 20];
  expect(takeAll(times, { kind: 'time', time: 20 })).toMatchObject({
    ...CUT_OFF,
    takenCount: 3,
    checked: [10, undefined, 20, 30],
  });
  expect(takeAll(times, { kind: 'time', time: 9 })).toMatchObject({ ...CUT_OFF, takenCount: 0 });
  expect(takeAll(times, { kind: 'time', time: 30 })).toMatchObject({ isLimitReached: false, end: END, takenCount: 5 });
});
