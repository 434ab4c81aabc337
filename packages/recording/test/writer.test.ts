// The writer and its thread, with real files: writes, deletions, and no waiting.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MessageChannel, Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  Feed,
  listRecordings,
  openRecording,
  startWriter,
  TraceWriter,
  type LiveRecording,
  type RecordingError,
  type SnapshotKey,
  type Writer,
  type WriterOptions,
} from '@turntable/recording';
import { WriterState } from '../src/feed.ts';
import { encodeManifest } from '../src/manifest.ts';
import { ChunkPool } from '../src/trace/chunk-pool.ts';
import type { WriterNotification, WriterRequest, WriterThreadData } from '../src/writer-messages.ts';
import { WriterThread } from '../src/writer-thread.ts';
import { contentOf } from './fixtures/content.mts';
import { writeMessages } from './live-traces.ts';
import { filesIn, manifestOf, openSnapshot, temporaryDirectory } from './recording.ts';

/** Tests do not depend on the speed of the machine. */
const PATIENTLY = { timeout: 60_000 };

interface WriterWorld {
  readonly recordings: string;
  readonly writer: Writer;
  readonly recording: LiveRecording;
  readonly troubles: RecordingError[];
}

function createWriter(options: Partial<WriterOptions> = {}): WriterWorld {
  const recordings = options.recordings ?? join(temporaryDirectory(), 'recordings');
  const troubles: RecordingError[] = [];
  const writer = startWriter({ recordings, onError: (error) => troubles.push(error), ...options });
  onTestFinished(async () => {
    await writer.close();
  });
  return { recordings, writer, recording: writer.create(manifestOf()), troubles };
}

async function writeSnapshot(recording: LiveRecording, phase: number, length = 1000): Promise<number | undefined> {
  const snapshot = openSnapshot(recording, phase, { phase });
  snapshot.add(0, 'heap', contentOf(phase, 0, length));
  return (await snapshot.commit())?.bytes;
}

const creationRequest = (): Extract<WriterRequest, { type: 'create' }> => ({
  type: 'create',
  recording: 1,
  name: 'one',
  manifest: manifestOf(),
  counts: new SharedArrayBuffer(16),
  isLater: false,
});

/** @param queuedRequests messages of the parent that the thread has not received yet */
function createWriterThread(
  state: WriterState,
  notify: (message: WriterNotification) => void,
  queuedRequests: WriterRequest[] = [],
): WriterThread {
  const data: WriterThreadData = {
    recordings: temporaryDirectory(),
    snapshotRetention: {},
    recordingRetention: {},
    level: undefined,
    processStart: performance.timeOrigin,
    state: state.memory,
    key: undefined,
    services: [],
    fault: undefined,
  };
  const thread: WriterThread = new WriterThread(data, notify, () => {
    for (const message of queuedRequests.splice(0)) thread.receive(message);
  });
  onTestFinished(() => thread.receive({ type: 'close' }));
  return thread;
}

const phasesOf = (directory: string): number[] =>
  openRecording(directory)
    .snapshots()
    .map(({ phase }) => phase);

