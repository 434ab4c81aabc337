// A search whose hits are changes of an expression.
import { taskStart, type Position } from '../position.ts';
import type { BreakpointSearch } from './breakpoint-search.ts';

/** A change of a watched expression. */
export interface ValueChange {
  /** The task in which it changed. */
  readonly position: Position;
  readonly before: string;
  readonly after: string;
}

export class ChangeSearch {
  readonly #search: BreakpointSearch;

  constructor(search: BreakpointSearch) {
    this.#search = search;
  }

  /** Runs on to the start of a task; returns the changes since the last call, at most one for each task. */
  async runTo(order: number, signal?: AbortSignal): Promise<readonly ValueChange[]> {
    const hits = await this.#search.runTo(taskStart(order), signal);
    const changes: ValueChange[] = [];
    for (const { position, logValue = '["", ""]' } of hits) {
      const [before, after] = JSON.parse(logValue) as [string, string];
      const last = changes.at(-1);
      // The thread reports a task twice if it ran on after a report.
      if (last?.position.order === position.order) changes[changes.length - 1] = { ...last, after };
      else changes.push({ position, before, after });
    }
    return changes;
  }

  close(): void {
    this.#search.close();
  }
}
