// A search whose hits are changes of an expression.
import { beginOf } from '../position.ts';
import type { Change, Changes } from './engine.ts';
import type { RecordedSearch } from './recorded-search.ts';

export class RecordedChanges implements Changes {
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
