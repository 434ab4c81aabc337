// Replay processes that begin with a snapshot. Each gets its assignment through its channel (standby-assignment.ts); one is
// started ahead of need, for the engine that needs one first.
import type { ReplayProcess, Urgency } from '@turntable/time-machine';
import { encodeMessage, type StandbyAssignment } from '@turntable/time-machine/replay-process';
import type { Ran } from '../replay/run-again.ts';

export interface Begun {
  readonly process: ReplayProcess;
  readonly run: Promise<Ran>;
}

export class StandbyProcess {
  readonly #start: (assignment?: StandbyAssignment) => Begun;
  #waiting: Begun | undefined;
  #isClosed = false;

  /** @param start starts a process whose assignment is written to its channel later; the argument is that assignment, if it is known already */
  constructor(start: (assignment?: StandbyAssignment) => Begun) {
    this.#start = start;
  }

  /** Starts the process ahead of need. */
  prepare(): void {
    if (this.#isClosed || this.#waiting !== undefined) return;
    const begun = this.#start();
    this.#waiting = begun;
    // The end of the process reports it.
    begun.process.channel.on('error', () => undefined);
    void begun.process.ended.then(() => {
      if (this.#waiting === begun) this.#waiting = undefined;
    });
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Assigns work to the standby process if the work is needed now, otherwise to a new process. */
  assign(assignment: StandbyAssignment, urgency: Urgency): Begun {
    const begun = (urgency === 'now' ? this.#waiting : undefined) ?? this.#start(assignment);
    if (begun === this.#waiting) this.#waiting = undefined;
    begun.process.channel.write(encodeMessage(assignment));
    return begun;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.process.kill();
  }
}
