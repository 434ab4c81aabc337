// Tests the timeline of a synthetic recording: its output formats, and its order for any clock readings.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openRecording, TRACE_SOURCES, type Recording, type TraceEvent, type TraceValue } from '@turntable/recording';
import { makeRecording, MANIFEST, type Segment } from '../../recording/test/packed.ts';
import { inspectTrace, type TraceQuery } from '../src/trace/inspect-trace.ts';
import { chromeTrace } from '../src/trace/chrome-trace.ts';
import { timelineJson } from '../src/trace/timeline-json.ts';
import { timeline, type ThreadEnd } from '../src/trace/timeline.ts';

const BEGAN = Date.parse(MANIFEST.created);

function recordingOf(segments: readonly Segment[]): Recording {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return openRecording(makeRecording(directory, { segments }));
}

const outcome = (source: keyof typeof TRACE_SOURCES, value: TraceValue): TraceEvent => ({
  type: 'outcome',
  source: TRACE_SOURCES[source],
  value,
});
const entry = (round: number, step: number, id: number, value?: TraceValue): TraceEvent => ({
  type: 'entry',
  round,
  step,
  source: TRACE_SOURCES.timer,
  id,
  value,
});
const messages = (round: number, worker: number, count: number): TraceEvent => ({
  type: 'messages',
  round,
  turns: 4 * round,
  worker,
  count,
});
const happened = (round: number, kind: string, key: string, value?: TraceValue): TraceEvent => ({
  type: 'scheduler',
  round,
  turns: 4 * round,
  kind,
  key,
  value,
});
const start = (offsetMs: number): TraceEvent => outcome('machine', ['start', 0, { timeOrigin: BEGAN + offsetMs }]);

const SHOP: readonly Segment[] = [
  {
    worker: 0,
    events: [
      start(5),
      outcome('seed', new Uint8Array(20).fill(7)),
      entry(1, 2, 1),
      outcome('date', BEGAN + 45),
      messages(2, 1, 1),
      outcome('hrtime', 90_000_000_000n),
      outcome('hrtime', 90_002_500_000n),
      happened(3, 'phase', '7'),
    ],
    next: 7,
  },
  {
    worker: 0,
    phase: 7,
    events: [
      // At the beginning of each segment.
      start(5),
      outcome('seed', new Uint8Array(20).fill(7)),
      entry(3, 9, 2, ['red\n', { $key: undefined, of: 12n }]),
      outcome('performance', 60.25),
      messages(5, 1, 3),
    ],
    next: 'ended',
  },
  {
    worker: 1,
    events: [
      start(20),
      happened(0, 'worker-start', '0', null),
      messages(1, 0, 2),
      outcome('date', BEGAN + 30),
      entry(2, 3, 1),
    ],
  },
  { worker: 1, epoch: 1, events: [start(50), messages(1, 0, 1)], next: 'ended' },
];

const EMPTY_QUERY: TraceQuery = {
  worker: undefined,
  epoch: undefined,
  phase: undefined,
  from: undefined,
  count: undefined,
  json: false,
};

function exportText(recording: Recording, format: typeof timelineJson): string {
  const ends: ThreadEnd[] = [];
  return [...format(recording, recording.manifest, timeline(recording, ends), ends)].join('');
}

test('the timeline is exported as JSON, with one event per line', async () => {
  const text = exportText(recordingOf(SHOP), timelineJson);
  await expect(text).toMatchFileSnapshot('golden/timeline.json.txt');
  const { events, ends } = JSON.parse(text) as { events: unknown[]; ends: unknown[] };
  expect([events.length, ends.length]).toEqual([18, 3]);
  expect(text.split('\n').filter((line) => line.startsWith('{"time"')).length).toBe(18);
});

test('the timeline is exported for Chrome and Perfetto: slices, marks, and arrows between slices', async () => {
  const text = exportText(recordingOf(SHOP), chromeTrace);
  await expect(text).toMatchFileSnapshot('golden/timeline.chrome.txt');
  type Entry = Readonly<Record<'ph' | 'name', string> & Record<'tid' | 'ts' | 'dur' | 'id', number>>;
  const { traceEvents } = JSON.parse(text) as { traceEvents: Entry[] };
  const slices = traceEvents.filter(({ ph }) => ph === 'X');
  const arrows = traceEvents.filter(({ ph }) => ph === 's' || ph === 'f');
  expect(arrows.length).toBe(2 * 4);
  for (const { tid, ts } of arrows)
    expect(slices.filter((each) => each.tid === tid && each.ts === ts).length, `${ts} of ${tid}`).toBe(1);
  for (const left of slices)
    for (const right of slices)
      if (left.tid === right.tid && left.ts < right.ts) expect(left.ts + left.dur).toBeLessThanOrEqual(right.ts);
});

