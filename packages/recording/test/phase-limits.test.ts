// The size limit of traces while a snapshot is being written.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startWriter } from '@turntable/recording';
import { CHUNK_BYTES } from '../src/trace/trace-chunk.ts';
import { TraceWriter } from '../src/trace/trace-writer.ts';
import { manifestOf, openSnapshot, temporaryDirectory } from './recording.ts';

const LIMIT = 4 * CHUNK_BYTES;
const EVENT_BYTES = 60_000;

function createTrace() {
  const recordings = join(temporaryDirectory(), 'recordings');
  const writer = startWriter({ recordings, maxTraceBytes: LIMIT, onError: () => {} });
  onTestFinished(async () => void (await writer.close()));
  const recording = writer.create(manifestOf());
  const trace = new TraceWriter(recording.trace(0, 0));
  return {
    recording,
    trace,
    /** Writes events of this size, or until the trace stops. */
    async write(bytes: number): Promise<void> {
      for (let written = 0; written < bytes && !trace.isStopped; written += EVENT_BYTES) {
        trace.writeOutcome(5, crypto.getRandomValues(new Uint8Array(EVENT_BYTES)));
        await trace.flush(false);
      }
    },
  };
}

test('the traces before a snapshot do not count while it is being written', async () => {
  const { recording, trace, write } = createTrace();
  await write(Infinity);
  trace.cut(1);
  await write(LIMIT / 2);
  expect(trace.isStopped).toBe(false);
  await openSnapshot(recording, 1).commit();
  await write(LIMIT / 4);
  expect(trace.isStopped).toBe(false);
  await write(Infinity);
  expect(recording.traceBytes).toBeLessThan(LIMIT + 2 * CHUNK_BYTES);
});

test('traces take at most twice their limit while no snapshot can be written', async () => {
  const { recording, trace, write } = createTrace();
  for (let phase = 1; phase < 4; phase++) {
    await write(Infinity);
    expect(trace.isStopped).toBe(true);
    trace.cut(phase);
  }
  await write(Infinity);
  expect(recording.traceBytes).toBeGreaterThanOrEqual(2 * LIMIT);
  // Each new phase has a first chunk.
  expect(recording.traceBytes).toBeLessThan(2 * LIMIT + 5 * CHUNK_BYTES);
});
