// Processes that stand somewhere in a recording and wait: whoever goes there again, or a little behind, need not begin anew. Each holds a whole program, so they are few: as
// many as a budget of memory allows; of more, those go that nobody has come by for the longest time.
import { comparePositions, type Position } from '../position.ts';
import type { CoordinatorLink } from './coordinator-link.ts';

export interface PausedProcess {
  readonly coordinator: Pick<CoordinatorLink, 'isLost' | 'memory' | 'end'>;
  readonly position: Position;
}

/** Tasks. */
const MIN_DISTANCE_TASKS = 32;
/** Bytes of one that has not said what it takes. */
const DEFAULT_PROCESS_BYTES = 128 * 2 ** 20;

export class PausedProcessPool<P extends PausedProcess> {
  readonly #budgetBytes: number;
  /** The one that was kept last is the last. */
  #processes: P[] = [];

  /** @param budget bytes */
  constructor(budget: number) {
    this.#budgetBytes = budget;
  }

  /** The last one that does not stand behind a position. It stays, unless it is taken. */
  nearestBefore(position: Position): P | undefined {
    this.#processes = this.#processes.filter(({ coordinator }) => !coordinator.isLost);
    let nearest: P | undefined;
    for (const each of this.#processes)
      if (
        comparePositions(each.position, position) <= 0 &&
        (nearest === undefined || comparePositions(each.position, nearest.position) > 0)
      )
        nearest = each;
    return nearest;
  }

  remove(process: P): void {
    this.#processes = this.#processes.filter((each) => each !== process);
  }

  add(process: P): void {
    // From the first of two that are near each other the other's place is soon come to.
    const adjacent = this.#processes.find(
      ({ position: at }) => Math.abs(at.order - process.position.order) < MIN_DISTANCE_TASKS,
    );
    if (adjacent !== undefined && comparePositions(adjacent.position, process.position) <= 0)
      return process.coordinator.end();
    if (adjacent !== undefined) this.#end(adjacent);
    this.#processes.push(process);
    let totalBytes = this.#processes.reduce((bytes, each) => bytes + memoryOf(each), 0);
    while (totalBytes > this.#budgetBytes) {
      const [oldest] = this.#processes;
      if (oldest === undefined) return;
      totalBytes -= memoryOf(oldest);
      this.#end(oldest);
    }
  }

  close(): void {
    for (const each of this.#processes) each.coordinator.end();
    this.#processes = [];
  }

  #end(process: P): void {
    this.remove(process);
    process.coordinator.end();
  }
}

function memoryOf({ coordinator }: PausedProcess): number {
  return coordinator.memory ?? DEFAULT_PROCESS_BYTES;
}
