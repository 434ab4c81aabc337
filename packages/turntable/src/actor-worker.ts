// What a worker of Turntable's runs: the hooks first, unless the command line has brought them, then the actors.
import { workerData } from 'node:worker_threads';
import { installedLoader, isInstalled } from '@turntable/loader';
import type { ThreadData } from '@turntable/runtime';

if (!isInstalled()) await import('./register.ts');
const { serveHere } = await import('./this-thread.ts');
const data = (workerData as { turntable: ThreadData }).turntable;
if (data.isSnapshotted) {
  const { recordHere } = await import('./record-here.ts');
  await recordHere(installedLoader(), false);
}
serveHere(data);
