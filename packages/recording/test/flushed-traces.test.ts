// A flush of traces has written the committed events of all workers when it resolves, or has reported why it cannot.
import { expect, test, vi } from 'vitest';
import { TraceWriter } from '@turntable/recording';
import { setFileFault } from '../src/file-operations.ts';
import { createWriter, messages, PATIENTLY, read, writeMessages } from './live-traces.ts';

test.each([false, true])(
  'committed events of all workers are in the files when a flush of one resolves, synced: %s',
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

test('events that cannot be written are reported, and a flush does not wait for them', async () => {
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

test.each([true, false])('a flush resolves when the writer has ended, synchronous: %s', async (isSynchronous) => {
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
});
