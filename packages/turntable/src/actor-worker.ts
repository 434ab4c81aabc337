// What a worker of Turntable's runs: the hooks first, unless the command line has brought them, then the actors.
import { workerData } from 'node:worker_threads';
import { installedLoader, isInstalled, type Elsewhere } from '@turntable/loader';
import type { ThreadData } from '@turntable/runtime';

if (!isInstalled()) await import('./register.ts');
const { serveHere } = await import('./thread/this-thread.ts');
const { turntable: data, elsewhere } = workerData as { turntable: ThreadData; elsewhere?: Elsewhere };
if (data.isSnapshotted) {
  const { recordHere } = await import('./thread/record-here.ts');
  const state = await recordHere(installedLoader(), false);
  if (elsewhere !== undefined) state.goElsewhere(elsewhere);
}
serveHere(data);
