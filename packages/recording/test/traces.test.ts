// Traces from worker threads to the disk: committed events survive any fault, and nothing waits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  CUT_POINT_KIND,
  openRecording,
  TRACE_SOURCES,
  startWriter,
  createTraceSink,
  TraceWriter,
  type LiveRecording,
  type TraceEvent,
  type TraceHandle,
} from '@turntable/recording';
import { setFileFault } from '../src/file-operations.ts';
import { canMount, manifestOf, openSnapshot, temporaryDirectory, UNSHARE } from './recording.ts';
import { createWriter, message, messages, PATIENTLY, read, writeMessages } from './live-traces.ts';
import { takeAll } from './traces.ts';

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
    // More than the heads of a segment and a block.
    while (recording.traceBytes <= 1000) await new Promise((resolve) => setImmediate(resolve));
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

describe('a disk that fails', () => {
  test('turns the writer off if the failure is permanent, and workers keep running', async () => {
    const { recording, writer, troubles } = createWriter();
    const trace = new TraceWriter(recording.trace(0, 1));
    writeMessages(trace, 1, 10);
    await writer.flushTraces();
    rmSync(join(recording.directory, 'traces'), { recursive: true });
    writeFileSync(join(recording.directory, 'traces'), '');
    trace.cut(1);
    writeMessages(trace, 11, 20);
    await writer.flushTraces();
    expect(writer.isOff).toBe(true);
    expect(troubles.map(({ message: reason }) => reason)).toEqual([expect.stringMatching(/^recording to .*ENOTDIR/)]);
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

describe('a trace without an end', () => {
  test('has the last round of its worker if it was kept from a later phase on', async () => {
    const recordings = join(temporaryDirectory(), 'recordings');
    const writer = startWriter({ recordings });
    const recording = writer.create(manifestOf(), { isLater: true });
    const trace = createTraceSink(recording.trace(1, 1));
    trace.beginRound(5);
    recording.start(2);
    trace.cut(2);
    trace.writeMessages(5, 5, 0, 1);
    trace.commit();
    recording.end();
    await writer.close();
    const reader = openRecording(recording.directory).trace(1, 1);
    expect(takeAll(reader)).toEqual([message(5)]);
    expect(reader.end).toEqual({ reason: 'cut off', lastRound: 5, isWhole: false });
  });

  test.each([
    { loss: undefined, isSettled: false, expected: { isWhole: false, lastRound: 3 } },
    { loss: 'lost', isSettled: false, expected: { isWhole: true, lastRound: 3 } },
    { loss: 'out of memory', isSettled: true, expected: { isWhole: true, lastRound: 3 } },
    { loss: 'out of memory', isSettled: false, expected: { isWhole: true, lastRound: 2 } },
  ])('has the last round of its worker: $loss, settled: $isSettled', async ({ loss, isSettled, expected }) => {
    const { writer, recording } = createWriter();
    const trace = new TraceWriter(recording.trace(1, 0));
    trace.beginRound(1);
    writeMessages(trace, 1, 1);
    trace.settle();
    await writer.flushTraces();
    trace.beginRound(3);
    if (isSettled) trace.settle();
    if (loss !== undefined) recording.workerLost(1, 0, loss === 'out of memory');
    recording.end();
    await writer.close();
    const reader = openRecording(recording.directory).trace(1, 0);
    expect(takeAll(reader)).toEqual([message(1)]);
    expect(reader.end).toEqual({ reason: 'cut off', ...expected });
  });
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
