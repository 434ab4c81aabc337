// What a recording tells of its files, and copies of it.
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  areSameOutput,
  openRecording,
  OutputSums,
  sourceRequestText,
  STANDARD_ERROR,
  STANDARD_OUTPUT,
  TRACE_SOURCES,
  traceSourceName,
  type OutputSum,
  type Recording,
  type TraceEvent,
} from '@turntable/recording';
import { copyRecording, describePacked, packRecording, redactRecording } from '@turntable/recording/packed';
import { Redaction } from '@turntable/recording/redaction';
import { encodeManifest, type Manifest } from '../src/manifest.ts';
import { encodeProgress, encodeTraceBlock, FOLLOWS, MARK_BLOCK } from '../src/trace/trace-format.ts';
import { contents, createPack, makeRecording, MANIFEST } from './packed.ts';
import { temporaryDirectory } from './recording.ts';
import { encodeSnapshot } from './snapshots.ts';
import { encodeTrace, segmentOf, takeAll } from './traces.ts';

const event = (value: number): TraceEvent => ({ type: 'outcome', source: 5, value });
/** A recording without files, and functions that add some. */
function createRecording(manifest: Partial<Manifest> = {}): {
  recording: Recording;
  directory: string;
  addSnapshot(phase: number, parts: readonly (readonly [worker: number, name: string, content: string])[]): string;
  addSegment(phase: number, worker?: number, epoch?: number, bytes?: Uint8Array): string;
} {
  const directory = temporaryDirectory();
  for (const name of ['snapshots', 'traces', 'sources']) mkdirSync(join(directory, name));
  writeFileSync(join(directory, 'manifest.json'), encodeManifest({ ...MANIFEST, ...manifest }));
  const add = (name: string, bytes: Uint8Array): string => {
    writeFileSync(join(directory, name), bytes);
    return join(directory, name);
  };
  return {
    recording: openRecording(directory),
    directory,
    addSnapshot: (phase, parts) =>
      add(
        `snapshots/${String(phase).padStart(10, '0')}.tts`,
        encodeSnapshot(
          parts.map(([worker, name, content]) => ({ worker, name, bytes: Buffer.from(content) })),
          {},
          phase,
        ),
      ),
    addSegment: (phase, worker = 0, epoch = 0, bytes) =>
      add(
        `traces/${String(phase).padStart(10, '0')}-${worker}.${epoch}.ttt`,
        bytes ?? segmentOf([encodeTrace([event(phase)]).bytes], 'ended', { phase, worker, epoch, earlierLosses: 0 }),
      ),
  };
}

