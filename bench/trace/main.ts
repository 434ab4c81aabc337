// npm run bench:trace: what an event of a trace costs the thread that writes it, how many bytes it takes before and after compression, and what it
// costs to take it again. With the writer's thread at work, as in a recorded program; the median of nine rounds.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProcess, openRecording, SOURCES, startWriter, TraceWriter } from '@turntable/recording';

const ROUNDS = 9;
const EVENTS = 500_000;
/** How many events a worker writes before others may see something of it. */
const COMMIT_EVERY = 8;

/** A worker's day, each with the number of the event. */
const KINDS: Readonly<Record<string, (trace: TraceWriter, n: number, now: number) => void>> = {
  'messages, one at a time': (trace, n) => trace.messages(n, n, 1, 1),
  'messages, in batches': (trace, n) => trace.messages(3 * n, 64 * n + (n % 7), 1, 40 + (n % 50)),
  'messages of three workers': (trace, n) => trace.messages(n >> 1, n, n % 3, (n % 4) + 1),
  'Date.now()': (trace, n) => trace.outcome(SOURCES.date, 1_700_000_000_000 + (n >> 3)),
  'performance.now()': (trace, _, now) => trace.outcome(SOURCES.performance, now),
  'process.hrtime.bigint()': (trace, n) => trace.outcome(SOURCES.hrtime, 12_345_678_901_234n + BigInt(n) * 130n),
  'timer fires': (trace, n) => trace.entry(n >> 1, 2 * n, SOURCES.timer, n),
  'event of the runtime': (trace, n) => trace.happened(n, 2 * n, 'pace', '', n % 64),
  '16 bytes of randomness': (trace, n) => trace.outcome(SOURCES.randomness, BYTES[n % BYTES.length]),
  nothing: () => undefined,
};

const BYTES = Array.from({ length: 1024 }, () => crypto.getRandomValues(new Uint8Array(16)));
const TIMES = Array.from({ length: EVENTS }, () => performance.now());

const median = (all: readonly number[]): number => all.toSorted((one, other) => one - other)[all.length >> 1] ?? 0;

const recordings = mkdtempSync(join(tmpdir(), 'turntable-bench-trace-'));
const writer = startWriter({ recordings });
const recording = writer.create(describeProcess({ turntable: '0', workers: 1 }));
const rows = [];
let worker = 0;
for (const [name, write] of Object.entries(KINDS)) {
  const number = worker++;
  const trace = new TraceWriter(recording.trace(number, 1));
  const written: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    for (let i = 0; i < EVENTS; i++) {
      write(trace, round * EVENTS + i, TIMES[i] ?? 0);
      if (i % COMMIT_EVERY === 0) trace.commit();
    }
    written.push(performance.now() - started);
    await writer.flushTraces();
  }
  const isStopped = trace.isStopped;
  trace.end();
  await writer.flushTraces();
  const source = openRecording(recording.directory).trace(number, 1);
  const started = performance.now();
  while (source.next !== undefined) source.take();
  const all = Math.max(source.taken, 1);
  const file = join(recording.directory, 'traces', `0000000000-${number}.1.ttt`);
  rows.push({
    event: name,
    'ns to write': ((median(written) * 1e6) / EVENTS).toFixed(1),
    'bytes on disk': (statSync(file).size / all).toFixed(2),
    'ns to take': (((performance.now() - started) * 1e6) / all).toFixed(0),
    events: source.taken,
    whole: !isStopped && source.end === 'ended',
  });
  source.close();
}
await writer.close();
rmSync(recordings, { recursive: true });
console.table(rows);
