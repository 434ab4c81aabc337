// Starts replay processes from snapshots. Each one gets its assignment through its channel (standby-assignment.ts). One
// process is started ahead of need, for the next urgent request.
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

  /** @param start starts a process that waits for its assignment, which is passed to `start` if it is known already */
  constructor(start: (assignment?: StandbyAssignment) => StartedProcess) {
    this.#start = start;
  }

  prepare(): void {
    if (this.#isClosed || this.#standby !== undefined) return;
    const started = this.#start();
    this.#standby = started;
    // `exited` reports the failure.
    started.process.channel.on('error', () => undefined);
    void started.process.exited.then(() => {
      if (this.#standby === started) this.#standby = undefined;
    });
  }

  get isWaiting(): boolean {
    return this.#standby !== undefined;
  }

  /** Assigns a snapshot to the standby process if it is needed now, otherwise to a new process. */
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
