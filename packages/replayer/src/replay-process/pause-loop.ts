// The loop in which a thread is paused: it waits for its control words to change, answers requests, publishes what it has
// sent, and keeps code for the next process while it is idle.
import { flushCompileCache } from 'node:module';
import type { Scheduler } from '@turntable/runtime';
import type { ControlWords, State } from './control-words.ts';
import type { CoordinatorChannel } from './coordinator-channel.ts';

/** Milliseconds between two looks whether what was sent has found room: at first, and up to how many while nothing does and nobody is told to go anywhere. */
const LOOK = 2;
const LONG_LOOK = 64;
/** Milliseconds in which nobody wants anything before code is kept for other processes, and then between two pieces of that. */
const QUIET = 100;
const BETWEEN = 2;

export interface PauseLoopDeps {
  readonly words: ControlWords;
  readonly channel: CoordinatorChannel;
  scheduler(): Scheduler | undefined;
  /** Keeps a piece of the program's code, and answers whether there is more. */
  keepCode(): boolean;
}

export class PauseLoop {
  readonly #parts: PauseLoopDeps;
  #hasStood = false;

  constructor(parts: PauseLoopDeps) {
    this.#parts = parts;
  }

  /** In that state until it may go on. */
  stand(state: State, mayGoOn: () => boolean): void {
    const { words, channel } = this.#parts;
    const { neighbours } = this.#parts.scheduler() ?? {};
    neighbours?.publish();
    words.state = state;
    let seen: number | undefined;
    let quiet: number | undefined = QUIET;
    let look = LOOK;
    let before = Infinity;
    for (;;) {
      const call = words.lastCall;
      channel.hearAll();
      if (mayGoOn()) return;
      if (seen !== call) {
        words.sees(call);
        seen = call;
        before = Infinity;
        channel.tell();
        this.#keepCompiled();
      }
      const spilled = neighbours?.spilled ?? 0;
      look = spilled < before ? LOOK : Math.min(2 * look, LONG_LOOK);
      before = spilled;
      const isQuiet = words.wait(call, spilled > 0 ? look : quiet) && spilled === 0;
      if (isQuiet) quiet = this.#parts.keepCode() ? BETWEEN : undefined;
      neighbours?.taking.publishSpilled();
    }
  }

  /** For the next process: this one is killed some time, and then Node keeps nothing. */
  #keepCompiled(): void {
    if (!this.#hasStood) flushCompileCache();
    this.#hasStood = true;
  }
}