describe('a snapshot', () => {
  test('has all its parts on the disk when its commit resolves', async () => {
    const { recording } = createWriter();
    const snapshot = openSnapshot(recording, 1, { trigger: 'api', turns: 12 });
    const [one, two] = [contentOf(1, 0, 700_000), contentOf(1, 1, 10)];
    snapshot.add(0, 'heap', one.slice(0, 300_000));
    snapshot.add(1, 'heap', two.slice());
    snapshot.add(0, 'heap', one.slice(300_000));
    snapshot.add(0, 'queue', new Uint8Array());
    const written = await snapshot.commit();
    expect(written).toMatchObject({ phase: 1, length: 700_010 });
    expect(statSync(written!.file).size).toBe(written!.bytes);
    const latest = openRecording(recording.directory).latest()!;
    expect(latest.meta).toEqual({ trigger: 'api', turns: 12 });
    expect(latest.workers).toEqual([0, 1]);
    expect(Buffer.from(latest.part(0, 'heap').read()).equals(one)).toBe(true);
    expect(Buffer.from(latest.part(1, 'heap').read()).equals(two)).toBe(true);
    expect(latest.part(0, 'queue').read()).toHaveLength(0);
    latest.close();
  });

  test('transfers buffers, and copies only those with other content', async () => {
    const { recording } = createWriter();
    const snapshot = openSnapshot(recording, 1);
    const whole = new Uint8Array([1, 2, 3]);
    const pooled = Buffer.from('a part of the pool');
    const shared = new Uint8Array(new SharedArrayBuffer(2));
    snapshot.add(0, 'a', whole);
    snapshot.add(0, 'b', pooled);
    snapshot.add(0, 'c', shared);
    expect(whole).toHaveLength(0);
    expect(pooled.toString()).toBe('a part of the pool');
    await snapshot.commit();
    const latest = openRecording(recording.directory).latest()!;
    expect(latest.parts.map((part) => part.read().join())).toEqual(['1,2,3', pooled.join(), '0,0']);
    latest.close();
  });

  test('of several threads is complete after all their chunks, before or after its commit', async () => {
    const { writer, recording } = createWriter();
    const keys = [1, 2, 3].map((phase) => ({ recording: 1, phase }));
    const counts = [1, 2].map(async (worker) => {
      const handle = writer.createFeed();
      const thread = new Worker(new URL('./fixtures/feeder.mts', import.meta.url), {
        workerData: { handle, worker, chunks: 200, keys },
        transferList: [handle.port],
        execArgv: ['-C', 'turntable-source'],
      });
      const [{ chunks }] = (await once(thread, 'message')) as [{ chunks: number }];
      return chunks;
    });
    // The first one is committed while chunks arrive.
    const early = openSnapshot(recording, 1).commit(400);
    const [one, two] = (await Promise.all(counts)) as [number, number];
    const late = [2, 3].map((phase) => openSnapshot(recording, phase).commit(one + two));
    for (const written of await Promise.all([early, ...late])) expect(written?.length).toBe(400_000);
    const latest = openRecording(recording.directory).latest()!;
    const expected = Buffer.concat(Array.from({ length: 200 }, (_, i) => Buffer.alloc(1000, i)));
    for (const worker of [1, 2]) expect(Buffer.from(latest.part(worker, 'heap').read()).equals(expected)).toBe(true);
    latest.close();
    expect(writer.pending).toBe(0);
  });

  test('accepts chunks of a thread before the writer knows the recording', async () => {
    const notifications: WriterNotification[] = [];
    // Messages of two ports have no order, and Node decides which is read first. So this test uses no threads.
    const thread = createWriterThread(new WriterState(), (message) => notifications.push(message), [creationRequest()]);
    thread.receive({ type: 'add', recording: 1, phase: 1, worker: 0, name: 'heap', bytes: new Uint8Array(10) });
    thread.receive({ type: 'commit', recording: 1, phase: 1, chunks: 1, meta: {} });
    await vi.waitFor(
      () => expect(notifications).toMatchObject([{ type: 'snapshot-settled', phase: 1, written: { length: 10 } }]),
      PATIENTLY,
    );
  });

  test('whose last chunk follows its commit is not pending when it is reported as written', async () => {
    const state = new WriterState();
    const pending: number[] = [];
    const thread = createWriterThread(state, () => pending.push(state.pending));
    thread.receive(creationRequest());
    for (const [phase, isLate] of [true, false].entries()) {
      const chunk = (): void => {
        state.addPending(10);
        thread.receive({ type: 'add', recording: 1, phase, worker: 0, name: 'heap', bytes: new Uint8Array(10) });
      };
      if (!isLate) chunk();
      thread.receive({ type: 'commit', recording: 1, phase, chunks: 1, meta: {} });
      if (isLate) chunk();
    }
    await vi.waitFor(() => expect(pending).toEqual([0, 0]), PATIENTLY);
  });

  test('is written if its commit precedes the end of the recording', async () => {
    const { recording } = createWriter();
    const snapshot = openSnapshot(recording, 1);
    snapshot.add(0, 'heap', contentOf(1, 0, 1000));
    const committed = snapshot.commit();
    recording.end();
    expect(await committed).toMatchObject({ phase: 1 });
    expect(phasesOf(recording.directory)).toEqual([1]);
    await vi.waitUntil(() => openRecording(recording.directory).manifest.ended !== null, PATIENTLY);
  });

  test('leaves nothing when abandoned, even if more is added', async () => {
    const { recording, writer } = createWriter();
    const snapshot = openSnapshot(recording, 1);
    snapshot.add(0, 'heap', contentOf(1, 0, 600_000));
    recording.abandon(1);
    snapshot.add(0, 'heap', contentOf(1, 0, 600_000));
    expect(await snapshot.commit()).toBeUndefined();
    expect(await writeSnapshot(recording, 2)).toBeDefined();
    expect(filesIn(join(recording.directory, 'snapshots'))).toEqual(['0000000002.tts']);
    expect(writer.pending).toBe(0);
  });

  test('with chunks of a feed can be abandoned, and later chunks are dropped', async () => {
    const { writer, recording } = createWriter();
    const feed = new Feed(writer.createFeed());
    const key = (phase: number): SnapshotKey => ({ recording: recording.number, phase });
    feed.add(key(1), 0, 'heap', contentOf(1, 0, 1000));
    feed.add(key(2), 0, 'heap', contentOf(2, 0, 1000));
    recording.abandon(1);
    await expect(openSnapshot(recording, 2).commit(1)).resolves.toMatchObject({ phase: 2 });
    feed.add(key(1), 0, 'heap', contentOf(1, 0, 1000));
    feed.add(key(3), 0, 'heap', contentOf(3, 0, 1000));
    await openSnapshot(recording, 3).commit(1);
    expect(filesIn(join(recording.directory, 'snapshots'))).toEqual(['0000000002.tts', '0000000003.tts']);
    feed.close();
  });

  test('that waits for chunks settles when it is abandoned', async () => {
    const { recording } = createWriter();
    const snapshot = openSnapshot(recording, 1);
    const committed = snapshot.commit(5);
    recording.abandon(1);
    expect(await committed).toBeUndefined();
  });

  test('must have a phase above the previous ones', () => {
    const { recording } = createWriter();
    void openSnapshot(recording, 3).commit();
    for (const phase of [3, 2, -1, 4.5])
      expect(() => openSnapshot(recording, phase).commit()).toThrow(`snapshot ${phase} cannot follow snapshot 3`);
  });

  test('can be open at the same time as others, in any order of commits', async () => {
    const { writer, recording } = createWriter();
    const [one, two] = [openSnapshot(recording, 1), openSnapshot(recording, 2)];
    one.add(0, 'heap', contentOf(1, 0, 10));
    two.add(0, 'heap', contentOf(2, 0, 20));
    const late = one.commit(1);
    expect((await two.commit())?.length).toBe(20);
    const feed = new Feed(writer.createFeed());
    feed.add({ recording: recording.number, phase: 1 }, 1, 'heap', contentOf(1, 1, 5));
    expect((await late)?.length).toBe(15);
    feed.close();
    expect(phasesOf(recording.directory)).toEqual([1, 2]);
  });
});

