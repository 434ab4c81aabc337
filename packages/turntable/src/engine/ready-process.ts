// The process that is begun in advance (called-for.ts): one at a time, taken by whoever needs one that begins with a snapshot.
import type { EngineProcess } from '@turntable/replay';
import type { Ran } from '../replay/run-again.ts';
import type { Call } from './called-for.ts';

export interface Begun {
  readonly process: EngineProcess;
  readonly run: Promise<Ran>;
}

export class ReadyProcess {
  readonly #start: () => Begun;
  #waiting: Begun | undefined;
  #isClosed = false;

  /** @param start begins one that waits */
  constructor(start: () => Begun) {
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

  /** Nothing, if none waits. */
  take(call: Call): Begun | undefined {
    const begun = this.#waiting;
    this.#waiting = undefined;
    begun?.process.channel.write(`${JSON.stringify(call)}\n`);
    return begun;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.process.kill();
  }
}
