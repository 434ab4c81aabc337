// Traces from worker threads to the disk: committed events survive any fault, and nothing waits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  CUT_POINT_KIND,
  openRecording,
  TRACE_SOURCES,
  startWriter,
  createTraceSink,
  TraceWriter,
  type LiveRecording,
  type RecordingError,
  type TraceEvent,
  type TraceHandle,
  type Writer,
  type WriterOptions,
} from '@turntable/recording';
import { WriterState } from '../src/feed.ts';
import { setFileFault } from '../src/file-operations.ts';
import { CHUNK_BYTES, TraceCounts } from '../src/trace/trace-chunk.ts';
import { canMount, manifestOf, openSnapshot, temporaryDirectory, UNSHARE } from './recording.ts';
import { takeAll } from './traces.ts';

/** Tests do not depend on the speed of the machine. */
const PATIENTLY = { timeout: 60_000 };

interface World {
  readonly writer: Writer;
  readonly recording: LiveRecording;
  readonly troubles: RecordingError[];
}

function createWriter(options: Partial<WriterOptions> = {}): World {
  const recordings = join(temporaryDirectory(), 'recordings');
  const troubles: RecordingError[] = [];
  const writer = startWriter({ recordings, onError: (error) => troubles.push(error), ...options });
  onTestFinished(async () => {
    await writer.close();
  });
  return { writer, recording: writer.create(manifestOf()), troubles };
}

function startTracer(handle: TraceHandle, data: object): Worker {
  const thread = new Worker(new URL('./fixtures/tracer.mts', import.meta.url), {
    workerData: { handle, ...data },
    transferList: [handle.port],
    execArgv: ['-C', 'turntable-source'],
  });
  onTestFinished(async () => void (await thread.terminate()));
  return thread;
}

/** Events that a tracer writes in a phase, after `before` rounds. */
function eventsOf(count: number, before = 0): TraceEvent[] {
  return Array.from({ length: count }, (_, i): TraceEvent[] => {
    const round = before + i + 1;
    const messages = { type: 'messages', round, turns: round, worker: 2, count: (round % 5) + 1 } as const;
    return i % 7 === 0 ? [messages, { type: 'outcome', source: 1, value: 1_700_000_000_000 + round }] : [messages];
  }).flat();
}

function read(
  { directory }: LiveRecording,
  worker = 1,
  epoch = 1,
  phase?: number,
): { events: TraceEvent[]; end: string } {
  const trace = openRecording(directory).trace(worker, epoch, phase);
  try {
    return { events: takeAll(trace), end: trace.end };
  } finally {
    trace.close();
  }
}

const message = (round: number): TraceEvent => ({ type: 'messages', round, turns: round, worker: 0, count: 1 });

test('outcomes are on the disk without a commit, with all events before them', async () => {
  const { writer, recording } = createWriter();
  const trace = new TraceWriter(recording.trace(1, 1));
  trace.writeMessages(1, 1, 0, 1);
  await writer.flushTraces();
  expect(read(recording).events).toEqual([]);
  trace.writeOutcome(TRACE_SOURCES.date, 1);
  await writer.flushTraces();
  expect(read(recording).events).toEqual([message(1), { type: 'outcome', source: TRACE_SOURCES.date, value: 1 }]);
});