describe('the manifest and the sources', () => {
  test('are on the disk before the snapshots that need them', async () => {
    const { recording } = createWriter();
    recording.addModule('file:///a.ts', 'export const a = 1;');
    recording.addModule('file:///a.ts', 'export const a = 1;');
    recording.addModule('file:///same.ts', 'export const a = 1;');
    recording.addModule('file:///a.ts', 'export const a = "é \u{1f600}";');
    recording.update({ workers: 5, notes: { life: 2 } });
    await writeSnapshot(recording, 1);
    const read = openRecording(recording.directory);
    expect(read.manifest).toMatchObject({ workers: 5, notes: { life: 2 }, ended: null });
    expect(read.manifest.modules.map(({ url, sha256 }) => [url, read.source(sha256)])).toEqual([
      ['file:///a.ts', 'export const a = 1;'],
      ['file:///same.ts', 'export const a = 1;'],
      ['file:///a.ts', 'export const a = "é \u{1f600}";'],
    ]);
    expect(filesIn(join(recording.directory, 'sources'))).toHaveLength(2);
  });

  test('are accessible to their owner only', async () => {
    const { recording } = createWriter();
    recording.addModule('file:///a.ts', 'a');
    await writeSnapshot(recording, 1);
    for (const name of filesIn(recording.directory)) {
      const stat = statSync(join(recording.directory, name));
      expect((stat.mode & 0o777).toString(8), name).toBe(stat.isDirectory() ? '700' : '600');
    }
  });

  test('refuse a source that does not match its digest', async () => {
    const { recording } = createWriter();
    recording.addModule('file:///a.ts', 'a');
    await writeSnapshot(recording, 1);
    const read = openRecording(recording.directory);
    const { sha256 } = read.manifest.modules[0]!;
    const file = join(recording.directory, 'sources', `${sha256}.zst`);
    const bytes = readFileSync(file);
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 0x10;
      writeFileSync(file, flipped);
      // Different bytes of a frame's head may have the same meaning.
      let found = 'a';
      try {
        found = read.source(sha256);
      } catch (error) {
        expect((error as RecordingError).code).toBe('TT_RECORDING');
      }
      expect(found).toBe('a');
    }
    expect(() => read.source('ab'.repeat(32))).toThrow('there is no such file');
    expect(() => read.source('../manifest.json')).toThrow('is not a SHA-256 digest');
  });
});

