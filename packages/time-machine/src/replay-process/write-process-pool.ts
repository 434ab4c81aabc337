// WriteProcessPool keeps up to two replay processes that track writes between the queries of a WriteSearch, because the
// next query often follows from the last one. One process has answered the last query and is paused at its position.
// The other has started where the next query is likely to begin, but has not run yet.
//
// A process fits a query if it started from the same snapshot and tracks the same writes. A process that is taken from
// the pool belongs to the caller, who ends it or returns it with `keep`; the pool ends processes that it does not keep.
// A process whose program an evaluation has changed must never be kept.
import { comparePositions, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess } from './coordinator-link.ts';
import type { WriteTrackingOptions } from './process-options.ts';

/** The start of a process that tracks writes. */
export interface WriteProcessStart {
  /** The snapshot that the process starts from; undefined for the start of the recording. */
  readonly phase: number | undefined;
  /** The thread whose writes the process tracks, and the extent of tracking. */
  readonly writes: WriteTrackingOptions;
}

export interface WriteProcess extends WriteProcessStart {
  readonly coordinator: CoordinatorLink;
  /** The position up to which the threads have run, including undone tasks; undefined before the first run. */
  readonly reached: Position | undefined;
}

export type PausedWriteProcess = WriteProcess & { readonly reached: Position };
export type StartProcess = (phase: number | undefined, writes: WriteTrackingOptions) => ReplayProcess;

export class WriteProcessPool {
  readonly #start: StartProcess;
  /** The process that has answered the last query. */
  #paused: PausedWriteProcess | undefined;
  /** A process that was started for the next query and has not run yet. */
  #prepared: WriteProcess | undefined;

  constructor(start: StartProcess) {
    this.#start = start;
  }

  /** Takes the paused process if it fits and has run past the position, so that it must undo to get there. */
  takePast(start: WriteProcessStart, position: Position): PausedWriteProcess | undefined {
    const paused = this.#paused;
    if (paused === undefined || !isUsableFor(paused, start)) return undefined;
    if (comparePositions(paused.reached, position) <= 0) return undefined;
    this.#paused = undefined;
    return paused;
  }

  /** Takes a process that has not run past the position: the paused one, the prepared one, or a new one. */
  take(start: WriteProcessStart, position: Position): WriteProcess {
    const [paused, prepared] = [this.#paused, this.#prepared];
    this.#paused = undefined;
    if (paused !== undefined && isUsableFor(paused, start) && comparePositions(paused.reached, position) <= 0)
      return paused;
    paused?.coordinator.end();
    this.#prepared = undefined;
    if (prepared !== undefined && isUsableFor(prepared, start)) return prepared;
    prepared?.coordinator.end();
    return this.#startProcess(start);
  }

  /** Keeps a process that has answered a query for the next one. */
  keep(process: PausedWriteProcess): void {
    this.#paused = process;
  }

  /** Starts a process for the next query, unless the prepared process already fits. */
  prepare(start: WriteProcessStart): void {
    const prepared = this.#prepared;
    if (prepared !== undefined && isUsableFor(prepared, start)) return;
    prepared?.coordinator.end();
    this.#prepared = this.#startProcess(start);
  }

  close(): void {
    this.#prepared?.coordinator.end();
    this.#paused?.coordinator.end();
  }

  #startProcess({ phase, writes }: WriteProcessStart): WriteProcess {
    const coordinator = new CoordinatorLink(this.#start(phase, { ...writes, hasUndoLogs: true }));
    return { phase, writes, coordinator, reached: undefined };
  }
}

function isUsableFor(process: WriteProcess, { phase, writes }: WriteProcessStart): boolean {
  if (process.coordinator.isLost || process.phase !== phase) return false;
  const { worker, epoch, initialValuesTask } = process.writes;
  return worker === writes.worker && epoch === writes.epoch && initialValuesTask === writes.initialValuesTask;
}