describe('a recording that starts later', () => {
  const begin: TraceEvent = { type: 'outcome', source: TRACE_SOURCES.seed, value: new Uint8Array(16) };

  test('writes nothing before, then starts with the preamble, pauses and resumes', async () => {
    const recordings = join(temporaryDirectory(), 'recordings');
    const writer = startWriter({ recordings });
    onTestFinished(async () => void (await writer.close()));
    const recording = writer.create(manifestOf(), { isLater: true });
    const handle = recording.trace(1, 1);
    const trace = createTraceSink(handle);
    const round = (number: number): void => {
      trace.writeMessages(number, number, 0, 1);
      trace.commit();
    };
    const phase = (number: number): void => {
      trace.cut(number);
      round(number * 10);
    };
    trace.writeOutcome(TRACE_SOURCES.seed, new Uint8Array(16));
    trace.writeOutcome(TRACE_SOURCES.date, 1);
    recording.addModule('file:///a.ts', 'text');
    phase(1);
    await writer.flushTraces();
    expect(existsSync(recording.directory)).toBe(false);
    recording.start(2);
    round(11);
    phase(2);
    round(21);
    phase(3);
    recording.pause('stopped');
    // It pauses at its next commit.
    round(31);
    round(32);
    phase(4);
    recording.start(5);
    phase(5);
    trace.end();
    recording.end();
    expect(await writer.close()).toBe(true);
    const { manifest } = openRecording(recording.directory);
    expect(manifest).toMatchObject({ endReason: null, modules: [{ url: 'file:///a.ts' }] });
    expect(read(recording, 1, 1)).toEqual({
      events: [begin, message(20), message(21), message(30), message(31)],
      end: 'cut off',
    });
    expect(read(recording, 1, 1, 3)).toEqual({ events: [begin, message(30), message(31)], end: 'cut off' });
    expect(read(recording, 1, 1, 5)).toEqual({ events: [begin, message(50)], end: 'ended' });
  });

  test('has an end in its manifest if it was started, and otherwise does not exist', async () => {
    const recordings = join(temporaryDirectory(), 'recordings');
    const writer = startWriter({ recordings });
    const [paused, unstarted] = [
      writer.create(manifestOf(), { isLater: true }),
      writer.create(manifestOf(), { isLater: true }),
    ];
    paused.start(1);
    paused.pause('stopped');
    for (const each of [paused, unstarted]) each.end();
    expect(await writer.close()).toBe(true);
    expect(openRecording(paused.directory).manifest).toMatchObject({ endReason: 'stopped', ended: expect.any(String) });
    expect(readdirSync(recordings)).toHaveLength(1);
  });
});

function writeMessages(trace: TraceWriter, from: number, to: number): void {
  for (let round = from; round <= to; round++) trace.writeMessages(round, round, 0, 1);
  trace.commit();
}

const messages = (from: number, to: number): TraceEvent[] =>
  Array.from({ length: to - from + 1 }, (_, i) => message(from + i));

async function snapshot(recording: LiveRecording, phase: number, bytes = 10): Promise<void> {
  const open = openSnapshot(recording, phase);
  open.add(
    0,
    'heap',
    Uint8Array.from({ length: bytes }, (_, i) => i * i),
  );
  expect(await open.commit()).toBeDefined();
}

const filesOf = ({ directory }: LiveRecording): string[] => readdirSync(join(directory, 'traces')).toSorted();

test('a trace is read from after a cut point, with the preamble of its segment', async () => {
  const { writer, recording } = createWriter();
  const trace = new TraceWriter(recording.trace(1, 0));
  const beginning = [['start', 'here'], 7] as const;
  trace.writeOutcome(TRACE_SOURCES.machine, beginning[0]);
  trace.writeOutcome(TRACE_SOURCES.seed, beginning[1]);
  for (let phase = 1; phase <= 6; phase++) {
    trace.writeMessages(10 * phase, phase, 2, 1);
    // The other phases have snapshots.
    if (phase % 3 === 0) trace.cut(phase);
    else trace.writeSchedulerEvent(10 * phase, phase, CUT_POINT_KIND, '', phase);
    trace.writeOutcome(TRACE_SOURCES.date, 1_700_000_000_000 + phase);
  }
  trace.commit();
  await writer.flushTraces();
  const { directory } = recording;
  expect(openRecording(directory).traces()[0]?.phases).toEqual([0, 3, 6]);
  const all = takeAll(openRecording(directory).trace(1, 0));
  for (const phase of [1, 2, 4, 5]) {
    const at = all.findIndex((event) => event.type === 'scheduler' && event.value === phase);
    expect(takeAll(openRecording(directory).traceAfterCut(1, 0, phase))).toEqual([
      { type: 'outcome', source: TRACE_SOURCES.machine, value: beginning[0] },
      { type: 'outcome', source: TRACE_SOURCES.seed, value: beginning[1] },
      ...all.slice(at + 1),
    ]);
  }
  // Either the start of a segment or no event.
  expect(takeAll(openRecording(directory).traceAfterCut(1, 0, 3))).toEqual(
    takeAll(openRecording(directory).trace(1, 0, 3)),
  );
  expect(takeAll(openRecording(directory).traceAfterCut(1, 0, 8)).length).toBe(2);
});

