// `main.ts SETUP [TIMES] [ID…]`: runs programs of the Savina suite side by side, with their actors on the main thread,
// on one worker or spread over two, and takes a snapshot whenever one of them is half-way. Prints lines of JSON: which
// programs have ended and, at the end, all results. With TIMES, each program runs that often at a brief size, and only
// its first run takes a snapshot.

import { far, spawnWith, start, type App } from 'turntable';
import { WORKER_COUNTS, type WorkerSetup } from '../../../bench/savina/options.ts';
import { SavinaRunner } from './savina-runner.ts';
import { BRIEF_SIZES, CASES, type SavinaOutputLine } from './savina-cases.ts';

/** Takes snapshots on the main thread. */
class SnapshotTaker {
  readonly #app: App;
  readonly #id: string;

  constructor(app: App, id: string) {
    this.#app = app;
    this.#id = id;
  }

  async reached(): Promise<void> {
    printLine({ halfway: this.#id, phase: await this.#takeSnapshot() });
  }

  async #takeSnapshot(): Promise<number | null> {
    try {
      return (await this.#app.snapshot())?.phase ?? null;
    } catch (error) {
      if ((error as { code?: string }).code !== 'TT_NO_SNAPSHOT') throw error;
      // Gives the reason on stderr.
      console.error(`${this.#id}: ${(error as Error).message}`);
      return null;
    }
  }
}

function printLine(line: SavinaOutputLine): void {
  console.log(JSON.stringify(line));
}

const [workerSetup = 'main', ...caseArgs] = process.argv.slice(2);
const times = /^\d+$/.test(caseArgs[0] ?? '') ? Number(caseArgs.shift()) : 1;
const ids = caseArgs;
const workers = WORKER_COUNTS[workerSetup as WorkerSetup];
const app = start({ workers });
const results = await Promise.all(
  ids.map(async (id) => {
    const { program, size: caseSize } = CASES[id]!;
    const size = times === 1 ? caseSize : BRIEF_SIZES[program]!;
    const runner = spawnWith({ on: Math.min(workers, 1) }, SavinaRunner, program);
    let result = await runner.run(size, far(new SnapshotTaker(app, id)));
    printLine({ over: id });
    for (let i = 1; i < times; i++) {
      result = await runner.run(size);
      printLine({ over: id });
    }
    return [id, result] as const;
  }),
);
printLine({ results });
