// What a worker of Turntable's runs: the hooks first, unless the command line has brought them, then the actors.
import { workerData } from 'node:worker_threads';
import { installedLoader, isInstalled } from './thread/loader.ts';
import { register } from './register.ts';
import type { Elsewhere } from '@turntable/program-state';
import type { ThreadData } from '@turntable/runtime';
import type { CallEnd } from './replay-process/call-end.ts';
import { replayingHere } from './thread/threads-tape.ts';
import type { ReplayData } from './replay/replaying.ts';

interface Given {
  readonly turntable: ThreadData;
  readonly elsewhere?: Elsewhere;
  /** Of one that has begun before it was known what for: until it is called there is of the others what does not depend on that. */
  readonly call?: CallEnd;
}

if (!isInstalled()) await register();
const { serveHere } = await import('./thread/this-thread.ts');
const begun = workerData as Given;
const { isSnapshotted } = begun.turntable;
const state = isSnapshotted
  ? await (await import('./thread/record-here.ts')).recordHere(installedLoader(), false)
  : undefined;
const { turntable: data, elsewhere } = begun.call === undefined ? begun : await calledWith(begun.call);
if (elsewhere !== undefined) state?.goElsewhere(elsewhere);
serveHere(data);

async function calledWith(call: CallEnd): Promise<Given> {
  const [{ waitToBeCalled }, { expectStates }] = await Promise.all([
    import('./replay-process/call-end.ts'),
    import('./replay-process/expected-states.ts'),
  ]);
  const replaying = replayingHere();
  if (state !== undefined && replaying !== undefined) await expectStates(state, replaying, begun.turntable.index);
  const given = waitToBeCalled(call) as Given;
  replaying?.becomes((given.turntable.replay as ReplayData).order);
  return given;
}