describe('a recording', () => {
  test('has the latest part of a worker up to a phase, in the newest snapshot that is whole', () => {
    const { recording, addSnapshot } = createRecording();
    for (const phase of [1, 2, 3, 4])
      addSnapshot(phase, [
        [0, 'a', `a of 0 in ${phase}`],
        [0, 'b', `b of 0 in ${phase}`],
        ...(phase < 3 ? [[1, 'a', `a of 1 in ${phase}`] as const] : []),
      ]);
    const damaged = addSnapshot(5, [[0, 'a', 'damaged']]);
    truncateSync(damaged, 60);
    const latest = (...args: [number, string, number]): unknown => {
      const found = recording.latestPart(...args);
      return found === undefined ? undefined : [found.phase, String(Buffer.from(found.bytes))];
    };
    expect(latest(0, 'a', 9)).toEqual([4, 'a of 0 in 4']);
    expect(latest(0, 'a', 4)).toEqual([4, 'a of 0 in 4']);
    expect(latest(0, 'b', 3)).toEqual([3, 'b of 0 in 3']);
    expect(latest(1, 'a', 9)).toEqual([2, 'a of 1 in 2']);
    expect(latest(1, 'a', 1)).toEqual([1, 'a of 1 in 1']);
    expect(latest(1, 'a', 0)).toBeUndefined();
    expect(latest(2, 'a', 9)).toBeUndefined();
    expect(recording.damagedSnapshots.map(({ phase }) => phase)).toContain(5);
  });

  test('names the files of its manifest that are missing or cut off', () => {
    const { directory, addSnapshot, addSegment } = createRecording();
    const [snapshot, segment] = [addSnapshot(1, [[0, 'a', 'a']]), addSegment(0)];
    const sizes = [snapshot, segment].map((file) => statSync(file).size);
    writeFileSync(
      join(directory, 'manifest.json'),
      encodeManifest({
        ...MANIFEST,
        files: [
          ['snapshots/0000000001.tts', sizes[0]!],
          ['traces/0000000000-0.0.ttt', sizes[1]!],
        ],
      }),
    );
    const recording = openRecording(directory);
    expect(recording.missingParts()).toEqual([]);
    appendFileSync(segment, 'more');
    expect(recording.missingParts()).toEqual([]);
    truncateSync(segment, sizes[1]! - 1);
    rmSync(snapshot);
    expect(recording.missingParts()).toEqual([
      'snapshots/0000000001.tts is missing',
      `traces/0000000000-0.0.ttt is cut off: it has ${sizes[1]! - 1} of ${sizes[1]} bytes`,
    ]);
  });

  test('names its start if that is missing, unless it has none', () => {
    const missingParts = (manifest: Partial<Manifest>, phases: readonly number[], worker = 0): string[] => {
      const { recording, addSegment } = createRecording(manifest);
      for (const phase of phases) addSegment(phase, worker, 3);
      return recording.missingParts();
    };
    const restoredFrom = { recording: 'another', phase: 2 } as unknown as Manifest['restoredFrom'];
    expect(missingParts({}, [4])).toEqual(['traces/0000000000-0.3.ttt is missing']);
    expect(missingParts({ firstPhase: 2 }, [4])).toEqual(['traces/0000000002-0.3.ttt is missing']);
    expect(missingParts({ firstPhase: 4 }, [4, 5])).toEqual([]);
    expect(missingParts({}, [0, 4])).toEqual([]);
    expect(missingParts({}, [])).toEqual([]);
    expect(missingParts({}, [4], 1)).toEqual([]);
    expect(missingParts({ firstPhase: null }, [4])).toEqual([]);
    expect(missingParts({ restoredFrom }, [4])).toEqual([]);
  });

  test('has traces by worker and epoch, with their sizes', () => {
    const { recording, addSegment } = createRecording();
    const files = [
      addSegment(7, 1, 0),
      addSegment(0, 1, 1),
      addSegment(0, 1, 0),
      addSegment(0, 0, 0),
      addSegment(3, 10, 0),
    ];
    const sizes = files.map((file) => statSync(file).size);
    expect(recording.traces().map((each) => ({ ...each, bytes: each.bytes }))).toEqual([
      { worker: 0, epoch: 0, phases: [0], bytes: sizes[3] },
      { worker: 1, epoch: 0, phases: [0, 7], bytes: sizes[0]! + sizes[2]! },
      { worker: 1, epoch: 1, phases: [0], bytes: sizes[1] },
      { worker: 10, epoch: 0, phases: [3], bytes: sizes[4] },
    ]);
    const [first] = recording.traces();
    rmSync(files[3]!);
    expect(first?.bytes).toBe(0);
  });

  test('opens the trace of a worker, an epoch and a phase, and names the available ones', () => {
    const { recording, addSegment } = createRecording();
    for (const [phase, worker, epoch] of [
      [2, 1, 0],
      [7, 1, 0],
      [3, 1, 1],
    ] as const)
      addSegment(phase, worker, epoch);
    const first = (...args: Parameters<Recording['trace']>): unknown => {
      const trace = recording.trace(...args);
      const events = takeAll(trace);
      trace.close();
      return events;
    };
    expect(first(1, 0)).toEqual([event(2)]);
    expect(first(1, 0, 7)).toEqual([event(7)]);
    expect(first(1, 1)).toEqual([event(3)]);
    expect(() => recording.trace(1, 0, 3)).toThrow(
      /worker 1 has no trace of epoch 0 from phase 3 on.*available phases: 2, 7/,
    );
    expect(() => recording.trace(1, 2)).toThrow(
      /worker 1 has no trace of epoch 2; it was not recorded, or retention has deleted it/,
    );
    expect(() => recording.traceAfterCut(0, 0, 1)).toThrow(/worker 0 has no trace of epoch 0/);
    expect(() => recording.traceAfterCut(1, 0, 1)).toThrow(/from phase 1 on/);
    const cut = recording.traceAfterCut(1, 0, 7);
    expect(takeAll(cut)).toEqual([event(7)]);
    cut.close();
  });

  test('knows whether a trace has an end', () => {
    const { recording, addSegment } = createRecording();
    const segment = { worker: 1, epoch: 0, earlierLosses: 0 };
    addSegment(0, 1, 0, segmentOf([], 5, { ...segment, phase: 0 }));
    expect(recording.isTraceComplete({ worker: 1, epoch: 0, phases: [0] })).toBe(false);
    addSegment(5, 1, 0, segmentOf([], 'ended', { ...segment, phase: 5 }));
    expect(recording.isTraceComplete({ worker: 1, epoch: 0, phases: [0, 5] })).toBe(true);
    expect(recording.isTraceComplete({ worker: 1, epoch: 0, phases: [5, 0] })).toBe(false);
    expect(recording.isTraceComplete({ worker: 1, epoch: 1, phases: [5] })).toBe(false);
    expect(recording.isTraceComplete({ worker: 1, epoch: 0, phases: [] })).toBe(false);
  });

  test('is not sealed if it was written without a key', () => {
    const { recording, addSnapshot, addSegment } = createRecording();
    expect(recording.isSealed).toBe(false);
    addSnapshot(1, [[0, 'a', 'a']]);
    expect(recording.isSealed).toBe(false);
    addSegment(0);
    expect(recording.isSealed).toBe(false);
  });

  test('has the snapshots that can be read', () => {
    const { recording, directory, addSnapshot } = createRecording();
    const file = addSnapshot(1, [
      [0, 'a', 'abc'],
      [2, 'b', 'de'],
    ]);
    expect(recording.snapshots()).toEqual([
      { phase: 1, time: expect.any(Number), bytes: statSync(file).size, length: 5, workers: [0, 2] },
    ]);
    expect([recording.isIntact(1), recording.isIntact(2)]).toEqual([true, false]);
    expect(recording.damagedSnapshots).toEqual([]);
    cpSync(file, join(directory, 'snapshots/0000000009.tts'));
    expect(recording.snapshots().map(({ phase }) => phase)).toEqual([1]);
    expect(() => recording.readSnapshot(9)).toThrow('contains snapshot 1; give the file its original name');
    expect(recording.latest()?.phase).toBe(1);
    rmSync(file);
    expect(recording.latest()).toBeUndefined();
    expect(recording.damagedSnapshots.map(({ phase }) => phase)).toEqual([9]);
  });
});