test('traces are listed event by event and summarized', async () => {
  const { directory } = recordingOf(SHOP);
  const inspect = (query: Partial<TraceQuery>): string =>
    [...inspectTrace(directory, { ...EMPTY_QUERY, ...query })].join('');
  const all: [string, Partial<TraceQuery>][] = [
    ['--trace', {}],
    ['--trace --worker 1', { worker: 1 }],
    ['--trace --from 1', { from: 1 }],
    ['--trace --from 3 --count 2', { from: 3, count: 2 }],
    ['--trace --phase 7 --count 9', { phase: 7, count: 9 }],
    ['--trace --worker 1.0 --from 2', { worker: 1, epoch: 0, from: 2 }],
    ['--trace --from 9 --json', { from: 9, json: true }],
  ];
  const text = all.map(([command, query]) => `$ turntable inspect recordings ${command}\n${inspect(query)}`);
  await expect(text.join('\n')).toMatchFileSnapshot('golden/inspect-trace.txt');
  expect(() => inspect({ worker: 1, from: 1 })).toThrow('worker 1 has epochs 0, 1: select one with --worker 1.0');
  expect(() => inspect({ worker: 9 })).toThrow('there is no trace of worker 9; available: --worker 0, 1, 1.1');
});

test('host events are described with the handle names of the trace so far', () => {
  const device = (...value: TraceValue[]): TraceEvent => outcome('device', value);
  const from = (source: 'device' | 'settled', id: number, value: TraceValue): TraceEvent => ({
    type: 'entry',
    round: 0,
    step: 0,
    source: TRACE_SOURCES[source],
    id,
    value,
  });
  const request = [1, 0, 'IncomingMessage', [3, 'http.IncomingMessage.prototype']];
  const recording = recordingOf([
    {
      worker: 0,
      events: [
        device(3, 9, [1, 0, 'Server', null]),
        from('device', 0, [73, 0, [0, 0], request]),
        device(0, 0, '/x', 'url'),
        device(0, 0, [0, 1], [11, '@@iterator']),
        device(1, 9 + 32, [8, 'Error', 'no', '']),
        device(0, 64 + 9, 7, [0, 1], [5, false, 'a', [7, 0, new Uint8Array(120)], 'b', [6, 1, undefined]]),
        device(0, 9, [9]),
        from('settled', 0, [true, [7, 0, new Uint8Array(1)], false]),
        from('device', 0, [97, [4], [0]]),
        from('device', 0, [98]),
        device('unknown format'),
      ],
    },
  ]);
  const lines = [...inspectTrace(recording.directory, { ...EMPTY_QUERY, from: 1 })].map((line) =>
    line.slice(33).trimEnd(),
  );
  expect(lines.slice(0, -1)).toEqual([
    'uses device: a call → Server#0, after 3 predicted',
    'device: calls object 0(IncomingMessage#1) of Server#0',
    "uses device: property url → '/x'",
    'uses device: property Symbol(@@iterator) → IncomingMessage#1',
    'uses device: a call throws Error: no, after 1 predicted',
    'uses device: calls object 7({ a: 120 bytes, b: [1, undefined] }) of IncomingMessage#1',
    'uses device: a call → a promise',
    'settled 0: fulfilled: 1 byte',
    'device: releases 4, Server#0',
    'device: uncaught exception of the program',
    expect.stringMatching(/^uses device: /),
  ]);
});

test('the error of a recording without traces says how to record them', () => {
  const { directory } = recordingOf([]);
  const query = {
    worker: undefined,
    epoch: undefined,
    phase: undefined,
    from: undefined,
    count: undefined,
    json: false,
  };
  expect(() => [...inspectTrace(directory, query)]).toThrow(
    'it has no traces: none were recorded (use turntable record',
  );
});

const readingArbitrary = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map((offset) => outcome('date', BEGAN + offset)),
  fc.double({ min: 0, max: 1000, noNaN: true }).map((time) => outcome('performance', time)),
  fc.bigInt({ min: 0n, max: 10n ** 12n }).map((time) => outcome('hrtime', time)),
  fc.bigInt({ min: 0n, max: 10n ** 9n }).map((offset) => outcome('hrtime', BigInt(BEGAN) * 1_000_000n + offset)),
  fc.constantFrom(start(3), outcome('date', Number.NaN), outcome('machine', ['start']), outcome('machine', 1)),
  fc.nat(9).map((round) => messages(round, 1, 1)),
);

test('for any clock readings, threads keep their order, times never decrease and no event is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.array(readingArbitrary, { maxLength: 30 }), { minLength: 1, maxLength: 4 }), (threads) => {
      const threadsInOrder = threads.map((events) => {
        let round = 0;
        return events.map((each) => (each.type === 'messages' ? messages((round += each.round), 1, 1) : each));
      });
      const ends: ThreadEnd[] = [];
      const all = [...timeline(recordingOf(threadsInOrder.map((events, worker) => ({ worker, events }))), ends)];
      expect(all.map(({ time }) => time)).toEqual(all.map(({ time }) => time).toSorted((left, right) => left - right));
      for (const [worker, events] of threadsInOrder.entries()) {
        const ownEvents = all.filter((each) => each.worker === worker);
        expect(ownEvents.map(({ event }) => event)).toEqual(events);
        expect(ownEvents.map(({ number }) => number)).toEqual(events.map((_, i) => i + 1));
        expect(ends.find((each) => each.worker === worker)?.events).toBe(events.length);
      }
    }),
    { numRuns: 60, seed: 2 },
  );
});
