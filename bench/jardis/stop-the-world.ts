// Writes the whole snapshot at its cut, without any program code in between. Its parts and bytes are equal to
// Turntable's snapshots, so replays start from it; only what lets the program run meanwhile is left out.

import { WorkerSnapshots } from '../../packages/runtime/src/snapshot/worker-snapshots.ts';
import { PartFeed } from '../../packages/replayer/src/recorder/part-feed.ts';

export function stopTheWorld(): void {
  const { cut } = WorkerSnapshots.prototype;
  WorkerSnapshots.prototype.cut = function (phase, date) {
    cut.call(this, phase, date);
    while (this.runSpareWork(true));
  };
  // Waiting for the disk would count as time of the program, and the snapshot would wait for idle time.
  Object.defineProperty(PartFeed.prototype, 'pending', { configurable: true, get: () => 0 });
}