describe('a copy', () => {
  test('has all files of a recording as they were', () => {
    const original = makeRecording(temporaryDirectory());
    const target = temporaryDirectory();
    copyRecording(original, target);
    expect(contents(target)).toEqual(contents(original));
    const inodeOf = (directory: string, name: string): number => statSync(join(directory, name)).ino;
    const { traces, others } = Object.groupBy(Object.keys(contents(original)), (name) =>
      name.startsWith('traces/') ? 'traces' : 'others',
    );
    // A trace may still grow, so its copy must be a file of its own.
    for (const name of traces ?? []) expect(inodeOf(target, name)).not.toBe(inodeOf(original, name));
    for (const name of (others ?? []).filter((each) => each !== 'manifest.json'))
      expect(inodeOf(target, name)).toBe(inodeOf(original, name));
    for (const name of ['sources', 'snapshots', 'traces'])
      expect(statSync(join(target, name)).mode & 0o777).toBe(0o700);
    expect(statSync(join(target, 'manifest.json')).mode & 0o777).toBe(0o600);
    expect(() => copyRecording(original, target)).toThrow('EEXIST');
  });

  test.runIf(statSync('/dev/shm', { throwIfNoEntry: false })?.dev !== undefined)(
    'is made where links are impossible, too',
    () => {
      const original = makeRecording(temporaryDirectory());
      const target = `/dev/shm/turntable-copy-${process.pid}`;
      mkdirSync(target);
      try {
        copyRecording(original, target);
        expect(contents(target)).toEqual(contents(original));
      } finally {
        rmSync(target, { recursive: true });
      }
    },
  );
});

test('a packed recording is described by its start', async () => {
  const { directory, addSnapshot, addSegment } = createRecording({ notes: { a: 1 } });
  for (const phase of [7, 3]) addSnapshot(phase, [[0, 'a', 'a']]);
  for (const [phase, worker] of [
    [3, 0],
    [0, 0],
    [3, 1],
  ] as const)
    addSegment(phase, worker);
  const file = join(temporaryDirectory(), 'a.ttr');
  await packRecording(directory, file);
  expect(describePacked(file)).toEqual({
    manifest: openRecording(directory).manifest,
    isUnverified: false,
    snapshots: [3, 7],
    traces: [0, 3],
  });
  // Nothing behind the manifest is read.
  truncateSync(file, statSync(file).size - 40);
  expect(describePacked(file).snapshots).toEqual([3, 7]);
  writeFileSync(file, createPack([]));
  expect(() => describePacked(file)).toThrow('expected a manifest');
});

