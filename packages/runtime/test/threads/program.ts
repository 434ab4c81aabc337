// The main thread of the test's program: `record` or `replay`, with a directory, a number that says what is sent, and how workers are lost.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { App } from '../../src/app.ts';
import type { Stopped } from '../../src/replaying.ts';
import { ANY, begin, randomRun } from '../letters.ts';
import type { WorldWorker } from '../world.ts';
import { livesOf } from './lines.ts';
import { createThread } from './thread.ts';

const [mode, directory = '', seed = '0', way = ''] = process.argv.slice(2);
const isReplay = mode === 'replay';
const { scheduler, host, sink, type } = createThread({ directory, isReplay, worker: 0, life: 0 });
const stops: Stopped[] = [];
const lives = isReplay ? livesOf(directory) : [];
const all = lives.reduce((sum, life) => sum + life + 1, 0);
const app: App = new App(scheduler, host, {
  workers: 2,
  entry: new URL('worker.ts', import.meta.url),
  workerData: { directory, isReplay, deadly: way.includes('killed') },
  ...(isReplay
    ? {
        replayed: {
          lives,
          stopped(stopped) {
            stops.push(stopped);
            if (stops.length < all && stopped.why !== 'diverged') return;
            writeFileSync(join(directory, 'stops.json'), JSON.stringify(stops));
            process.exit(0);
          },
        },
      }
    : {}),
});
process.on('exit', () => sink?.end());
const [random] = fc.sample(randomRun(ANY), { numRuns: 1, seed: Number(seed) });
if (random === undefined) throw new Error('no run');
const worker = {
  scheduler: {
    program: {
      spawn: (_: unknown, args: unknown[], place: number, settings: object) =>
        scheduler.program.spawn(type, args, app.place(place), settings),
      tell: (ref: object) => scheduler.program.tell(ref),
    },
  },
  classHere: () => type,
} as unknown as WorldWorker;
begin(worker, random);
if (!isReplay) for (let i = 0; i < 3; i++) setTimeout(() => app.advance(), Math.random() * 15);
