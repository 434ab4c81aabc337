// Processes that begin with a snapshot: each begins before it is told with which (called-for.ts), one in advance, to be taken by whoever needs one first.
import type { EngineProcess, Urgency } from '@turntable/time-machine';
import type { Ran } from '../replay/run-again.ts';
import type { Call } from './called-for.ts';

export interface Begun {
  readonly process: EngineProcess;
  readonly run: Promise<Ran>;
}

export class ReadyProcess {
  readonly #start: (call?: Call) => Begun;
  #waiting: Begun | undefined;
  #isClosed = false;

  /** @param start begins one, which is told later what it is to do, or that one is to do this */
  constructor(start: (call?: Call) => Begun) {
    this.#start = start;
  }

  /** Has one wait. */
  prepare(): void {
    if (this.#isClosed || this.#waiting !== undefined) return;
    const begun = this.#start();
    this.#waiting = begun;
    // It is told of by the end of the process.
    begun.process.channel.on('error', () => undefined);
    void begun.process.ended.then(() => {
      if (this.#waiting === begun) this.#waiting = undefined;
    });
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** One that is told what it is to do: the one that waits, for whom waits himself, or a new one. */
  called(call: Call, urgency: Urgency): Begun {
    const begun = (urgency === 'now' ? this.#waiting : undefined) ?? this.#start(call);
    if (begun === this.#waiting) this.#waiting = undefined;
    begun.process.channel.write(`${JSON.stringify(call)}\n`);
    return begun;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.process.kill();
  }
}
