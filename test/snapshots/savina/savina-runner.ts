// Actor in which a run of a program begins and ends, so that all of its actors are placed together.

import { loadProgram } from '../../../bench/savina/catalog.ts';
import type { Halfway } from '../../../bench/savina/problem.ts';

export class SavinaRunner {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  async run(size: object, halfway?: Halfway): Promise<unknown> {
    const { run } = await loadProgram(this.#program);
    return run(size, halfway);
  }
}
