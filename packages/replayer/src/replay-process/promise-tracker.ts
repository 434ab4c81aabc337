// Tracks the awaited promises of a thread, the calls that produce them and the timers that settle them, for requests to
// the paused thread. It uses the original methods of collections, because the undo log intercepts the program's.
import { AwaitedEventuals, eventualResolvedBy } from '@turntable/core';
import { setTimerRequested } from '@turntable/boundary';
import type { AwaitedAnswers, Scheduler } from '@turntable/runtime';

const { apply } = Reflect;
const { get, set } = WeakMap.prototype;

/** Maximum number of tracked promises; the oldest ones are dropped first. */
const MAX_AWAITED_PROMISES = 100_000;

export class PromiseTracker {
  readonly awaitedEventuals: AwaitedEventuals;
  #scheduler: Scheduler | undefined;
  #awaitedAnswers: AwaitedAnswers | undefined;
  /** Descriptions of the timers that settle eventuals. */
  readonly #timerTexts = new WeakMap<object, string>();

  /** @param currentTask number of the current task since the process started */
  constructor(currentTask: () => number) {
    this.awaitedEventuals = new AwaitedEventuals(MAX_AWAITED_PROMISES, currentTask);
    setTimerRequested((callback, milliseconds) => {
      const eventual = eventualResolvedBy(callback);
      if (eventual === undefined) return;
      const text = typeof milliseconds === 'number' ? `a timer of ${milliseconds} ms` : 'an immediate';
      apply(set, this.#timerTexts, [eventual, text]);
    });
  }

  /** Description of the timer that settles an eventual, if one does. */
  timerTextOf(eventual: object): string | undefined {
    return apply(get, this.#timerTexts, [eventual]) as string | undefined;
  }

  get awaitedAnswers(): AwaitedAnswers | undefined {
    return this.#awaitedAnswers;
  }

  attachScheduler(scheduler: Scheduler): void {
    this.#scheduler = scheduler;
    this.#awaitedAnswers = scheduler.trackAwaitedAnswers();
  }

  /** Adds the awaited promises of a restored snapshot. Must be called before the first task. */
  addRestored(): void {
    if (this.#awaitedAnswers !== undefined) this.#scheduler?.addWaitingAnswers(this.#awaitedAnswers);
  }

  /** Runs a re-execution in place, whose changes the tracker must drop. */
  reexecute<T>(run: () => T): T {
    this.awaitedEventuals.setReexecuting(true);
    try {
      return run();
    } finally {
      this.awaitedEventuals.setReexecuting(false);
    }
  }
}
