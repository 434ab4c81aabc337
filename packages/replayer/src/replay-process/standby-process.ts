// Replay processes that start from a snapshot. Each one gets its assignment through its channel
// (standby-assignment.ts); one process is started ahead of need, for the driver that needs one first.
import type { ReplayProcess, Urgency } from '@turntable/time-machine';
import { encodeMessage, type StandbyAssignment } from '@turntable/time-machine/replay-process';
import type { ReplayRun } from '../replay/replay-run.ts';

export interface StartedProcess {
  readonly process: ReplayProcess;
  readonly result: Promise<ReplayRun>;
}

export class StandbyProcess {
  readonly #start: (assignment?: StandbyAssignment) => StartedProcess;
  #standby: StartedProcess | undefined;
  #isClosed = false;

  /** @param start starts a process whose assignment is written later. The argument is the assignment, if known. */
  constructor(start: (assignment?: StandbyAssignment) => StartedProcess) {
    this.#start = start;
  }

  /** Starts the process ahead of need. */
  prepare(): void {
    if (this.#isClosed || this.#standby !== undefined) return;
    const started = this.#start();
    this.#standby = started;
    // The end of the process reports it.
    started.process.channel.on('error', () => undefined);
    void started.process.exited.then(() => {
      if (this.#standby === started) this.#standby = undefined;
    });
  }

  get isWaiting(): boolean {
    return this.#standby !== undefined;
  }

  /** Assigns work to the standby process if the work is needed now, otherwise to a new process. */
  assign(assignment: StandbyAssignment, urgency: Urgency): StartedProcess {
    const started = (urgency === 'now' ? this.#standby : undefined) ?? this.#start(assignment);
    if (started === this.#standby) this.#standby = undefined;
    started.process.channel.write(encodeMessage(assignment));
    return started;
  }

  close(): void {
    this.#isClosed = true;
    this.#standby?.process.kill();
  }
}
