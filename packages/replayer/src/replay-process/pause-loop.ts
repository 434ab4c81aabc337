// The loop in which a thread is paused: it waits for its control words to change, answers requests, publishes what it has
// sent, and keeps code for the next process while it is idle.
import { flushCompileCache } from 'node:module';
import type { Scheduler } from '@turntable/runtime';
import type { ControlWords, ControlState } from './control-words.ts';
import type { CoordinatorChannel } from './coordinator-channel.ts';

/** Milliseconds between two looks whether what was sent has found room: at first, and up to how many while nothing does and nobody is told to go anywhere. */
const MIN_POLL_INTERVAL_MS = 2;
const MAX_POLL_INTERVAL_MS = 64;
/** Milliseconds in which nobody wants anything before code is kept for other processes, and then between two pieces of that. */
const CODE_CACHE_DELAY_MS = 100;
const CODE_CACHE_INTERVAL_MS = 2;

export interface PauseLoopDeps {
  readonly words: ControlWords;
  readonly channel: CoordinatorChannel;
  scheduler(): Scheduler | undefined;
  /** Keeps a piece of the program's code, and answers whether there is more. */
  writeCodeCacheSlice(): boolean;
}

export class PauseLoop {
  readonly #deps: PauseLoopDeps;
  #hasPaused = false;

  constructor(deps: PauseLoopDeps) {
    this.#deps = deps;
  }

  /** In that state until it may go on. */
  pause(state: ControlState, canResume: () => boolean): void {
    const { words, channel } = this.#deps;
    const { workerLinks } = this.#deps.scheduler() ?? {};
    workerLinks?.publish();
    words.state = state;
    let acknowledgedCall: number | undefined;
    let idleMs: number | undefined = CODE_CACHE_DELAY_MS;
    let pollMs = MIN_POLL_INTERVAL_MS;
    let lastSpilled = Infinity;
    for (;;) {
      const call = words.lastCall;
      channel.receivePending();
      if (canResume()) return;
      if (acknowledgedCall !== call) {
        words.acknowledge(call);
        acknowledgedCall = call;
        lastSpilled = Infinity;
        channel.notify();
        this.#flushCompiledOnce();
      }
      const spilled = workerLinks?.spilled ?? 0;
      pollMs = spilled < lastSpilled ? MIN_POLL_INTERVAL_MS : Math.min(2 * pollMs, MAX_POLL_INTERVAL_MS);
      lastSpilled = spilled;
      const hasBeenIdle = words.wait(call, spilled > 0 ? pollMs : idleMs) && spilled === 0;
      if (hasBeenIdle) idleMs = this.#deps.writeCodeCacheSlice() ? CODE_CACHE_INTERVAL_MS : undefined;
      workerLinks?.messageIngest.publishSpilled();
    }
  }

  /** For the next process: this one is killed some time, and then Node keeps nothing. */
  #flushCompiledOnce(): void {
    if (!this.#hasPaused) flushCompileCache();
    this.#hasPaused = true;
  }
}
