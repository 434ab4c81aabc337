// Pool of replay processes that are paused at positions where the cursor has been. A seek to one of these positions, or
// to a later one nearby, needs no new process. Each process holds a whole program, so a memory budget limits their
// number; the pool ends the least recently added first.
import { comparePositions, type Position } from '../position.ts';
import type { CoordinatorLink } from './coordinator-link.ts';

export interface PausedProcess {
  readonly coordinator: Pick<CoordinatorLink, 'isLost' | 'memory' | 'end'>;
  readonly position: Position;
}

/** If two processes are closer than this, the pool keeps only the earlier one, to save memory. */
const MIN_DISTANCE_TASKS = 32;
/** Assumed size of a process that has not reported its memory. */
const DEFAULT_PROCESS_BYTES = 128 * 2 ** 20;

export class PausedProcessPool<P extends PausedProcess> {
  readonly #budgetBytes: number;
  /** In the order in which they were added. */
  #processes: P[] = [];

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  /** The nearest process that is not after a position. It stays in the pool until the caller removes it. */
  nearestBefore(position: Position): P | undefined {
    this.#processes = this.#processes.filter(({ coordinator }) => !coordinator.isLost);
    return nearestBefore(this.#processes, position);
  }

  remove(process: P): void {
    this.#processes = this.#processes.filter((each) => each !== process);
  }

  /** Takes over a process. Ends it at once if another process is paused a little before it and can soon get there. */
  add(process: P): void {
    const adjacent = this.#processes.find(
      ({ position }) => Math.abs(position.order - process.position.order) < MIN_DISTANCE_TASKS,
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

/** The process with the last position that is not after the given one. */
export function nearestBefore<P extends Pick<PausedProcess, 'position'>>(
  processes: readonly P[],
  position: Position,
): P | undefined {
  let nearest: P | undefined;
  for (const each of processes) {
    if (comparePositions(each.position, position) > 0) continue;
    if (nearest === undefined || comparePositions(each.position, nearest.position) > 0) nearest = each;
  }
  return nearest;
}

function memoryOf({ coordinator }: PausedProcess): number {
  return coordinator.memory ?? DEFAULT_PROCESS_BYTES;
}
