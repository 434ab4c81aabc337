// Child process of one sample of the restore row: `restore-program.ts LANE PATH`. `restore` times a whole restore up to
// the point where the program could resume, `graph` the part of it that reads the graph. Loaded before the hooks, so
// that it is no part of the program.

import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { Heap } from '@turntable/heap';
import { installedLoader } from '@turntable/replayer';
import { serveSamples } from '../harness/sample-server.ts';
import { timed, type Sample } from '../harness/sample.ts';

const [lane = '', path = ''] = process.argv.slice(2);

await import('../../packages/turntable/src/register.ts');
const kept: unknown[] = [];

/** Times only the heap's part of the work. */
async function timeOfHeap(work: () => unknown): Promise<Sample> {
  const { readAll } = Heap.prototype;
  const sum = { wall: 0, cpu: 0 };
  Heap.prototype.readAll = function (this: Heap, ...args) {
    const used = process.cpuUsage();
    const startedAt = performance.now();
    const roots = readAll.apply(this, args);
    sum.wall += performance.now() - startedAt;
    const { user, system } = process.cpuUsage(used);
    sum.cpu += (user + system) / 1000;
    return roots;
  };
  await work();
  return sum;
}

if (lane === 'v8.deserialize') {
  const bytes = readFileSync(path);
  await serveSamples(async () => () => kept.push(deserialize(bytes)));
} else {
  const { restoreRecording } = await import('../../packages/replayer/src/thread/restore-recording.ts');
  // Loads lazy modules first: stripping their types is no cost of a restore.
  await installedLoader().programState();
  await serveSamples(
    async () => async () => kept.push(await restoreRecording(path)),
    lane === 'graph' ? timeOfHeap : timed,
  );
}
