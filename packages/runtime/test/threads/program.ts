// Main thread of the test's program: `record` or `replay`, with a directory, a seed for the messages, and how workers
// are lost.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { ActorSystem } from '../../src/actor-system.ts';
import type { ThreadStop } from '../../src/replay-monitor.ts';
import { ANY, randomRun } from '../random-actors.ts';
import { lastEpochsOf } from './trace-files.ts';
import { createTracedThread } from './traced-thread.ts';

const [mode, directory = '', seed = '0', lossMode = ''] = process.argv.slice(2);
const isReplay = mode === 'replay';
const { scheduler, host, sink, startProgram } = createTracedThread({ directory, isReplay, worker: 0, epoch: 0 });
const threadEnds: ThreadStop[] = [];
const lastEpochs = isReplay ? lastEpochsOf(directory) : [];
const threadCount = lastEpochs.reduce((sum, epoch) => sum + epoch + 1, 0);
const app: ActorSystem = new ActorSystem(scheduler, host, {
  workers: 2,
  entry: new URL('worker.ts', import.meta.url),
  workerData: { directory, isReplay, deadly: lossMode.includes('killed') },
  ...(isReplay
    ? {
        replayedRun: {
          lastEpochs,
          onThreadStop(stopped) {
            threadEnds.push(stopped);
            if (threadEnds.length < threadCount && stopped.reason !== 'diverged') return;
            writeFileSync(join(directory, 'stops.json'), JSON.stringify(threadEnds));
            process.exit(0);
          },
        },
      }
    : {}),
});
process.on('exit', () => sink?.end());
const [plannedRun] = fc.sample(randomRun(ANY), { numRuns: 1, seed: Number(seed) });
if (plannedRun === undefined) throw new Error('no run');
startProgram(app, plannedRun);
if (!isReplay) for (let i = 0; i < 3; i++) setTimeout(() => app.startPhase(), Math.random() * 15);
