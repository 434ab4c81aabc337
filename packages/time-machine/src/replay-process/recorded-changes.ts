// A search whose hits are changes of an expression.
import { beginOf, type Position } from '../position.ts';
import type { RecordedSearch } from './recorded-search.ts';

/** A change of a watched expression. */
export interface Change {
  /** The stretch in which it changed. */
  readonly position: Position;
  readonly before: string;
  readonly after: string;
}

export class RecordedChanges {
  readonly #search: RecordedSearch;

  constructor(search: RecordedSearch) {
    this.#search = search;
  }

  async upTo(order: number, signal?: AbortSignal): Promise<readonly Change[]> {
    const hits = await this.#search.upTo(beginOf(order), signal);
    const changes: Change[] = [];
    for (const { position, log = '["", ""]' } of hits) {
      const [before, after] = JSON.parse(log) as [string, string];
      const last = changes.at(-1);
      // One that went on after it had been looked at.
      if (last?.position.order === position.order) changes[changes.length - 1] = { ...last, after };
      else changes.push({ position, before, after });
    }
    return changes;
  }

  close(): void {
    this.#search.close();
  }
}
