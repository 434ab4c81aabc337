// PauseLoop blocks a paused thread until its control words let it resume. Meanwhile the thread answers requests of the
// coordinator, publishes the messages that it has sent, and writes the code cache while it is idle. ThreadController
// and InPlaceUndo call it.
//
// The coordinator must never see the thread as paused too early, so hits are sent before the thread acknowledges the
// call. A paused thread must not run code of the program, except in an evaluation for a client. The changes of an
// evaluation are undone before the thread resumes.
import { flushCompileCache } from 'node:module';
import type { Scheduler } from '@turntable/runtime';
import type { ControlWords, ControlState } from './control-words.ts';
import type { CoordinatorChannel } from './coordinator-channel.ts';

/** Poll intervals while sent messages wait for room in a ring buffer; doubled while none of them is written. */
const MIN_POLL_INTERVAL_MS = 2;
const MAX_POLL_INTERVAL_MS = 64;
/** Idle time before the first slice of the code cache is written, and between two slices. */
const CODE_CACHE_DELAY_MS = 100;
const CODE_CACHE_INTERVAL_MS = 2;

export interface PauseLoopDeps {
  readonly words: ControlWords;
  readonly channel: CoordinatorChannel;
  scheduler(): Scheduler | undefined;
  /** Sends the hits that have not been sent yet. */
  flushHits(): void;
  /** Undoes the changes that evaluations of clients have made during the pause. */
  undoEvaluation(): void;
  /** Writes a slice of the code cache; returns whether more is left. */
  writeCodeCacheSlice(): boolean;
}

export class PauseLoop {
  readonly #deps: PauseLoopDeps;
  #hasFlushedCompileCache = false;

  constructor(deps: PauseLoopDeps) {
    this.#deps = deps;
  }

  /** Blocks in `state` until `canResume` returns true. The caller sets the next state. */
  pause(state: ControlState, canResume: () => boolean): void {
    this.#deps.flushHits();
    this.#block(state, canResume);
    this.#deps.undoEvaluation();
  }

  #block(state: ControlState, canResume: () => boolean): void {
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
        this.#flushCompileCacheOnce();
      }
      const spilled = workerLinks?.spilled ?? 0;
      pollMs = spilled < lastSpilled ? MIN_POLL_INTERVAL_MS : Math.min(2 * pollMs, MAX_POLL_INTERVAL_MS);
      lastSpilled = spilled;
      const hasBeenIdle = words.wait(call, spilled > 0 ? pollMs : idleMs) && spilled === 0;
      if (hasBeenIdle) idleMs = this.#deps.writeCodeCacheSlice() ? CODE_CACHE_INTERVAL_MS : undefined;
      workerLinks?.messageIngest.publishSpilled();
    }
  }

  /** Writes Node's compile cache for later processes: this one may be killed, and then Node writes none. */
  #flushCompileCacheOnce(): void {
    if (!this.#hasFlushedCompileCache) flushCompileCache();
    this.#hasFlushedCompileCache = true;
  }
}