describe('committed events', () => {
  test('are read back over many chunks and phases, with the end of the worker', async () => {
    const { recording, writer } = createWriter();
    const thread = startTracer(recording.trace(1, 1), { events: 200_000, phases: [3, 4], then: 'end' });
    await once(thread, 'message');
    await writer.flushTraces();
    const all = [0, 1, 2].flatMap((phase) => eventsOf(200_000, phase * 200_000));
    const { events, end } = read(recording);
    expect(end).toBe('ended');
    expect(events.length).toBe(all.length);
    expect(JSON.stringify(events)).toBe(JSON.stringify(all));
    expect(openRecording(recording.directory).traces()).toMatchObject([{ worker: 1, epoch: 1, phases: [0, 3, 4] }]);
    expect(read(recording, 1, 1, 4)).toEqual({ events: eventsOf(200_000, 400_000), end: 'ended' });
  });

  test('are readable before their segment is complete and before the worker resumes', async () => {
    const { recording, writer } = createWriter();
    const trace = new TraceWriter(recording.trace(0, 1, 5));
    writeMessages(trace, 1, 10);
    trace.writeMessages(11, 11, 0, 1);
    await writer.flushTraces();
    expect(read(recording, 0)).toEqual({ events: messages(1, 10), end: 'cut off' });
    writeMessages(trace, 12, 12);
    trace.end();
    await writer.flushTraces();
    expect(read(recording, 0, 1, 5)).toEqual({ events: messages(1, 12), end: 'ended' });
  });

  test('reach the disk without a request', async () => {
    const { recording } = createWriter();
    const trace = new TraceWriter(recording.trace(0, 1));
    writeMessages(trace, 1, 10);
    // More than a segment and a block head without events.
    while (recording.traceBytes <= 56) await new Promise((resolve) => setImmediate(resolve));
    expect(read(recording, 0)).toEqual({ events: messages(1, 10), end: 'cut off' });
  });

  test.each([false, true])(
    'of all workers are in the files when a flush of one resolves, synced: %s',
    async (isSynced) => {
      const { recording } = createWriter();
      const others = [1, 2, 3].map((worker) => new TraceWriter(recording.trace(worker, 0)));
      const trace = new TraceWriter(recording.trace(0, 0));
      for (let round = 1; round <= 20; round++) {
        for (const each of [...others, trace]) writeMessages(each, round, round);
        await trace.flush(isSynced);
        for (const worker of [0, 1, 2, 3]) expect(read(recording, worker, 0).events).toEqual(messages(1, round));
      }
    },
  );

  test('that a flush waits for are reported and given up if they cannot be written', async () => {
    const fault = {
      kind: 'ENOSPC',
      syscall: 'write',
      at: 100,
      count: Infinity,
      counter: new SharedArrayBuffer(4),
    } as const;
    setFileFault(fault);
    const { recording, troubles } = createWriter();
    setFileFault(undefined);
    const trace = new TraceWriter(recording.trace(0, 0));
    await trace.flush(true);
    Atomics.store(new Int32Array(fault.counter), 0, 100);
    writeMessages(trace, 1, 1);
    await trace.flush(true);
    await vi.waitUntil(() => troubles.length > 0, PATIENTLY);
    expect(troubles.map(({ message }) => message)).toEqual([expect.stringContaining('ENOSPC')]);
  });

  test.each([true, false])(
    'do not hold up a flush after the end of the writer, synchronous: %s',
    async (isSynchronous) => {
      const fault = { kind: 'hang', syscall: 'fsync', at: 1, counter: new SharedArrayBuffer(4) } as const;
      setFileFault(fault);
      const { recording, writer } = createWriter();
      setFileFault(undefined);
      const trace = new TraceWriter(recording.trace(0, 0));
      writeMessages(trace, 1, 1);
      const flushed = trace.flush(true);
      await vi.waitUntil(() => Atomics.load(new Int32Array(fault.counter), 0) > 0, PATIENTLY);
      if (isSynchronous) writer.closeSync({ deadline: 1 });
      else void writer.close({ deadline: 0 });
      await flushed;
      await trace.flush(true);
    },
  );

  test('reach the disk while a snapshot waits for the disk', async () => {
    const recordings = join(temporaryDirectory(), 'recordings');
    const fault = { kind: 'hang', syscall: 'fsync', at: 1, counter: new SharedArrayBuffer(4) } as const;
    setFileFault(fault);
    const writer = startWriter({ recordings });
    setFileFault(undefined);
    onTestFinished(async () => void (await writer.close({ deadline: 0 })));
    const recording = writer.create(manifestOf());
    const trace = new TraceWriter(recording.trace(1, 1));
    void openSnapshot(recording, 1).commit();
    await vi.waitUntil(() => Atomics.load(new Int32Array(fault.counter), 0) > 0, PATIENTLY);
    trace.writeMessages(1, 1, 0, 1);
    trace.commit();
    const segment = join(recording.directory, 'traces', '0000000000-1.1.ttt');
    await vi.waitUntil(() => existsSync(segment) && read(recording).events.length > 0, PATIENTLY);
    expect(read(recording).events).toEqual([message(1)]);
  });

  test('survive a termination of the thread during a write, as a trace that is cut off', async () => {
    const { recording, writer } = createWriter();
    const endless = startTracer(recording.trace(1, 1), { events: 1e9, then: 'stay' });
    // More than a segment and a block head without events.
    while (recording.traceBytes <= 56) await new Promise((resolve) => setImmediate(resolve));
    await endless.terminate();
    await writer.flushTraces();
    const { events, end } = read(recording);
    expect(end).toBe('cut off');
    expect(events.length).toBeGreaterThan(0);
    expect(events).toEqual(eventsOf(events.length).slice(0, events.length));
  });

  test('and nothing else survive if the thread ends without an end mark', async () => {
    const { recording, writer } = createWriter();
    const thread = startTracer(recording.trace(1, 1), { events: 1001, then: 'exit' });
    await once(thread, 'exit');
    await writer.flushTraces();
    expect(read(recording)).toEqual({ events: eventsOf(1001), end: 'cut off' });
    // The worker that replaces it.
    const next = startTracer(recording.trace(1, 2), { events: 10, then: 'end' });
    await once(next, 'message');
    await writer.flushTraces();
    expect(read(recording, 1, 2)).toEqual({ events: eventsOf(10), end: 'ended' });
    expect(
      openRecording(recording.directory)
        .traces()
        .map(({ epoch }) => epoch),
    ).toEqual([1, 2]);
  });

  test('are on the disk when the recording ends, without waiting for the worker', async () => {
    const { recording, writer } = createWriter();
    const [one, two] = [0, 1].map((worker) => new TraceWriter(recording.trace(worker, 1)));
    writeMessages(one!, 1, 100_000);
    writeMessages(two!, 1, 5);
    one!.end();
    expect(writer.closeSync({ deadline: 10_000 })).toBe(true);
    expect(read(recording, 0)).toEqual({ events: messages(1, 100_000), end: 'ended' });
    expect(read(recording, 1)).toEqual({ events: messages(1, 5), end: 'cut off' });
  });

  test('survive a kill of the process', async () => {
    const directory = temporaryDirectory();
    const main = `const { startWriter, describeProcess, TraceWriter } = await import('@turntable/recording');
      const writer = startWriter({ recordings: ${JSON.stringify(directory)} });
      const recording = writer.create(describeProcess({ turntable: '0', workers: 1 }));
      const trace = new TraceWriter(recording.trace(0, 1));
      console.log(recording.directory);
      for (let round = 1; ; round += 1000) {
        for (let i = 0; i < 1000; i++) trace.writeMessages(round + i, round + i, 0, 1);
        trace.commit();
        await writer.flushTraces();
        console.log(round + 999);
      }`;
    const child = spawn(process.execPath, ['-C', 'turntable-source', '--input-type=module', '-e', main], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length === 8) child.kill('SIGKILL');
    }
    const [recordingPath = '', ...rest] = lines;
    const { events, end } = read({ directory: recordingPath } as LiveRecording, 0);
    expect(end).toBe('cut off');
    expect(events.length).toBeGreaterThanOrEqual(Number(rest.at(-1)));
    expect(events).toEqual(messages(1, events.length));
  });
});

