// What a worker of Turntable's runs: the hooks first, unless the command line has brought them, then the actors.
import { workerData } from 'node:worker_threads';
import { installedLoader, isInstalled } from './thread/loader.ts';
import { register } from './register.ts';
import type { Elsewhere } from '@turntable/program-state';
import type { ThreadData } from '@turntable/runtime';
import type { AssignmentPort } from './replay-process/assignment-port.ts';
import { replayingHere } from './thread/threads-tape.ts';
import type { ReplayData } from './replay/thread/replaying.ts';

interface Given {
  readonly turntable: ThreadData;
  readonly elsewhere?: Elsewhere;
  /** Of a standby thread: brings its assignment, which has the other data. Until then they are incomplete. */
  readonly assignment?: AssignmentPort;
}

if (!isInstalled()) await register();
const { threadActors } = await import('./thread/thread-actors.ts');
const begun = workerData as Given;
const { isSnapshotted } = begun.turntable;
const state = isSnapshotted
  ? await (await import('./thread/record-here.ts')).recordHere(installedLoader(), false)
  : undefined;
const { turntable: data, elsewhere } = begun.assignment === undefined ? begun : await assigned(begun.assignment);
if (elsewhere !== undefined) state?.goElsewhere(elsewhere);
threadActors.serve(data);

async function assigned(port: AssignmentPort): Promise<Given> {
  const [{ waitForAssignment }, { expectStates }] = await Promise.all([
    import('./replay-process/assignment-port.ts'),
    import('./replay-process/expected-states.ts'),
  ]);
  const replaying = replayingHere();
  if (state !== undefined && replaying !== undefined) await expectStates(state, replaying, begun.turntable.index);
  const given = waitForAssignment(port) as Given;
  replaying?.becomes((given.turntable.replay as ReplayData).order);
  return given;
}
