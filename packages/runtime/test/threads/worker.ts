import { workerData } from 'node:worker_threads';
import type { ThreadData } from '../../src/control.ts';
import { serve } from '../../src/serve.ts';
import { createThread } from './thread.ts';

const { turntable, directory, isReplay, deadly } = workerData as {
  turntable: ThreadData;
  directory: string;
  isReplay: boolean;
  deadly: boolean;
};
const { index: worker, life } = turntable;
const { scheduler, host, sink } = createThread({ directory, isReplay, worker, life });
serve(turntable, scheduler, host);
process.on('exit', (code) => {
  if (code === 0) sink?.end();
});
// From outside, at any moment.
if (deadly && !isReplay && life === 0 && worker === 1) setTimeout(() => process.exit(3), Math.random() * 20);
