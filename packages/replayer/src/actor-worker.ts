// Entry point of worker threads: registers the loader's hooks, unless a flag of Node has registered them, and runs
// actors.
import { workerData } from 'node:worker_threads';
import { installedLoader, isInstalled } from './thread/loader.ts';
import { register } from './register.ts';
import type { RelocationPlan } from '@turntable/program-state';
import type { ThreadData } from '@turntable/runtime';
import type { AssignmentPort } from './replay-process/assignment-port.ts';
import { currentReplay } from './thread/current-tape.ts';
import type { ReplayData } from './replay/thread/thread-replayer.ts';

interface StartData {
  readonly turntable: ThreadData;
  readonly relocation?: RelocationPlan;
  /** Port that delivers the rest of the data. Present only in a standby thread, whose snapshot is not known yet. */
  readonly assignment?: AssignmentPort;
}

if (!isInstalled()) await register();
const { threadActors } = await import('./thread/thread-actors.ts');
const startData = workerData as StartData;
const { hasSnapshots: isSnapshotted } = startData.turntable;
const state = isSnapshotted
  ? await (await import('./thread/recording-setup.ts')).setUpRecording(installedLoader(), false)
  : undefined;
const { turntable: threadData, relocation: elsewhere } =
  startData.assignment === undefined ? startData : await receiveAssignment(startData.assignment);
if (elsewhere !== undefined) state?.relocate(elsewhere);
threadActors.serve(threadData);

async function receiveAssignment(port: AssignmentPort): Promise<StartData> {
  const [{ waitForAssignment }, { preloadStates }] = await Promise.all([
    import('./replay-process/assignment-port.ts'),
    import('./replay-process/preloaded-states.ts'),
  ]);
  const replay = currentReplay();
  if (state !== undefined && replay !== undefined) await preloadStates(state, replay, startData.turntable.index);
  const assignedData = waitForAssignment(port) as StartData;
  replay?.completeRequest((assignedData.turntable.replay as ReplayData).request);
  return assignedData;
}
