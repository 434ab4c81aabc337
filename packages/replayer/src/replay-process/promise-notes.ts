// What a thread of an engine keeps in mind of promises, to tell of them where it stands: those that somebody waits for, whose answers they are, and which timers settle some. With the language's own
// methods, since those that the program calls are noted by an undo log.
import { AwaitedEventuals, resolvedBy } from '@turntable/core';
import { watchAskedTimers } from '@turntable/boundary';
import type { AwaitedAnswers, Scheduler } from '@turntable/runtime';

const { apply } = Reflect;
const { get, set } = WeakMap.prototype;

/** Of more, those that have been waited for longest are forgotten. */
const MOST = 100_000;

export class PromiseNotes {
  readonly awaited: AwaitedEventuals;
  #scheduler: Scheduler | undefined;
  #answers: AwaitedAnswers | undefined;
  /** In words. */
  readonly #timers = new WeakMap<object, string>();

  /** @param stretch that runs: the number among those of the thread since its process began */
  constructor(stretch: () => number) {
    this.awaited = new AwaitedEventuals(MOST, stretch);
    watchAskedTimers((callback, milliseconds) => {
      const eventual = resolvedBy(callback);
      if (eventual === undefined) return;
      const text = typeof milliseconds === 'number' ? `a timer of ${milliseconds} ms` : 'an immediate';
      apply(set, this.#timers, [eventual, text]);
    });
  }

  /** What was asked to settle one after some time, in words. */
  timerOf(eventual: object): string | undefined {
    return apply(get, this.#timers, [eventual]) as string | undefined;
  }

  get answers(): AwaitedAnswers | undefined {
    return this.#answers;
  }

  /** The thread's scheduler is there. */
  follows(scheduler: Scheduler): void {
    this.#scheduler = scheduler;
    this.#answers = scheduler.noteAnswers();
  }

  /** The first stretch is about to begin: a snapshot has been put back, if there is one. */
  begins(): void {
    if (this.#answers !== undefined) this.#scheduler?.noteWaiting(this.#answers);
  }

  /** A stretch is run once more, and nothing of that is left. */
  onceMore<T>(run: () => T): T {
    this.awaited.runsOnceMore(true);
    try {
      return run();
    } finally {
      this.awaited.runsOnceMore(false);
    }
  }
}