test('traces that reach their size limit have a gap until the next snapshot', async () => {
  const { writer, recording, troubles } = createWriter({ maxTraceBytes: 2000 });
  let gaps = 0;
  writer.onGap(() => gaps++);
  const trace = new TraceWriter(recording.trace(0, 0));
  const noise = (): Uint8Array => crypto.getRandomValues(new Uint8Array(60_000));
  for (let count = 0; count < 20; count++) {
    trace.writeOutcome(5, noise());
    await trace.flush(false);
  }
  expect(trace.isStopped).toBe(true);
  await vi.waitUntil(() => gaps > 0, PATIENTLY);
  expect(troubles.map(({ message }) => message)).toEqual([expect.stringContaining('the limit of 2000 bytes')]);
  expect(recording.traceBytes).toBeLessThan(2000 + 2 * CHUNK_BYTES);
  trace.cut(1);
  expect(trace.isStopped).toBe(false);
  await snapshot(recording, 1);
  trace.writeOutcome(5, 'kept');
  trace.end();
  await writer.flushTraces();
  expect(read(recording, 0, 0, 1).events.at(-1)).toEqual({ type: 'outcome', source: 5, value: 'kept' });
});

describe('a disk that is too slow', () => {
  /** The written chunks are never taken. */
  function withoutWriter(limit: number): { trace: TraceWriter; sent: () => unknown[]; counts: TraceCounts } {
    const { port1: port, port2 } = new MessageChannel();
    const counts = new TraceCounts();
    const sent = (): unknown[] => {
      const all: unknown[] = [];
      for (let next = receiveMessageOnPort(port2); next !== undefined; next = receiveMessageOnPort(port2))
        all.push((next as { message: unknown }).message);
      return all;
    };
    const handle = {
      port,
      state: new WriterState().memory,
      counts: counts.memory,
      phase: 0,
      limit,
      maxBytes: Infinity,
      span: undefined,
    };
    return { trace: new TraceWriter(handle), sent, counts };
  }

  test('ends the trace but not the program, with bounded memory', () => {
    const { trace, sent, counts } = withoutWriter(3 * (CHUNK_BYTES + 1000));
    writeMessages(trace, 1, 1_000_000);
    expect(trace.isStopped).toBe(true);
    expect(counts.heldBytes).toBe(3 * CHUNK_BYTES);
    trace.cut(1);
    expect(trace.isStopped).toBe(true);
    const [stopped, ...otherMessages] = sent().filter((each) => (each as { type: string }).type !== 'chunk');
    expect(stopped).toEqual({
      type: 'stopped',
      reason: expect.stringMatching(/^more than \d+ bytes wait for the disk; /),
    });
    // The second phase found no room either.
    expect(otherMessages).toEqual([stopped]);
    trace.end();
  });

  test('is reported once; earlier events stay, and the next phase starts a new segment', async () => {
    // Room for one chunk, so a busy writer gets no second one.
    const { recording, writer, troubles } = createWriter({ maxPendingTraceBytes: CHUNK_BYTES + 1 });
    const trace = new TraceWriter(recording.trace(0, 1));
    writeMessages(trace, 1, 1_000_000);
    expect(trace.isStopped).toBe(true);
    await writer.flushTraces();
    trace.cut(2);
    expect(trace.isStopped).toBe(false);
    writeMessages(trace, 1_000_001, 1_000_010);
    trace.end();
    await writer.flushTraces();
    const { events, end } = read(recording, 0);
    expect(end).toBe('cut off');
    expect(events.length).toBeGreaterThan(10_000);
    expect(events).toEqual(messages(1, events.length));
    expect(read(recording, 0, 1, 2)).toEqual({ events: messages(1_000_001, 1_000_010), end: 'ended' });
    expect(troubles.map(({ message: reason }) => reason)).toEqual([
      expect.stringMatching(
        /^the trace of worker 0 ends here: more than 262145 bytes wait for the disk; .*the next snapshot starts another trace$/,
      ),
    ]);
  });
});

