// A search for changes of an expression. Its replay process reports each change as a hit.
import { taskStart, type Position } from '../position.ts';
import type { BreakpointSearch } from './breakpoint-search.ts';

/** A change of a watched expression. */
export interface ValueChange {
  /** A position in the task in which the value changed. */
  readonly position: Position;
  readonly before: string;
  readonly after: string;
}

export class ChangeSearch {
  readonly #search: BreakpointSearch;

  constructor(search: BreakpointSearch) {
    this.#search = search;
  }

  /** Runs to the start of a later task; returns the changes since the last call, at most one per task. */
  async runTo(order: number, signal?: AbortSignal): Promise<readonly ValueChange[]> {
    const hits = await this.#search.runTo(taskStart(order), signal);
    const changes: ValueChange[] = [];
    for (const { position, logValue = '["", ""]' } of hits) {
      const [before, after] = JSON.parse(logValue) as [string, string];
      const last = changes.at(-1);
      // A thread that runs on after a report may report its task again: then the later value counts.
      if (last?.position.order === position.order) changes[changes.length - 1] = { ...last, after };
      else changes.push({ position, before, after });
    }
    return changes;
  }

  close(): void {
    this.#search.close();
  }
}
