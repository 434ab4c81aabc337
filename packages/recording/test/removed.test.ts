// A recording whose directory is removed while it is written: reported once, and made again by the next snapshot.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openRecording, startWriter, type LiveRecording, type RecordingError } from '@turntable/recording';
import { TraceWriter } from '../src/trace/trace-writer.ts';
import { manifestOf, openSnapshot, temporaryDirectory } from './recording.ts';
import { takeAll } from './traces.ts';

const PATIENTLY = { timeout: 60_000 };

function createTraced() {
  const troubles: RecordingError[] = [];
  let gaps = 0;
  const writer = startWriter({
    recordings: join(temporaryDirectory(), 'recordings'),
    onError: (error) => troubles.push(error),
  });
  onTestFinished(async () => void (await writer.close()));
  writer.onGap(() => gaps++);
  const recording = writer.create(manifestOf());
  const traces = [0, 1].map((worker) => new TraceWriter(recording.trace(worker, 0)));
  let round = 0;
  return {
    writer,
    recording,
    troubles,
    get gaps() {
      return gaps;
    },
    get round() {
      return round;
    },
    writeRound(workers: readonly number[] = [0, 1]): void {
      round++;
      for (const worker of workers) {
        traces[worker]?.writeMessages(round, round, 0, 1);
        traces[worker]?.commit();
      }
    },
    /** Returns whether the snapshot was written. */
    async snapshot(phase: number): Promise<boolean> {
      for (const trace of traces) trace.cut(phase);
      const snapshot = openSnapshot(recording, phase);
      snapshot.add(0, 'state', Buffer.from('state'));
      return (await snapshot.commit()) !== undefined;
    },
  };
}

function roundsOf({ directory }: LiveRecording, worker: number, phase: number): number[] {
  const trace = openRecording(directory).trace(worker, 0, phase);
  try {
    return takeAll(trace).flatMap((event) => (event.type === 'messages' ? [event.round] : []));
  } finally {
    trace.close();
  }
}

test('a removed recording is noticed by its traces, also without a snapshot or a new file', PATIENTLY, async () => {
  const traced = createTraced();
  const { writer, recording, troubles } = traced;
  traced.writeRound();
  await writer.flushTraces();
  rmSync(recording.directory, { recursive: true });
  await vi.waitUntil(() => {
    traced.writeRound([0]);
    return troubles.length > 0 && traced.gaps > 0;
  }, PATIENTLY);
  traced.writeRound();
  await writer.flushTraces();
  expect(existsSync(recording.directory)).toBe(false);
  expect(troubles.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^a part of the recording was deleted: .*; the next snapshot makes the recording again; /),
  ]);
  expect(writer.isOff).toBe(false);
});

test('a removed recording starts again with the next snapshot, with all modules', PATIENTLY, async () => {
  const traced = createTraced();
  const { writer, recording, troubles } = traced;
  recording.addModule('file:///a.ts', 'a');
  recording.addModule('file:///b.ts', 'b');
  traced.writeRound();
  await writer.flushTraces();
  rmSync(join(recording.directory, '..'), { recursive: true });
  await vi.waitUntil(() => {
    traced.writeRound([0]);
    return traced.gaps > 0;
  }, PATIENTLY);
  recording.addModule('file:///c.ts', 'c');
  expect(await traced.snapshot(1)).toBe(true);
  const first = traced.round + 1;
  traced.writeRound();
  recording.end();
  await writer.close();
  const opened = openRecording(recording.directory);
  expect(opened.manifest).toMatchObject({ firstPhase: 1, ended: expect.any(String) });
  expect(opened.manifest.modules.map(({ url }) => url)).toEqual(['file:///a.ts', 'file:///b.ts', 'file:///c.ts']);
  expect(opened.manifest.modules.map(({ sha256 }) => opened.source(sha256))).toEqual(['a', 'b', 'c']);
  expect(opened.missingParts()).toEqual([]);
  for (const worker of [0, 1]) expect(roundsOf(recording, worker, 1)).toEqual([first]);
  expect(readdirSync(join(recording.directory, 'traces')).toSorted()).toEqual([
    '0000000001-0.0.ttt',
    '0000000001-1.0.ttt',
  ]);
  expect(troubles).toHaveLength(1);
});

test('a removed recording ends if a file is in its place, and its workers continue', PATIENTLY, async () => {
  const traced = createTraced();
  const { writer, recording, troubles } = traced;
  traced.writeRound();
  await writer.flushTraces();
  const recordings = join(recording.directory, '..');
  rmSync(recordings, { recursive: true });
  writeFileSync(recordings, '');
  await vi.waitUntil(() => {
    traced.writeRound([0]);
    return traced.gaps > 0 || writer.isOff;
  }, PATIENTLY);
  expect(await traced.snapshot(1)).toBe(false);
  traced.writeRound();
  expect(await writer.close()).toBe(false);
  expect(writer.isOff).toBe(true);
  expect(troubles.at(-1)?.message).toMatch(
    /^recording to .* has stopped: .*; record to a directory, then start the program again$/,
  );
  expect(troubles.length).toBeLessThanOrEqual(2);
  expect(readFileSync(recordings, 'utf8')).toBe('');
});