describe('a disk that fails', () => {
  test('turns the writer off if the failure is permanent, and workers keep running', async () => {
    const { recording, writer, troubles } = createWriter();
    const trace = new TraceWriter(recording.trace(0, 1));
    writeMessages(trace, 1, 10);
    await writer.flushTraces();
    rmSync(recording.directory, { recursive: true });
    trace.cut(1);
    writeMessages(trace, 11, 20);
    await writer.flushTraces();
    expect(writer.isOff).toBe(true);
    expect(troubles.map(({ message: reason }) => reason)).toEqual([expect.stringMatching(/^recording to .*ENOENT/)]);
    writeMessages(trace, 21, 1_000_000);
    expect(trace.isStopped).toBe(true);
  });

  test.skipIf(!canMount)('for a while leaves a gap, behind which the next phase begins', async () => {
    const [recordings, kept] = [temporaryDirectory(), temporaryDirectory()];
    const ballast = join(recordings, 'ballast');
    const service = join(import.meta.dirname, 'fixtures/traced-service.mts');
    const command = [process.execPath, '-C', 'turntable-source', service, recordings, ballast];
    const script = [
      `mount -t tmpfs -o size=2000k none '${recordings}'`,
      // Room for some of the events.
      `head -c 1500000 /dev/zero > '${ballast}'`,
      command.map((word) => `'${word}'`).join(' '),
      `cp -a '${recordings}/.' '${kept}'`,
    ];
    const child = spawn(UNSHARE, ['-rm', 'sh', '-c', script.join(' && ')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line));
    const [trouble, last, ...more] = lines;
    expect(more).toEqual([]);
    expect(trouble).toMatchObject({
      trouble: 'TT_RECORDING_WRITE',
      message: expect.stringMatching(
        /^the trace ends here, since it can no longer .*: ENOSPC: .* the next snapshot starts another trace; free space/,
      ),
    });
    expect(last).toMatchObject({ written: true, closed: false });
    const recording = { directory: String(last!['directory']).replace(recordings, kept) } as LiveRecording;
    const numbers = Array.from({ length: 10 }, (_, value): TraceEvent => ({ type: 'outcome', source: 5, value }));
    const start = read(recording, 0);
    expect(start.end).toBe('cut off');
    expect(start.events.slice(0, 10)).toEqual(numbers);
    expect(start.events.length).toBeGreaterThan(10);
    for (const event of start.events.slice(10))
      expect(event).toMatchObject({ type: 'outcome', value: { length: 60_000 } });
    expect(read(recording, 0, 1, 1)).toEqual({ events: numbers, end: 'ended' });
  });
});

