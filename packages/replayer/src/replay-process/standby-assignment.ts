// Assignment of a snapshot to a standby process, a replay process that was started ahead of need. Each of its threads
// loads everything that does not depend on the snapshot, then blocks until the assignment arrives. Nothing of the
// program is loaded before that.
import { installedLoader } from '../thread/loader.ts';
import { turntableVariables } from '@turntable/boundary';
import type { ProgramState } from '@turntable/program-state';
import { startThread, type ActorSystemOptions, type StandbyThread } from '@turntable/runtime';
import { programFileUrl } from '../program-file.ts';
import { readStartOptions } from '../recorder/recording-notes.ts';
import type { StandbyThreadSource, ThreadReplay } from '../thread/current-tape.ts';
import { setUpRecording } from '../thread/recording-setup.ts';
import { sendAssignment, createAssignmentPorts, type AssignmentPort } from './assignment-port.ts';
import { preloadStates } from './preloaded-states.ts';

export interface AssignedSnapshot {
  readonly phase: number;
  readonly programState: ProgramState;
}

export async function receiveSnapshotAssignment(threadReplay: ThreadReplay): Promise<AssignedSnapshot> {
  const loader = installedLoader();
  const threads = new StandbyThreads(threadReplay);
  const programState = await setUpRecording(loader, loader.options.recordings);
  await preloadStates(programState, threadReplay, 0);
  const { phase: from, checkpoint, ...processOptions } = threadReplay.waitForAssignment();
  threadReplay.completeRequest(
    { ...threadReplay.request, from, checkpoint, driver: { comparesStates: false, ...processOptions } },
    threads,
  );
  return { phase: from, programState };
}

/** Standby threads of workers in their first epoch. An unused one stays blocked until the process ends. */
class StandbyThreads implements StandbyThreadSource {
  readonly #waitingThreads = new Map<
    number,
    { readonly worker: StandbyThread['worker']; readonly port: AssignmentPort }
  >();

  constructor(threadReplay: ThreadReplay) {
    const { recording } = threadReplay;
    const { resourceLimits } = readStartOptions(recording.manifest.notes) as Pick<ActorSystemOptions, 'resourceLimits'>;
    const entry = programFileUrl('actor-worker');
    const limits = threadReplay.resourceLimitsFor(resourceLimits);
    const options = { entry, env: turntableVariables(), resourceLimits: limits };
    for (const { worker: index, epoch } of recording.traces()) {
      if (index === 0 || epoch > 0) continue;
      const [receiver, sender] = createAssignmentPorts();
      const { data: replay, transfer } = threadReplay.threadDataFor(index, epoch);
      const turntable = { index, epoch, hasSnapshots: true, replay };
      const worker = startThread(index, options, { turntable, assignment: receiver }, [receiver.port, ...transfer]);
      worker.unref();
      sender.port.unref();
      worker.on('error', (error) => this.#onEnd(index, String(error)));
      worker.on('exit', (exitCode) => this.#onEnd(index, `exit code ${exitCode}`));
      this.#waitingThreads.set(index, { worker, port: sender });
    }
  }

  /**
   * Ends the process, because the coordinator has no channel to a replacement of the thread. The driver starts another
   * standby process.
   */
  #onEnd(index: number, reason: string): void {
    if (!this.#waitingThreads.has(index)) return;
    process.stderr.write(`turntable: the thread of worker ${index} ended before its assignment: ${reason}\n`);
    process.kill(process.pid, 'SIGKILL');
  }

  take(index: number, epoch: number): StandbyThread | undefined {
    const waitingThread = epoch === 0 ? this.#waitingThreads.get(index) : undefined;
    this.#waitingThreads.delete(index);
    return (
      waitingThread && {
        worker: waitingThread.worker,
        assign: (data, transfer) => sendAssignment(waitingThread.port, data, transfer),
      }
    );
  }
}
