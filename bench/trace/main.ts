// npm run bench:trace: what a trace event costs the thread that writes it, its bytes before and after compression, and
// what reading it back costs. Medians of rounds, with the writer's thread at work as in a recorded program.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProcess, openRecording, TRACE_SOURCES, startWriter, TraceWriter } from '@turntable/recording';
import { helpText, parseOptions } from '../harness/options.ts';
import { machineLine, table } from '../harness/report.ts';

const EVENTS = 500_000;
/** Number of events between commits, which make them visible to the writer's thread. */
const COMMIT_EVERY = 8;

/** Typical events of a worker. */
const KINDS: Readonly<Record<string, (trace: TraceWriter, n: number, now: number) => void>> = {
  'messages, one at a time': (trace, n) => trace.writeMessages(n, n, 1, 1),
  'messages, in batches': (trace, n) => trace.writeMessages(3 * n, 64 * n + (n % 7), 1, 40 + (n % 50)),
  'messages of three workers': (trace, n) => trace.writeMessages(n >> 1, n, n % 3, (n % 4) + 1),
  'Date.now()': (trace, n) => trace.writeOutcome(TRACE_SOURCES.date, 1_700_000_000_000 + (n >> 3)),
  'performance.now()': (trace, _, now) => trace.writeOutcome(TRACE_SOURCES.performance, now),
  'process.hrtime.bigint()': (trace, n) =>
    trace.writeOutcome(TRACE_SOURCES.hrtime, 12_345_678_901_234n + BigInt(n) * 130n),
  'timer callback': (trace, n) => trace.writeEntry(n >> 1, 2 * n, TRACE_SOURCES.timer, n),
  'scheduler event': (trace, n) => trace.writeSchedulerEvent(n, 2 * n, 'round-length', '', n % 64),
  '16 bytes of randomness': (trace, n) => trace.writeOutcome(TRACE_SOURCES.randomness, BYTES[n % BYTES.length]),
};

const BYTES = Array.from({ length: 1024 }, () => crypto.getRandomValues(new Uint8Array(16)));
const TIMES = Array.from({ length: EVENTS }, () => performance.now());

const median = (all: readonly number[]): number => all.toSorted((one, other) => one - other)[all.length >> 1] ?? 0;

interface Row {
  readonly event: string;
  /** Nanoseconds per event. */
  readonly write: number;
  readonly take: number;
  /** Bytes per event on disk. */
  readonly bytes: number;
  readonly events: number;
  /** Whether the writer kept up and the trace is complete. */
  readonly isWhole: boolean;
}

async function measureEvents(rounds: number, isWanted: (event: string) => boolean): Promise<Row[]> {
  const recordings = mkdtempSync(join(tmpdir(), 'turntable-bench-trace-'));
  const writer = startWriter({ recordings });
  const recording = writer.create(describeProcess({ turntable: '0', workers: 1 }));
  const rows: Row[] = [];
  for (const [worker, [event, write]] of Object.entries(KINDS).entries()) {
    if (!isWanted(event)) continue;
    const trace = new TraceWriter(recording.trace(worker, 1));
    const written: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      for (let i = 0; i < EVENTS; i++) {
        write(trace, round * EVENTS + i, TIMES[i] ?? 0);
        if (i % COMMIT_EVERY === 0) trace.commit();
      }
      written.push(performance.now() - started);
      await writer.flushTraces();
    }
    const { isStopped } = trace;
    trace.end();
    await writer.flushTraces();
    const source = openRecording(recording.directory).trace(worker, 1);
    const started = performance.now();
    while (source.next !== undefined) source.take();
    const taking = performance.now() - started;
    const file = join(recording.directory, 'traces', `0000000000-${worker}.1.ttt`);
    rows.push({
      event,
      write: (median(written) * 1e6) / EVENTS,
      take: (taking * 1e6) / source.takenCount,
      bytes: statSync(file).size / source.takenCount,
      events: source.takenCount,
      isWhole: !isStopped && source.end.reason === 'ended',
    });
    source.close();
  }
  await writer.close();
  rmSync(recordings, { recursive: true });
  return rows;
}

const options = parseOptions(process.argv.slice(2), {
  full: { rounds: 9, samples: 1, warmup: 0 },
  quick: { rounds: 3, samples: 1, warmup: 0 },
});
const { rounds, only, quick } = options;
if (options.help) console.log(helpText('trace', 'what a trace event costs to write and to read back'));
else {
  const machine = machineLine();
  const rows = await measureEvents(rounds, (event) => only.length === 0 || only.some((part) => event.includes(part)));
  const params = { rounds, events: EVENTS, quick };
  if (options.json) console.log(JSON.stringify({ bench: 'trace', machine, params, rows, bars: [] }));
  else {
    const lines = rows.map(({ event, write, take, bytes, events, isWhole }) => [
      event,
      write.toFixed(1),
      bytes.toFixed(2),
      take.toFixed(0),
      String(events),
      isWhole ? 'yes' : 'NO',
    ]);
    const header = ['event', 'ns to write', 'bytes on disk', 'ns to read', 'events', 'whole'];
    console.log(['bench:trace', machine, `medians of ${rounds} rounds`, '', table(header, lines)].join('\n'));
  }
  if (rows.some(({ isWhole }) => !isWhole)) process.exitCode = 1;
}
