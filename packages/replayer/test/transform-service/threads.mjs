// Threads that ask for transforms at the same time, through the connection of their process. Prints wrong results.
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { once } from 'node:events';

const { connectedTransformService } = await import(process.env['TEST_CONNECTION']);
const service = connectedTransformService(process.env);
if (service === undefined) throw new Error('not connected');
const thread = isMainThread ? 0 : workerData;
const workers = isMainThread
  ? [1, 2, 3].map((number) => new Worker(new URL(import.meta.url), { workerData: number }))
  : [];
for (let i = 0; i < 100; i++) {
  const source = `${thread}-${i}-${'x'.repeat(i * 1000)}`;
  const { names } = service.exportsOf('/p/a.mjs', source);
  if (names[0] !== source) console.log(`${thread}-${i} got ${String(names[0]).slice(0, 20)}`);
}
await Promise.all(workers.map((worker) => once(worker, 'exit')));
