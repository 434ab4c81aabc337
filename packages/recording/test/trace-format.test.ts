// Written events are read back; any bytes give events and then a normal end or a RecordingError.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TRACE_SOURCES, type TraceEvent, type TraceValue } from '@turntable/recording';
import { isLastSegment } from '../src/trace/segment-end.ts';
import { TraceReader } from '../src/trace/trace-reader.ts';
import { RecordingError, temporaryDirectory } from './recording.ts';
import { decodeTrace, encodeTrace, SEGMENT, segmentOf, takeAll, traces, values, writeSegment } from './traces.ts';

const SEGMENT_FILE = '0000000000-1.1.ttt';

test('events with any values are read back unchanged', () => {
  fc.assert(
    fc.property(traces, (events) => {
      const { bytes, stops } = encodeTrace(events);
      expect(stops).toEqual([]);
      expect(decodeTrace(bytes)).toEqual({ events, rest: 0 });
    }),
    { numRuns: 500, seed: 3 },
  );
});

test('events are not split between chunks, for chunks of any size', () => {
  fc.assert(
    fc.property(traces, fc.integer({ min: 64, max: 600 }), fc.integer({ min: 1, max: 50 }), (events, size, part) => {
      const { bytes, pieces } = encodeTrace(events, size);
      // One decoder reads all chunks, and each must leave no rest.
      const all: TraceEvent[] = [];
      for (let count = 1; count <= pieces.length; count++) {
        const { events: some, rest } = decodeTrace(Buffer.concat(pieces.slice(0, count)));
        expect(rest).toBe(0);
        all.splice(0, all.length, ...some);
      }
      expect(all).toEqual(events.slice(0, all.length));
      expect(decodeTrace(bytes, part)).toEqual({ events, rest: 0 });
    }),
    { numRuns: 150, seed: 4 },
  );
});

test('bytes cut off anywhere give all complete events', () => {
  fc.assert(
    fc.property(traces, (events) => {
      const { bytes } = encodeTrace(events.slice(0, 12));
      let before = 0;
      for (let length = 0; length <= bytes.length; length++) {
        const { events: found } = decodeTrace(bytes.slice(0, length));
        expect(found).toEqual(events.slice(0, found.length));
        expect(found.length).toBeGreaterThanOrEqual(before);
        before = found.length;
      }
      expect(before).toBe(Math.min(events.length, 12));
    }),
    { numRuns: 40, seed: 5 },
  );
});

test('any bytes give events or an error with the expectation', () => {
  const outcomes = { read: 0, refused: 0 };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      try {
        decodeTrace(bytes);
        outcomes.read++;
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingError);
        outcomes.refused++;
      }
    }),
    { numRuns: 5000, seed: 6 },
  );
  expect(outcomes.read).toBeGreaterThan(100);
  expect(outcomes.refused).toBeGreaterThan(100);
});

