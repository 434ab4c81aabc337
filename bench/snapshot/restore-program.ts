// The child process of a lane of restoring, for one sample: `restore-program.ts LANE PATH`. `graph`: of a restore what it takes to read the graph; `restore`: all of
// it, up to the moment at which the program could go on. Loaded before the hooks, so that it is nothing of the program's.

import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { Heap } from '@turntable/heap';
import { installedLoader } from '@turntable/replayer';
import { serveSamples } from '../harness/sample-server.ts';
import { timed, type Sample } from '../harness/sample.ts';

const [lane = '', path = ''] = process.argv.slice(2);

await import('../../packages/turntable/src/register.ts');
const kept: unknown[] = [];

/** What the heap takes of all that the work does. */
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
  // Sources that Node has to strip are no cost of a restore.
  await installedLoader().programState();
  await serveSamples(
    async () => async () => kept.push(await restoreRecording(path)),
    lane === 'graph' ? timeOfHeap : timed,
  );
}
