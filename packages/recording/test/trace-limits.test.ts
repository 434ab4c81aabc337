// Traces stay within their limits: of size, of memory while the disk is slow, and of retention.
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRecording, TraceWriter, type WriterOptions } from '@turntable/recording';
import { WriterState } from '../src/feed.ts';
import { setFileFault } from '../src/file-operations.ts';
import { CHUNK_BYTES, TraceCounts } from '../src/trace/trace-chunk.ts';
import { createWriter, filesOf, messages, PATIENTLY, read, snapshot, writeMessages } from './live-traces.ts';
import { temporaryDirectory } from './recording.ts';

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

test('events larger than a chunk are written, also where chunks are reused', async () => {
  const { writer, recording } = createWriter();
  const trace = new TraceWriter(recording.trace(0, 0));
  const values = Array.from({ length: 12 }, (_, i) => new Uint8Array(i % 2 === 0 ? 3 * CHUNK_BYTES : 1000).fill(i));
  for (const value of values) {
    trace.writeOutcome(5, value);
    await trace.flush(false);
  }
  trace.end();
  await writer.flushTraces();
  expect(read(recording, 0, 0).events).toEqual(values.map((value) => ({ type: 'outcome', source: 5, value })));
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
    expect(otherMessages).toEqual([{ ...(stopped as object), emptyPhase: 1 }]);
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

  test.each([
    // Each has more than 40 000 bytes with its trace.
    { sizes: [40_000, 40_000, 40_000], kept: [3] },
    { sizes: [10_000, 10_000, 10_000], kept: [1, 2, 3] },
    // The last one leaves no room for any of the others.
    { sizes: [10_000, 10_000, 10_000, 55_000], kept: [4] },
  ])('counts the bytes of snapshots and traces: $sizes', async ({ sizes, kept }) => {
    const { recording, writer } = createWriter({ retention: { snapshots: { bytes: 60_000 } } });
    const trace = new TraceWriter(recording.trace(0, 1));
    for (const [index, size] of sizes.entries()) {
      trace.cut(index + 1);
      trace.writeOutcome(5, crypto.getRandomValues(new Uint8Array(size)));
      trace.commit();
      await writer.flushTraces();
      await snapshot(recording, index + 1, 100);
    }
    expect(
      openRecording(recording.directory)
        .snapshots()
        .map(({ phase }) => phase),
    ).toEqual(kept);
    expect(filesOf(recording).filter((name) => name !== segment(0))).toEqual(kept.map(segment));
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

  describe('when the segment of a phase cannot be written', () => {
    const AT = 1 << 20;

    /** Two traced workers of which the second may have no segment of the given phases. */
    async function recordedWithout(failing: readonly number[], phases: number, options: Partial<WriterOptions> = {}) {
      const counter = new SharedArrayBuffer(4);
      setFileFault({ kind: 'ENOSPC', at: AT, syscall: 'open', counter });
      onTestFinished(() => setFileFault(undefined));
      const { recording, writer } = createWriter({ retention: { snapshots: { count: 1 } }, ...options });
      const traces = [0, 2].map((worker) => new TraceWriter(recording.trace(worker, 1)));
      for (let phase = 1; phase <= phases; phase++) {
        for (const [index, trace] of traces.entries()) {
          const fails = index === 1 && failing.includes(phase);
          if (fails) Atomics.store(new Int32Array(counter), 0, AT - 1);
          trace.cut(phase);
          writeMessages(trace, phase * 1000, phase * 1000 + 10);
          await writer.flushTraces();
          if (fails) expect(Atomics.load(new Int32Array(counter), 0)).toBeGreaterThanOrEqual(AT);
        }
        await snapshot(recording, phase);
      }
      const { manifest } = openRecording(recording.directory);
      return { phases: openRecording(recording.directory).phases(), files: filesOf(recording), manifest };
    }

    const segments = (...phases: number[]): string[] =>
      phases.flatMap((phase) => [segment(phase), `000000000${phase}-2.1.ttt`]);

    test('keeps the last phase that can be replayed', async () => {
      const kept = await recordedWithout([2], 2);
      expect(kept).toMatchObject({ phases: [1, 2], files: [...segments(1), segment(2)] });
      expect(kept.manifest.firstPhase).toBe(1);
    });

    test('keeps the start of the program if nothing else can be replayed', async () => {
      const kept = await recordedWithout([1, 2, 3], 3);
      expect(kept).toMatchObject({ phases: [3], files: [...segments(0), segment(3)] });
      expect(kept.manifest.firstPhase).toBeUndefined();
    });

    test('keeps it until a later phase can be replayed', async () => {
      const kept = await recordedWithout([2, 3], 4);
      expect(kept).toMatchObject({ phases: [4], files: segments(4) });
      expect(kept.manifest.firstPhase).toBe(4);
    });
  });

  test('keeps the last phase that can be replayed when there is no room for the next', async () => {
    const { recording, writer } = createWriter({
      retention: { snapshots: { count: 1 } },
      maxPendingTraceBytes: 2 * CHUNK_BYTES,
    });
    const [main, other] = [0, 2].map((worker) => new TraceWriter(recording.trace(worker, 1)));
    if (main === undefined || other === undefined) throw new Error('two traces');
    await writer.flushTraces();
    main.cut(1);
    other.cut(1);
    await writer.flushTraces();
    await snapshot(recording, 1);
    expect(filesOf(recording)).toEqual([segment(0), '0000000000-2.1.ttt']);
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
