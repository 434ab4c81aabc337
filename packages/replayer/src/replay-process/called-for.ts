// A process of an engine that has begun before anybody knew what for: all is there that does not depend on the snapshot with which it is to begin, on each of its threads, when it is told which one that is and
// what to look out for. Its threads stand still meanwhile, with nothing of the program there.
import { installedLoader } from '../thread/loader.ts';
import { ownVariables } from '@turntable/boundary';
import type { ProgramState } from '@turntable/program-state';
import type { ProcessWishes } from '@turntable/time-machine';
import { beginThread, type AppOptions, type BegunThread } from '@turntable/runtime';
import { ownProgram } from '../own-program.ts';
import type { BeginPlace } from '../replay/replay-order.ts';
import type { Replaying } from '../replay/replaying.ts';
import { recordHere } from '../thread/record-here.ts';
import { callBy, callEnds, type CallEnd } from './call-end.ts';
import { expectStates } from './expected-states.ts';

/** What it is to do: the first line of its channel. */
export type Call = BeginPlace & ProcessWishes;

export interface CalledFor {
  /** With which it begins. */
  readonly phase: number;
  readonly state: ProgramState;
}

/** On the main thread: once it is known. */
export async function calledFor(replaying: Replaying): Promise<CalledFor> {
  const loader = installedLoader();
  const threads = new BegunThreads(replaying);
  const state = await recordHere(loader, loader.options.recordings);
  await expectStates(state, replaying, 0);
  const { from, state: place, ...wishes } = replaying.waitToBeCalled();
  replaying.becomes({ ...replaying.order, from, state: place, engine: { compares: false, ...wishes } }, threads);
  return { phase: from, state };
}

/** Those of workers in their first lives. One that is not needed stands until the process ends. */
export class BegunThreads {
  readonly #waiting = new Map<number, { readonly worker: BegunThread['worker']; readonly call: CallEnd }>();

  constructor(replaying: Replaying) {
    const { recording } = replaying;
    const { resourceLimits } = (recording.manifest.notes['start'] ?? {}) as Pick<AppOptions, 'resourceLimits'>;
    const entry = ownProgram('actor-worker');
    const options = { entry, variables: ownVariables(), resourceLimits: replaying.limits(resourceLimits) };
    for (const { worker: index, life } of recording.traces()) {
      if (index === 0 || life > 0) continue;
      const [waits, call] = callEnds();
      const { data: replay, transfer } = replaying.forThread(index, life);
      const turntable = { index, life, isSnapshotted: true, replay };
      const worker = beginThread(index, options, { turntable, call: waits }, [waits.port, ...transfer]);
      worker.unref();
      call.port.unref();
      worker.on('error', (error) => this.#ends(index, String(error)));
      worker.on('exit', (code) => this.#ends(index, `exit code ${code}`));
      this.#waiting.set(index, { worker, call });
    }
  }

  /** Before it was told anything: the desk has no way to another one, and another process is soon begun. */
  #ends(index: number, why: string): void {
    if (!this.#waiting.has(index)) return;
    process.stderr.write(`turntable: the thread of worker ${index} has ended before it was called: ${why}\n`);
    process.kill(process.pid, 'SIGKILL');
  }

  take(index: number, life: number): BegunThread | undefined {
    const begun = life === 0 ? this.#waiting.get(index) : undefined;
    this.#waiting.delete(index);
    return begun && { worker: begun.worker, tell: (data, transfer) => callBy(begun.call, data, transfer) };
  }
}
