// What a thread of an engine keeps in mind of promises, to tell of them where it stands: those that somebody waits for, whose answers they are, and which timers settle some. With the language's own
// methods, since those that the program calls are noted by an undo log.
import { AwaitedEventuals, eventualResolvedBy } from '@turntable/core';
import { setTimerRequested } from '@turntable/boundary';
import type { AwaitedAnswers, Scheduler } from '@turntable/runtime';

const { apply } = Reflect;
const { get, set } = WeakMap.prototype;

/** Of more, those that have been waited for longest are forgotten. */
const MAX_AWAITED_PROMISES = 100_000;

export class PromiseTracker {
  readonly awaitedEventuals: AwaitedEventuals;
  #scheduler: Scheduler | undefined;
  #awaitedAnswers: AwaitedAnswers | undefined;
  /** In words. */
  readonly #timerTexts = new WeakMap<object, string>();

  /** @param currentTask that runs: the number among those of the thread since its process began */
  constructor(currentTask: () => number) {
    this.awaitedEventuals = new AwaitedEventuals(MAX_AWAITED_PROMISES, currentTask);
    setTimerRequested((callback, milliseconds) => {
      const eventual = eventualResolvedBy(callback);
      if (eventual === undefined) return;
      const text = typeof milliseconds === 'number' ? `a timer of ${milliseconds} ms` : 'an immediate';
      apply(set, this.#timerTexts, [eventual, text]);
    });
  }

  /** What was asked to settle one after some time, in words. */
  timerTextOf(eventual: object): string | undefined {
    return apply(get, this.#timerTexts, [eventual]) as string | undefined;
  }

  get awaitedAnswers(): AwaitedAnswers | undefined {
    return this.#awaitedAnswers;
  }

  /** The thread's scheduler is there. */
  attachScheduler(scheduler: Scheduler): void {
    this.#scheduler = scheduler;
    this.#awaitedAnswers = scheduler.trackAwaitedAnswers();
  }

  /** The first task is about to begin: a snapshot has been put back, if there is one. */
  addRestored(): void {
    if (this.#awaitedAnswers !== undefined) this.#scheduler?.addWaitingAnswers(this.#awaitedAnswers);
  }

  /** A task is run once more, and nothing of that is left. */
  reexecute<T>(run: () => T): T {
    this.awaitedEventuals.setReexecuting(true);
    try {
      return run();
    } finally {
      this.awaitedEventuals.setReexecuting(false);
    }
  }
}
