// A standby process: a replay process that was started before its snapshot was known. Each of its threads loads everything
// that does not depend on the snapshot, then blocks, with nothing of the program loaded, until the assignment comes.
import { installedLoader } from '../thread/loader.ts';
import { ownVariables } from '@turntable/boundary';
import type { ProgramState } from '@turntable/program-state';
import { beginThread, type AppOptions, type BegunThread } from '@turntable/runtime';
import { ownProgram } from '../own-program.ts';
import { startIn } from '../recorder/recording-notes.ts';
import type { StartedThreads, ThreadReplay } from '../thread/threads-tape.ts';
import { recordHere } from '../thread/record-here.ts';
import { assign, assignmentPorts, type AssignmentPort } from './assignment-port.ts';
import { expectStates } from './expected-states.ts';

export interface AssignedSnapshot {
  readonly phase: number;
  readonly state: ProgramState;
}

/** Blocks the main thread until there is an assignment. */
export async function awaitAssignment(replaying: ThreadReplay): Promise<AssignedSnapshot> {
  const loader = installedLoader();
  const threads = new StandbyThreads(replaying);
  const state = await recordHere(loader, loader.options.recordings);
  await expectStates(state, replaying, 0);
  const { from, state: place, ...wishes } = replaying.waitForAssignment();
  replaying.becomes({ ...replaying.order, from, state: place, engine: { compares: false, ...wishes } }, threads);
  return { phase: from, state };
}

/** Threads of workers in their first lives. A thread that the assignment does not need stays blocked until the process ends. */
class StandbyThreads implements StartedThreads {
  readonly #waiting = new Map<number, { readonly worker: BegunThread['worker']; readonly port: AssignmentPort }>();

  constructor(replaying: ThreadReplay) {
    const { recording } = replaying;
    const { resourceLimits } = startIn(recording.manifest.notes) as Pick<AppOptions, 'resourceLimits'>;
    const entry = ownProgram('actor-worker');
    const options = { entry, variables: ownVariables(), resourceLimits: replaying.limits(resourceLimits) };
    for (const { worker: index, life } of recording.traces()) {
      if (index === 0 || life > 0) continue;
      const [receiver, sender] = assignmentPorts();
      const { data: replay, transfer } = replaying.forThread(index, life);
      const turntable = { index, life, isSnapshotted: true, replay };
      const worker = beginThread(index, options, { turntable, assignment: receiver }, [receiver.port, ...transfer]);
      worker.unref();
      sender.port.unref();
      worker.on('error', (error) => this.#ends(index, String(error)));
      worker.on('exit', (code) => this.#ends(index, `exit code ${code}`));
      this.#waiting.set(index, { worker, port: sender });
    }
  }

  /** Ends the process: the coordinator cannot reach a replacement thread, and another standby process is started soon. */
  #ends(index: number, why: string): void {
    if (!this.#waiting.has(index)) return;
    process.stderr.write(`turntable: the thread of worker ${index} ended before its assignment: ${why}\n`);
    process.kill(process.pid, 'SIGKILL');
  }

  take(index: number, life: number): BegunThread | undefined {
    const begun = life === 0 ? this.#waiting.get(index) : undefined;
    this.#waiting.delete(index);
    return begun && { worker: begun.worker, tell: (data, transfer) => assign(begun.port, data, transfer) };
  }
}