describe('frequent events take few bytes', () => {
  const bytesOf = (...events: TraceEvent[]): number[] =>
    events.map(
      (_, index) =>
        encodeTrace(events.slice(0, index + 1)).bytes.length - encodeTrace(events.slice(0, index)).bytes.length,
    );
  const messages = (round: number, turns: number, count: number): TraceEvent => ({
    type: 'messages',
    round,
    turns,
    worker: 1,
    count,
  });
  const outcome = (source: number, value: TraceValue): TraceEvent => ({ type: 'outcome', source, value });

  test('messages of another worker', () => {
    expect(
      bytesOf(messages(1, 1, 1), messages(2, 2, 1), messages(4, 130, 3), messages(5, 200, 64), messages(20, 260, 9)),
    ).toEqual([2, 2, 3, 3, 4]);
  });

  test('clocks', () => {
    const { date, performance: own, hrtime } = TRACE_SOURCES;
    const [, ...dates] = bytesOf(
      outcome(date, 1_700_000_000_000),
      outcome(date, 1_700_000_000_000),
      outcome(date, 1_700_000_000_050),
    );
    expect(dates).toEqual([2, 2]);
    const [, ...times] = bytesOf(outcome(own, 34.567_891), outcome(own, 34.568_021), outcome(own, 35.568_021));
    expect(times).toEqual([3, 4]);
    const [, ...high] = bytesOf(outcome(hrtime, 123_456_789_012_345n), outcome(hrtime, 123_456_789_012_400n));
    expect(high).toEqual([2]);
  });

  test('timers, and entries that follow each other', () => {
    const timer = (round: number, step: number, id: number): TraceEvent => ({
      type: 'entry',
      round,
      step,
      source: TRACE_SOURCES.timer,
      id,
      value: undefined,
    });
    expect(bytesOf(timer(0, 1, 1), timer(0, 2, 2), timer(1, 4, 3))).toEqual([3, 3, 4]);
    const pace = (round: number): TraceEvent => ({
      type: 'scheduler',
      round,
      turns: round,
      kind: 'round-length',
      key: '',
      value: 32,
    });
    expect(bytesOf(pace(1), pace(2)).at(-1)).toBe(6);
  });

  test('small results', () => {
    expect(
      bytesOf(
        outcome(TRACE_SOURCES.machine, 'linux'),
        outcome(TRACE_SOURCES.machine, true),
        outcome(TRACE_SOURCES.machine, [1, 2]),
      ),
    ).toEqual([7, 2, 5]);
  });
});

describe('an event that cannot be kept ends the trace but not the sink', () => {
  const nested = (depth: number): TraceValue => (depth === 0 ? 1 : [nested(depth - 1)]);
  const circle: TraceValue[] = [1];
  circle.push(circle, circle);
  class Own {
    readonly field = 1;
  }

  test.each<[string, () => unknown, RegExp]>([
    ['a function', () => [1, () => undefined], /a value is a function, which is not plain data/],
    ['an object of a class', () => ({ own: new Own() }), /an instance of Own, which is not plain data/],
    ['a value in itself', () => circle, /a value is nested more than 100 deep/],
    ['a value nested too deep', () => nested(101), /a value is nested more than 100 deep/],
    [
      'too many members',
      () => Array.from({ length: 1100 }, () => new Array<undefined>(1000)),
      /more than 1048576 members/,
    ],
    ['too many bytes', () => new Uint8Array((64 << 20) + 1), /more than 67108864 bytes/],
  ])('%s', (_, make, reason) => {
    const [previousEvent, nextEvent] = [5, 6].map((value): TraceEvent => ({
      type: 'outcome',
      source: TRACE_SOURCES.machine,
      value,
    }));
    const { bytes, stops } = encodeTrace([
      previousEvent!,
      { type: 'outcome', source: TRACE_SOURCES.machine, value: make() as TraceValue },
      nextEvent!,
    ]);
    expect(stops).toEqual([expect.stringMatching(reason)]);
    expect(decodeTrace(bytes)).toEqual({ events: [previousEvent], rest: 0 });
  });

  test('events out of order', () => {
    const at = (round: number): TraceEvent => ({ type: 'messages', round, turns: 1, worker: 1, count: 1 });
    const { bytes, stops } = encodeTrace([at(5), at(4), at(6)]);
    expect(stops).toEqual(['its events are out of order: a number of -1 cannot follow the one before']);
    expect(decodeTrace(bytes).events).toEqual([at(5)]);
  });

  test('a value of the maximum depth and an event larger than a chunk are kept', () => {
    const events = [nested(100), new Uint8Array(300_000).fill(7), 'x'.repeat(200_000), '\u{1f600}'.repeat(100_000)].map(
      (value): TraceEvent => ({ type: 'outcome', source: TRACE_SOURCES.machine, value }),
    );
    const { bytes, stops } = encodeTrace(events);
    expect(stops).toEqual([]);
    expect(decodeTrace(bytes, 65_536)).toEqual({ events, rest: 0 });
  });
});

