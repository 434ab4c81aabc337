// The actor in which each run starts and ends, so that all of a run happens on one worker.

import { loadProgram } from '../savina/catalog.ts';

export class Repeated {
  readonly #name: string;
  readonly #size: string;

  constructor(name: string, size: string) {
    this.#name = name;
    this.#size = size;
  }

  /** Returns the number of messages of the run. */
  async run(): Promise<number> {
    const { problem, run, verify, messages } = await loadProgram(this.#name);
    const size = problem[this.#size as 'quick'];
    const result = await run(size);
    if (!verify(result, size)) throw new Error(`${this.#name} computed a wrong result: ${JSON.stringify(result)}`);
    return messages(size, result);
  }
}