describe('the writer', () => {
  test('counts pending bytes down to zero', async () => {
    const { recording, writer } = createWriter();
    const snapshot = openSnapshot(recording, 1);
    expect(writer.pending).toBe(0);
    snapshot.add(0, 'heap', new Uint8Array(5_000_000));
    expect(writer.pending).toBe(5_000_000);
    await snapshot.commit();
    expect(writer.pending).toBe(0);
  });

  test('writes committed snapshots before it closes, and marks the end in the manifest', async () => {
    const { recording, writer } = createWriter();
    const outcomes = [1, 2, 3].map((phase) => writeSnapshot(recording, phase, 3_000_000));
    const open = openSnapshot(recording, 4);
    open.add(0, 'heap', contentOf(4, 0, 1_000_000));
    expect(await writer.close()).toBe(true);
    for (const bytes of await Promise.all(outcomes)) expect(bytes).toBeGreaterThan(3_000_000);
    expect(filesIn(join(recording.directory, 'snapshots'))).toEqual([1, 2, 3].map((phase) => `000000000${phase}.tts`));
    expect(openRecording(recording.directory).manifest.ended).not.toBeNull();
    expect(await open.commit()).toBeUndefined();
    expect(await writeSnapshot(recording, 5)).toBeUndefined();
  });

  test('closes within the deadline', async () => {
    const { recording, writer } = createWriter();
    const committed = openSnapshot(recording, 1).commit(1);
    expect(await writer.close({ deadline: 1 })).toBe(false);
    expect(await committed).toBeUndefined();
  });

  test('finishes requested snapshots when the process ends', async () => {
    const directory = temporaryDirectory();
    const main = `const { startWriter, describeProcess } = await import('@turntable/recording');
      const writer = startWriter({ recordings: ${JSON.stringify(directory)} });
      const recording = writer.create(describeProcess({ turntable: '0', workers: 1 }));
      recording.add(1, 0, 'heap', new Uint8Array(10_000_000));
      void recording.commitSnapshot(1, {}, 1);
      process.on('exit', () => console.log(writer.closeSync({ deadline: 30_000 }), writer.closeSync(), writer.pending));`;
    const child = spawn(process.execPath, ['-C', 'turntable-source', '--input-type=module', '-e', main], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await text(child.stdout)).toBe('true true 0\n');
    const [entry] = listRecordings(directory);
    const recording = openRecording(entry!.directory);
    expect(recording.manifest.ended).not.toBeNull();
    expect(recording.snapshots()).toMatchObject([{ phase: 1, length: 10_000_000 }]);
  });

  test.each([
    { kind: 'ENOSPC', deadline: 30_000, message: 'ENOSPC: injected, write; it can be replayed up to here' },
    { kind: 'hang', deadline: 50, message: 'could not be written within 50 ms of the end of the process' },
  ])('says on standard error when its last writes fail: $kind', async ({ kind, deadline, message }) => {
    const main = `const { startWriter, describeProcess, TraceWriter } = await import('@turntable/recording');
      const { setFileFault } = await import('./src/file-operations.ts');
      const counter = new SharedArrayBuffer(4);
      setFileFault({ kind: '${kind}', syscall: 'write', at: 1000, count: Infinity, counter });
      const writer = startWriter({ recordings: ${JSON.stringify(temporaryDirectory())} });
      const recording = writer.create(describeProcess({ turntable: '0', workers: 1 }));
      const trace = new TraceWriter(recording.trace(0, 0));
      await writer.flushTraces();
      process.on('exit', () => {
        new Int32Array(counter)[0] = 1000;
        trace.writeMessages(1, 1, 0, 1);
        trace.end();
        recording.end();
        console.log(writer.closeSync({ deadline: ${deadline} }));
      });`;
    const child = spawn(process.execPath, ['-C', 'turntable-source', '--input-type=module', '-e', main], {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stdout).toBe('false\n');
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(message)]);
    expect(stderr).toContain('[TT_RECORDING_WRITE] RecordingError: ');
  });

  test('blocks a thread with a new module only once while it makes no progress', () => {
    const state = new WriterState();
    state.addSentModule();
    expect(state.waitForModules(1)).toBe(false);
    expect(state.waitForModules(Infinity)).toBe(false);
    state.addWrittenModule();
    expect(state.waitForModules(Infinity)).toBe(true);
  });

  test('does not keep the process alive or load program code into its thread', async () => {
    const directory = temporaryDirectory();
    const preload = join(directory, 'preload.mjs');
    writeFileSync(preload, 'import { threadId } from "node:worker_threads"; console.log("loaded into", threadId);');
    const main = `const { startWriter, describeProcess } = await import('@turntable/recording');
      const writer = startWriter({ recordings: ${JSON.stringify(join(directory, 'recordings'))} });
      const recording = writer.create(describeProcess({ turntable: '0', workers: 1 }));
      recording.add(1, 0, 'heap', new Uint8Array(10));
      if (process.argv[1] === 'commit') console.log((await recording.commitSnapshot(2, {}, 0)).phase);`;
    const run = async (...args: string[]): Promise<string> => {
      const flags = ['-C', 'turntable-source', '--import', preload, '--input-type=module', '-e', main, '--', ...args];
      const child = spawn(process.execPath, flags, {
        cwd: import.meta.dirname,
        env: { ...process.env, NODE_OPTIONS: `--import=${preload}` },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return text(child.stdout);
    };
    expect(await run()).toBe('loaded into 0\n');
    expect(await run('commit')).toBe('loaded into 0\n2\n');
  });

  test('refuses invalid retention rules', () => {
    expect(() => startWriter({ recordings: 'x', retention: { snapshots: { count: -1 } } })).toThrow(
      'retention.snapshots.count must be a number that is not negative, not -1',
    );
  });
});

describe('retention', () => {
  test('deletes the oldest snapshots of a recording by count', async () => {
    const { recording } = createWriter({ retention: { snapshots: { count: 2 } } });
    for (const phase of [1, 2, 3, 4]) await writeSnapshot(recording, phase);
    expect(phasesOf(recording.directory)).toEqual([3, 4]);
  });

  test('deletes snapshots by size, but never the last one', async () => {
    const { recording } = createWriter({ retention: { snapshots: { bytes: 250_000 } } });
    for (const phase of [1, 2, 3]) await writeSnapshot(recording, phase, 100_000);
    expect(phasesOf(recording.directory)).toEqual([2, 3]);
    await writeSnapshot(recording, 4, 1_000_000);
    expect(phasesOf(recording.directory)).toEqual([4]);
  });

  test('deletes snapshots by age', async () => {
    const { recording } = createWriter({ retention: { snapshots: { age: 60_000 } } });
    for (const phase of [1, 2]) await writeSnapshot(recording, phase);
    const before = Date.now() / 1000 - 120;
    utimesSync(join(recording.directory, 'snapshots/0000000001.tts'), before, before);
    await writeSnapshot(recording, 3);
    expect(phasesOf(recording.directory)).toEqual([2, 3]);
  });

  test('keeps an open snapshot readable', async () => {
    const { recording } = createWriter({ retention: { snapshots: { count: 1 } } });
    await writeSnapshot(recording, 1, 500_000);
    const first = openRecording(recording.directory).readSnapshot(1);
    await writeSnapshot(recording, 2);
    expect(phasesOf(recording.directory)).toEqual([2]);
    expect(Buffer.from(first.part(0, 'heap').read()).equals(contentOf(1, 0, 500_000))).toBe(true);
    first.close();
  });

  test('deletes the oldest recordings once the new one has a snapshot', async () => {
    const recordings = join(temporaryDirectory(), 'recordings');
    const old: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { recording, writer } = createWriter({ recordings });
      await writeSnapshot(recording, 1);
      await writer.close();
      old.push(recording.directory);
    }
    const { recording } = createWriter({ recordings, retention: { recordings: { count: 2 } } });
    const snapshot = openSnapshot(recording, 1);
    recording.abandon(1);
    expect(await snapshot.commit()).toBeUndefined();
    expect(old.map((directory) => existsSync(directory))).toEqual([true, true, true]);
    await writeSnapshot(recording, 2);
    expect(listRecordings(recordings).map(({ directory }) => directory)).toEqual([old[2], recording.directory]);
  });

  test('keeps possibly active recordings and foreign directories', async () => {
    const recordings = join(temporaryDirectory(), 'recordings');
    const other = createWriter({ recordings });
    await writeSnapshot(other.recording, 1);
    mkdirSync(join(recordings, '20200101T000000.000Z-1'));
    mkdirSync(join(recordings, 'mine'));
    const { recording } = createWriter({ recordings, retention: { recordings: { count: 1, bytes: 1, age: 0 } } });
    await writeSnapshot(recording, 1);
    expect(filesIn(recordings).filter((name) => !name.includes('/'))).toHaveLength(4);
    expect(await writeSnapshot(other.recording, 2)).toBeDefined();
  });

  test.each([
    ['of this machine whose process is gone', { pid: 2 ** 22 + 1 }, 0, true],
    ['of this machine and number, from before this process', { created: '2001-01-01T00:00:00.000Z' }, 0, true],
    ['of this machine whose process exists', { pid: process.ppid }, 1e6, false],
    ['of another machine, untouched for hours', { host: 'elsewhere' }, 2 * 60 * 60, true],
    ['of another machine, touched a while ago', { host: 'elsewhere' }, 50 * 60, false],
    ['that has ended', { ended: '2001-01-01T00:00:00.000Z' }, 0, true],
  ])('detects whether a recording has ended, and cleans up only then: %s', async (_, changes, seconds, isRemoved) => {
    const { recordings, recording, writer } = createWriter();
    await writeSnapshot(recording, 1);
    await writer.close();
    const file = join(recording.directory, 'manifest.json');
    const manifest = { ...openRecording(recording.directory).manifest, ended: null, ...changes };
    writeFileSync(file, encodeManifest(manifest));
    const touched = Date.now() / 1000 - seconds;
    utimesSync(file, touched, touched);
    const leftovers = ['snapshots/.0000000002.tts.tmp', '.manifest.json.tmp', `sources/${'ab'.repeat(32)}.zst`];
    for (const name of leftovers) writeFileSync(join(recording.directory, name), '');
    const next = createWriter({ recordings, retention: { recordings: { count: 1 } } });
    await next.writer.close();
    expect(leftovers.filter((name) => existsSync(join(recording.directory, name)))).toEqual(isRemoved ? [] : leftovers);
    const last = createWriter({ recordings, retention: { recordings: { count: 1 } } });
    await writeSnapshot(last.recording, 1);
    expect(existsSync(recording.directory)).toBe(!isRemoved);
  });
});

test('announced traces are received before events that were committed after the announcement are written', () => {
  const state = new WriterState();
  const queued: WriterRequest[] = [];
  const thread = createWriterThread(state, () => {}, queued);
  const creation = creationRequest();
  thread.receive(creation);
  const { counts } = creation;
  const announce = (worker: number): TraceWriter => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const limits = { phase: 0, limit: Infinity, maxBytes: Infinity, span: undefined };
    const handle = { port: port1, state: state.memory, counts, ...limits };
    const firstChunk = ChunkPool.announceFirst(handle);
    queued.push({ type: 'trace', recording: 1, worker, epoch: 0, earlierLosses: 0, port: port2 });
    state.addSentTrace();
    return new TraceWriter({ ...handle, firstChunk });
  };
  const trace = announce(0);
  thread.receive(queued.pop() as WriterRequest);
  announce(1);
  writeMessages(trace, 1, 1);
  thread.receive({ type: 'flush', number: 1 });
  expect(queued).toHaveLength(0);
});
