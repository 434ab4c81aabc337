// Time limit of the story. The error for a missed limit names the step and the load of the machine.

import { availableParallelism, loadavg } from 'node:os';

export class StoryDeadline {
  readonly #milliseconds: number;

  /** @param milliseconds limit since the start of the process */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Remaining time, at least one millisecond. */
  get leftMs(): number {
    return Math.max(1, Math.floor(this.#milliseconds - performance.now()));
  }

  /** Waits for a result. @param failureText describes the missing step in the error */
  async within<T>(failureText: string, promise: Promise<T>): Promise<T> {
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeout.reject(this.timeoutError(failureText)), this.leftMs);
    try {
      return await Promise.race([promise, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  timeoutError(failureText: string): Error {
    const [load = 0] = loadavg();
    const seconds = (performance.now() / 1000).toFixed(0);
    return new Error(
      `after ${seconds} s ${failureText}; the story takes half a minute, but this machine has a load of ${load.toFixed(1)} on ${availableParallelism()} processors: retry when it is less busy`,
    );
  }
}