/** Events read and the ending. */
function read(directory: string): { events: TraceEvent[]; end: string; message?: string } {
  const events: TraceEvent[] = [];
  let reader: TraceReader | undefined;
  try {
    reader = new TraceReader(directory, SEGMENT);
    for (let next = reader.next; next !== undefined; next = reader.next) {
      events.push(next);
      reader.take();
    }
    return { events, end: reader.end.reason };
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    expect(error.file).toContain('.ttt');
    return { events, end: error.code, message: error.message };
  } finally {
    reader?.close();
  }
}

function directoryOf(bytes?: Uint8Array): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'traces'));
  if (bytes !== undefined) writeSegment(directory, SEGMENT_FILE, bytes);
  return directory;
}

const isLast = (directory: string): boolean => isLastSegment(join(directory, 'traces', SEGMENT_FILE));

describe('a segment', () => {
  const EVENTS: readonly TraceEvent[] = [
    { type: 'messages', round: 1, turns: 3, worker: 2, count: 5 },
    { type: 'outcome', source: TRACE_SOURCES.date, value: 1_700_000_000_000 },
    { type: 'scheduler', round: 2, turns: 9, kind: 'class', key: 'class', value: undefined },
    {
      type: 'outcome',
      source: TRACE_SOURCES.machine,
      value: 'a text that is repeated, a text that is repeated, a text that is repeated',
    },
    { type: 'entry', round: 2, step: 14, source: TRACE_SOURCES.timer, id: 3, value: undefined },
    { type: 'messages', round: 3, turns: 10, worker: 2, count: 1 },
  ];
  const { bytes: all } = encodeTrace(EVENTS);
  const { bytes: first } = encodeTrace(EVENTS.slice(0, 3));
  // The last block starts with two bytes of an event.
  const blocks = [first, all.slice(first.length, all.length - 1), all.slice(all.length - 1)];
  const whole = segmentOf(blocks, 'ended');

  test('is read back with its ending', () => {
    expect(read(directoryOf(whole))).toEqual({ events: EVENTS, end: 'ended' });
    expect(read(directoryOf(segmentOf(blocks)))).toEqual({ events: EVENTS, end: 'cut off' });
    expect(read(directoryOf(segmentOf([], 'ended')))).toEqual({ events: [], end: 'ended' });
    expect(read(directoryOf(segmentOf([])))).toEqual({ events: [], end: 'cut off' });
  });

  test('tells by its last bytes whether it is the last one, as a full read does', () => {
    for (const bytes of [whole, segmentOf([], 'ended')]) expect(isLast(directoryOf(bytes))).toBe(true);
    const others = [segmentOf(blocks), segmentOf([]), segmentOf(blocks, 7), undefined];
    for (const bytes of others) expect(isLast(directoryOf(bytes))).toBe(false);
  });

  test('cut off at any byte ends there without an error', () => {
    const directory = directoryOf();
    for (let length = 0; length < whole.length; length++) {
      writeSegment(directory, SEGMENT_FILE, whole.slice(0, length));
      const { events, end } = read(directory);
      expect(end, `${length} bytes`).toBe('cut off');
      expect(isLast(directory), `${length} bytes`).toBe(false);
      expect(events).toEqual(EVENTS.slice(0, events.length));
    }
  });

  test('reports every flipped bit after all events before it', () => {
    const directory = directoryOf();
    for (let at = 0; at < whole.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(whole);
        flipped[at]! ^= 1 << bit;
        writeSegment(directory, SEGMENT_FILE, flipped);
        const { events, end } = read(directory);
        expect(end, `bit ${bit} of byte ${at}`).toMatch(/^TT_RECORDING(_VERSION)?$/);
        expect(events).toEqual(EVENTS.slice(0, events.length));
      }
    }
  });

  test('may have a tail of zeros, as after a power failure, but no other bytes', () => {
    const open = segmentOf(blocks);
    expect(read(directoryOf(Buffer.concat([open, Buffer.alloc(100_000)])))).toEqual({ events: EVENTS, end: 'cut off' });
    const { events, end } = read(directoryOf(Buffer.concat([open, Buffer.alloc(100_000), Buffer.from('x')])));
    expect({ events, end }).toEqual({ events: EVENTS, end: 'TT_RECORDING' });
    expect(read(directoryOf(Buffer.concat([whole, Buffer.from('x')]))).end).toBe('TT_RECORDING');
  });

  test('with a missing or repeated block is refused', () => {
    const header = whole.slice(0, 32);
    const one = segmentOf([blocks[0]!]).slice(32);
    const two = segmentOf(blocks.slice(0, 2)).slice(32 + one.length);
    expect(read(directoryOf(Buffer.concat([header, one, two]))).end).toBe('cut off');
    expect(read(directoryOf(Buffer.concat([header, two]))).message).toContain(
      'expected the block of events from byte 0 on',
    );
    expect(read(directoryOf(Buffer.concat([header, one, one]))).message).toContain(
      `expected the block of events from byte ${first.length} on`,
    );
  });

  test('under another segment’s name is refused', () => {
    const directory = directoryOf(segmentOf([], 'ended', { phase: 0, worker: 2, epoch: 1, earlierLosses: 0 }));
    expect(() => new TraceReader(directory, SEGMENT)).toThrow(
      'contains phase 0 of worker 2 in epoch 1; give the file its original name',
    );
  });

  test('of another format or a later version is refused', () => {
    const later = Buffer.from(whole);
    later.writeUInt16LE(6, 4);
    expect(read(directoryOf(later)).message).toContain(
      'has trace format 6, this Turntable reads format 5; replay it with the version that wrote it',
    );
    expect(read(directoryOf(Buffer.alloc(100))).message).toContain(
      'is not a segment of a trace: it does not start with TTTR',
    );
  });

  test('continues in the next phase, and ends if that is missing', () => {
    const directory = directoryOf(segmentOf(blocks, 7));
    expect(read(directory)).toEqual({ events: EVENTS, end: 'cut off' });
    writeSegment(directory, '0000000007-1.1.ttt', segmentOf(blocks, 'ended', { ...SEGMENT, phase: 7 }));
    expect(read(directory)).toEqual({ events: [...EVENTS, ...EVENTS], end: 'ended' });
    writeSegment(directory, '0000000007-1.1.ttt', segmentOf(blocks, 7, { ...SEGMENT, phase: 7 }));
    expect(read(directory).message).toContain(
      'is followed by phase 7, but phases must ascend; copy the recording again',
    );
  });

  test('with a complete mark but an incomplete last event is damaged', () => {
    expect(read(directoryOf(segmentOf([first, all.slice(first.length, all.length - 1)], 'ended'))).message).toContain(
      'expected the rest of an event',
    );
  });

  test('with a block that declares too large a size takes no memory', () => {
    const before = process.memoryUsage().rss;
    const { message } = read(directoryOf(segmentOf([new Uint8Array(64 << 20)])));
    expect(message).toContain('expected the head of a block');
    expect(process.memoryUsage().rss - before).toBeLessThan(32 << 20);
  });

  test('holds values of the maximum size over many blocks', () => {
    const events: TraceEvent[] = [1, 5_000_000, 2].map((length): TraceEvent => ({
      type: 'outcome',
      source: TRACE_SOURCES.randomness,
      value: new Uint8Array(length).fill(length),
    }));
    const { bytes } = encodeTrace(events);
    const parts = Array.from({ length: Math.ceil(bytes.length / 250_000) }, (_, i) =>
      bytes.slice(i * 250_000, (i + 1) * 250_000),
    );
    const reader = new TraceReader(directoryOf(segmentOf(parts, 'ended')), SEGMENT);
    expect(takeAll(reader)).toEqual(events);
    expect(reader.takenCount).toBe(3);
    reader.close();
  });
});

test('neighbouring values do not affect each other', () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 10 }), (list) => {
      const event: TraceEvent = { type: 'outcome', source: TRACE_SOURCES.machine, value: list };
      expect(decodeTrace(encodeTrace([event]).bytes).events).toEqual([event]);
    }),
    { numRuns: 200, seed: 8 },
  );
});
