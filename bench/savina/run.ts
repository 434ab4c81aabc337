// The actor in which each run of a program starts and ends, so that all of it is timed and verified on one thread.

import { GCProfiler } from 'node:v8';
import { timed, type Sample } from '../harness/sample.ts';
import { loadProgram } from './catalog.ts';
import type { Problem, SavinaProgram } from './problem.ts';

export interface RunSample extends Sample {
  /** Number of messages of the run. */
  readonly messages: number;
}

const MIB = 2 ** 20;

export class Run {
  readonly #name: string;
  readonly #size: string;

  constructor(name: string, size: string) {
    this.#name = name;
    this.#size = size;
  }

  /** Times and verifies one run. CPU time covers all threads of the process. */
  async once(): Promise<RunSample> {
    const { program, size } = await this.#problem();
    let result: unknown;
    const sample = await timed(async () => {
      result = await program.run(size);
    });
    if (!program.verify(result, size)) {
      const shown = JSON.stringify(result).slice(0, 200);
      throw new Error(`${this.#name} computed a wrong result at size ${JSON.stringify(size)}: ${shown}`);
    }
    return { ...sample, messages: program.messages(size, result) };
  }

  /** Runs the program and returns its result. */
  async result(): Promise<unknown> {
    const { program, size } = await this.#problem();
    return program.run(size);
  }

  /** Returns the peak heap of this thread during an extra run, in MiB: before a collection, or at the end. */
  async heapPeak(): Promise<number> {
    const profiler = new GCProfiler();
    profiler.start();
    await this.once();
    const atEnd = process.memoryUsage().heapUsed;
    const { statistics } = profiler.stop();
    return Math.max(atEnd, ...statistics.map(({ beforeGC }) => beforeGC.heapStatistics.usedHeapSize)) / MIB;
  }

  async #problem(): Promise<{ program: SavinaProgram<object, unknown>; size: object }> {
    const program = await loadProgram(this.#name);
    const size = program.problem[this.#size as keyof Problem<object>];
    if (size === undefined) throw new RangeError(`${this.#name} has no size "${this.#size}"`);
    return { program, size };
  }
}
