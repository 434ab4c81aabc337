import { workerData } from 'node:worker_threads';
import type { ThreadData } from '../../src/control-messages.ts';
import { serve } from '../../src/serve.ts';
import { createTracedThread } from './traced-thread.ts';

const {
  turntable,
  directory,
  isReplay,
  deadly: shouldDie,
} = workerData as {
  turntable: ThreadData;
  directory: string;
  isReplay: boolean;
  deadly: boolean;
};
const { index: worker, epoch } = turntable;
const { scheduler, host, sink } = createTracedThread({ directory, isReplay, worker, epoch });
serve(turntable, scheduler, host);
process.on('exit', (code) => {
  if (code === 0) sink?.end();
});
// From the host, at any moment.
if (shouldDie && !isReplay && epoch === 0 && worker === 1) setTimeout(() => process.exit(3), Math.random() * 20);
