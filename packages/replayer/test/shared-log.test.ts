// Tests the log in shared memory: lines of several threads, the end of its room, and waiting.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { SharedLog } from '../src/replay/thread/shared-log.ts';

it('has the lines that were appended since they were read last', () => {
  const log = new SharedLog();
  expect(log.readNew()).toEqual([]);
  log.append({ first: 'ä€' });
  log.append({});
  expect(log.readNew()).toEqual([{ first: 'ä€' }, {}]);
  expect(log.readNew()).toEqual([]);
  log.append({ third: [3] });
  const otherView = new SharedLog(log.memory);
  expect(otherView.readNew()).toEqual([{ first: 'ä€' }, {}, { third: [3] }]);
  expect(log.readNew()).toEqual([{ third: [3] }]);
});

it('has each line of each thread once and whole', async () => {
  const log = new SharedLog();
  const url = new URL('../src/replay/thread/shared-log.ts', import.meta.url).href;
  // Both threads append at the same time, so that they wait for each other.
  const code = `import { parentPort, workerData } from 'node:worker_threads';
    const { SharedLog } = await import(${JSON.stringify(url)});
    const log = new SharedLog(workerData.memory);
    parentPort.postMessage('ready');
    await new Promise((resolve) => parentPort.once('message', resolve));
    for (let i = 0; i < 2000; i++) log.append({ worker: workerData.worker, i });`;
  const workers = [1, 2].map(
    (worker) =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
        workerData: { memory: log.memory, worker },
      }),
  );
  const exited = workers.map((worker) => once(worker, 'exit'));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  for (const worker of workers) worker.postMessage('start');
  await Promise.all(exited);
  const lines = log.readNew() as { worker: number; i: number }[];
  for (const worker of [1, 2])
    expect(lines.filter((line) => line.worker === worker).map(({ i }) => i)).toEqual(
      Array.from({ length: 2000 }, (_, i) => i),
    );
});

it('uses all of its memory and drops lines without room', () => {
  const header = 8;
  const line = { a: 'b' };
  const size = JSON.stringify(line).length + 1;
  for (const [spare, expected] of [
    [0, 3],
    [size - 1, 3],
    [-1, 2],
  ] as const) {
    const log = new SharedLog(new SharedArrayBuffer(header + 3 * size + spare));
    for (let i = 0; i < 5; i++) log.append(line);
    expect(log.readNew()).toEqual(Array.from({ length: expected }, () => line));
  }
  // A shorter line may still have room.
  const log = new SharedLog(new SharedArrayBuffer(header + size + 3));
  log.append(line);
  log.append(line);
  log.append({});
  expect(log.readNew()).toEqual([line, {}]);
});

it('wakes a thread that waits for a line', async () => {
  const log = new SharedLog();
  const url = new URL('../src/replay/thread/shared-log.ts', import.meta.url).href;
  const code = `import { parentPort, workerData } from 'node:worker_threads';
    const { SharedLog } = await import(${JSON.stringify(url)});
    const log = new SharedLog(workerData);
    parentPort.postMessage('waiting');
    for (let count = 0; count < 30;) {
      log.wait(60_000);
      const lines = log.readNew();
      count += lines.length;
      if (lines.length > 0) parentPort.postMessage(lines);
    }`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: log.memory });
  await once(worker, 'message');
  // At most of these lines, the thread has begun to wait.
  for (let i = 0; i < 30; i++) {
    const received = once(worker, 'message');
    log.append({ i });
    expect(await received).toEqual([[{ i }]]);
  }
  // Lines that have not been read end the wait at once.
  log.append({});
  log.wait(60_000);
});
