// A snapshot is written where it begins, all of it, with nothing of the program in between. The pieces and their bytes are those of Turntable's snapshots, so a
// replay can begin with one; what is left out is all that is there to let the program go on meanwhile.

import { WorkerSnapshots } from '../../packages/runtime/src/snapshot/worker-snapshots.ts';
import { PartFeed } from '../../packages/replayer/src/recorder/part-feed.ts';

export function stopTheWorld(): void {
  const { cut } = WorkerSnapshots.prototype;
  WorkerSnapshots.prototype.cut = function (phase, date) {
    cut.call(this, phase, date);
    while (this.runSpareWork(true));
  };
  // The disk is not waited for: that would be the program's time, and the snapshot would wait for a moment to spare.
  Object.defineProperty(PartFeed.prototype, 'pending', { configurable: true, get: () => 0 });
}
