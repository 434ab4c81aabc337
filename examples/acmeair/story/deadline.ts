// How long the story may take: a machine that is busy with other things is told of by name, and nobody waits for what will not come in time.

import { availableParallelism, loadavg } from 'node:os';

export class StoryDeadline {
  readonly #milliseconds: number;

  /** Milliseconds since the process began. */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** At least one. */
  get leftMs(): number {
    return Math.max(1, Math.floor(this.#milliseconds - performance.now()));
  }

  /** `what`: is not there yet. */
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
      `after ${seconds} s ${failureText}; the story takes half a minute, but this machine has ${load.toFixed(1)} things to do at a time for ${availableParallelism()} processors: try again when it has less`,
    );
  }
}