describe('a redacted copy', () => {
  const segment = { phase: 0, worker: 0, epoch: 0, earlierLosses: 0 };
  const redactedTrace = (bytes: Uint8Array): Uint8Array => {
    const { directory, addSegment } = createRecording();
    addSegment(0, 0, 0, bytes);
    const target = join(temporaryDirectory(), 'redacted');
    redactRecording(openRecording(directory), target, new Redaction(['token']));
    return readFileSync(
      join(
        target,
        readdirSync(target, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.ttt'))!,
      ),
    );
  };

  test('has every event that has no secret', () => {
    const events: TraceEvent[] = [
      { type: 'messages', round: 1, turns: 2, worker: 3, count: 4 },
      { type: 'scheduler', round: 5, turns: 6, kind: 'class', key: 'a key', value: [1] },
      { type: 'entry', round: 7, step: 8, source: TRACE_SOURCES.timer, id: 9, value: 'a value' },
      { type: 'entry', round: 7, step: 10, source: TRACE_SOURCES.device, id: -3, value: undefined },
      { type: 'outcome', source: 5, value: new Uint8Array(600_000).map((_, i) => i % 7) },
      { type: 'outcome', source: 5, value: { a: new Uint8Array(300_000), b: 'b' } },
      { type: 'messages', round: 70, turns: 80, worker: 3, count: 1 },
    ];
    const pieces = Array.from({ length: 4 }, (_, i) => encodeTrace(events).bytes.slice(i * 250_000, (i + 1) * 250_000));
    const { recording, addSegment } = createRecording();
    addSegment(0, 0, 0, redactedTrace(segmentOf(pieces, 'ended', segment)));
    const trace = recording.trace(0, 0);
    expect(takeAll(trace)).toEqual(events);
    expect(trace.end.reason).toBe('ended');
    trace.close();
  });

  test.each([undefined, FOLLOWS.loss, FOLLOWS.outOfMemory])(
    'is cut off like the original (%j), with its progress',
    (follows) => {
      for (const progress of [0, 1, 127, 128, 300, 2 ** 33, 2 ** 40 + 5]) {
        const events = Buffer.concat([encodeTrace([event(1)]).bytes, encodeProgress(progress)]);
        const mark = Buffer.alloc(9);
        if (follows !== undefined) mark.writeUInt8(follows, 0);
        const original = Buffer.concat([
          segmentOf([events], undefined, segment),
          ...(follows === undefined ? [] : encodeTraceBlock(MARK_BLOCK, mark, events.length, 1)),
        ]);
        const described = (bytes: Uint8Array): unknown => {
          const { recording, addSegment } = createRecording();
          addSegment(0, 0, 0, bytes);
          const trace = recording.trace(0, 0);
          const all = takeAll(trace);
          trace.close();
          return { all, end: trace.end.reason, loss: trace.loss, progress: trace.progress };
        };
        const found = described(redactedTrace(original));
        expect(found).toEqual(described(original));
        expect(found).toMatchObject({ progress, loss: [undefined, undefined, 'lost', 'out of memory'][follows ?? 0] });
      }
    },
  );
});

describe('sums of output', () => {
  const sumsOf = (
    ...parts: readonly (readonly [stream: number, output: string | Uint8Array])[]
  ): readonly OutputSum[] => {
    const sums = new OutputSums();
    for (const part of parts) sums.add(...part);
    expect(sums.isEmpty).toBe(parts.every(([, output]) => output.length === 0));
    return sums.take();
  };

  test('are those of the bytes of each stream, however they were printed', () => {
    const whole = sumsOf([STANDARD_OUTPUT, 'aübc'], [STANDARD_ERROR, 'x']);
    expect(whole).toEqual([
      { stream: 1, bytes: 5, checksum: expect.any(Number) },
      { stream: 2, bytes: 1, checksum: expect.any(Number) },
    ]);
    const inParts = sumsOf(
      [STANDARD_OUTPUT, 'a'],
      [STANDARD_ERROR, Buffer.from('x')],
      [STANDARD_OUTPUT, Buffer.from('üb')],
      [STANDARD_ERROR, ''],
      [STANDARD_OUTPUT, 'c'],
    );
    expect(inParts).toEqual(whole);
    const otherOrder = sumsOf([STANDARD_ERROR, 'x'], [STANDARD_OUTPUT, 'aübc']);
    expect(areSameOutput(otherOrder, whole)).toBe(true);
  });

  test('differ if a stream, its length or its bytes differ', () => {
    const sums = [
      sumsOf(),
      sumsOf([1, 'ab']),
      sumsOf([2, 'ab']),
      sumsOf([1, 'ba']),
      sumsOf([1, 'abc']),
      sumsOf([1, 'ab'], [2, 'ab']),
      [{ ...sumsOf([1, 'ab'])[0]!, bytes: 3 }],
    ];
    for (const [i, a] of sums.entries())
      for (const [j, b] of sums.entries()) expect(areSameOutput(a, b), `${i} ${j}`).toBe(i === j);
  });

  test('start again when they are taken', () => {
    const sums = new OutputSums();
    sums.add(1, 'a');
    const first = sums.take();
    expect([sums.isEmpty, sums.take()]).toEqual([true, []]);
    sums.add(1, 'a');
    expect(sums.take()).toEqual(first);
    expect(first).toHaveLength(1);
  });
});

test('sources have names in texts, also those of later versions', () => {
  expect(traceSourceName(TRACE_SOURCES.date)).toBe('date');
  expect(traceSourceName(999)).toBe('source 999');
  expect(sourceRequestText(TRACE_SOURCES.date)).toBe('reads date');
  expect(sourceRequestText(TRACE_SOURCES.device)).toBe('uses device');
});