describe('retention', () => {
  async function recorded(retention: NonNullable<WriterOptions['retention']>['snapshots'] & object, phases = 5) {
    const made = createWriter({ retention: { snapshots: retention } });
    const trace = new TraceWriter(made.recording.trace(0, 1));
    writeMessages(trace, 1, 100);
    for (let phase = 1; phase <= phases; phase++) {
      trace.cut(phase);
      writeMessages(trace, phase * 1000, phase * 1000 + 100);
      await snapshot(made.recording, phase, 10_000);
    }
    return { ...made, trace };
  }

  const segment = (phase: number): string => `000000000${phase}-0.1.ttt`;

  test('deletes traces from before the oldest snapshot together with older snapshots', async () => {
    const { recording } = await recorded({ count: 2 });
    expect(filesOf(recording)).toEqual([segment(4), segment(5)]);
    expect(read(recording, 0)).toMatchObject({ end: 'cut off' });
  });

  test('keeps the start of the program until a snapshot is deleted', async () => {
    const { recording } = await recorded({ count: 5 });
    expect(filesOf(recording)).toEqual([0, 1, 2, 3, 4, 5].map(segment));
    expect(read(recording, 0).events).toHaveLength(100 + 5 * 101);
  });

  test('counts the bytes of snapshots and traces', async () => {
    const made = createWriter({ retention: { snapshots: { bytes: 60_000 } } });
    const { recording, writer } = made;
    const trace = new TraceWriter(recording.trace(0, 1));
    const noise = (): Uint8Array => crypto.getRandomValues(new Uint8Array(40_000));
    for (let phase = 1; phase <= 3; phase++) {
      trace.cut(phase);
      trace.writeOutcome(5, noise());
      trace.commit();
      await writer.flushTraces();
      await snapshot(recording, phase, 100);
    }
    // Each has more than 40 000 bytes with its trace.
    expect(
      openRecording(recording.directory)
        .snapshots()
        .map(({ phase }) => phase),
    ).toEqual([3]);
    expect(filesOf(recording)).toEqual([segment(3)]);
  });

  test('by age also deletes the start of the program', async () => {
    const { recording, trace } = await recorded({ age: 3_600_000 }, 1);
    expect(filesOf(recording)).toEqual([segment(0), segment(1)]);
    const before = Date.now() / 1000 - 7200;
    utimesSync(join(recording.directory, 'traces', segment(0)), before, before);
    trace.cut(2);
    await snapshot(recording, 2);
    expect(filesOf(recording)).toEqual([segment(1), segment(2)]);
  });

  test('deletes no part of a trace without a snapshot', async () => {
    const { recording, writer } = createWriter({ retention: { snapshots: { count: 1, bytes: 1, age: 0 } } });
    const trace = new TraceWriter(recording.trace(0, 1));
    for (let phase = 1; phase <= 3; phase++) {
      trace.cut(phase);
      writeMessages(trace, phase, phase);
    }
    await writer.flushTraces();
    expect(filesOf(recording)).toEqual([0, 1, 2, 3].map(segment));
  });

  test('of recordings counts the bytes of their traces', async () => {
    const recordings = join(temporaryDirectory(), 'recordings');
    const old = createWriter({ recordings });
    new TraceWriter(old.recording.trace(0, 1)).end();
    await old.writer.close();
    writeFileSync(join(old.recording.directory, 'traces', segment(9)), new Uint8Array(100_000));
    const { recording } = createWriter({ recordings, retention: { recordings: { bytes: 100_000 } } });
    await snapshot(recording, 1);
    expect(existsSync(old.recording.directory)).toBe(false);
  });
});

