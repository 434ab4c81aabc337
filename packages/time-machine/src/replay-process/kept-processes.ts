// Processes that stand somewhere in a recording and wait: whoever goes there again, or a little behind, need not begin anew. Each holds a whole program, so they are few: as
// many as a budget of memory allows; of more, those go that nobody has come by for the longest time.
import { comparePositions, type Position } from '../position.ts';
import type { CoordinatorLink } from './coordinator-link.ts';

export interface StandingProcess {
  readonly coordinator: Pick<CoordinatorLink, 'isLost' | 'memory' | 'end'>;
  readonly at: Position;
}

/** Stretches. */
const NEAR = 32;
/** Bytes of one that has not said what it takes. */
const USUAL = 128 * 2 ** 20;

export class KeptProcesses<P extends StandingProcess> {
  readonly #budget: number;
  /** The one that was kept last is the last. */
  #all: P[] = [];

  /** @param budget bytes */
  constructor(budget: number) {
    this.#budget = budget;
  }

  /** The last one that does not stand behind a position. It stays, unless it is taken. */
  nearest(position: Position): P | undefined {
    this.#all = this.#all.filter(({ coordinator }) => !coordinator.isLost);
    let found: P | undefined;
    for (const each of this.#all)
      if (comparePositions(each.at, position) <= 0 && (found === undefined || comparePositions(each.at, found.at) > 0))
        found = each;
    return found;
  }

  take(process: P): void {
    this.#all = this.#all.filter((each) => each !== process);
  }

  keep(process: P): void {
    // From the first of two that are near each other the other's place is soon come to.
    const twin = this.#all.find(({ at }) => Math.abs(at.order - process.at.order) < NEAR);
    if (twin !== undefined && comparePositions(twin.at, process.at) <= 0) return process.coordinator.end();
    if (twin !== undefined) this.#end(twin);
    this.#all.push(process);
    let sum = this.#all.reduce((bytes, each) => bytes + memoryOf(each), 0);
    while (sum > this.#budget) {
      const [oldest] = this.#all;
      if (oldest === undefined) return;
      sum -= memoryOf(oldest);
      this.#end(oldest);
    }
  }

  close(): void {
    for (const each of this.#all) each.coordinator.end();
    this.#all = [];
  }

  #end(process: P): void {
    this.take(process);
    process.coordinator.end();
  }
}

function memoryOf({ coordinator }: StandingProcess): number {
  return coordinator.memory ?? USUAL;
}