test('trace bytes since the last snapshot are counted and reported at each interval', async () => {
  const { recording, writer } = createWriter();
  const due: number[] = [];
  recording.onTraceBytes(100_000, () => due.push(recording.traceBytes));
  const trace = new TraceWriter(recording.trace(0, 1));
  const add = async (bytes: number): Promise<void> => {
    trace.writeOutcome(5, crypto.getRandomValues(new Uint8Array(bytes)));
    trace.commit();
    await writer.flushTraces();
  };
  await add(60_000);
  expect(due).toEqual([]);
  expect(recording.traceBytes).toBeGreaterThan(60_000);
  await add(60_000);
  expect(due).toHaveLength(1);
  // No snapshot was taken, so it is reported again after the next interval.
  await add(60_000);
  expect(due).toHaveLength(1);
  await add(60_000);
  expect(due).toHaveLength(2);
  trace.cut(1);
  await add(30_000);
  await snapshot(recording, 1);
  expect(recording.traceBytes).toBeLessThan(31_000);
  await add(60_000);
  expect(due).toHaveLength(2);
  await add(60_000);
  expect(due).toHaveLength(3);
});

test('a missing trace is reported with the existing phases', async () => {
  const { recording, writer } = createWriter();
  const trace = new TraceWriter(recording.trace(1, 1));
  trace.cut(3);
  await writer.flushTraces();
  const opened = openRecording(recording.directory);
  expect(() => opened.trace(1, 1, 2)).toThrow(
    'worker 1 has no trace of epoch 1 from phase 2 on; available phases: 0, 3',
  );
  expect(() => opened.trace(2, 1)).toThrow(
    'worker 2 has no trace of epoch 1; it was not recorded, or retention has deleted it',
  );
});
