// Text search in the recording, in pages, in order.
import type { ResultOf } from '@turntable/time-machine/protocol';
import { ListModel } from './list-model.ts';
import type { Focus } from './focus.ts';
import type { SessionPort } from './session-port.ts';

export type SearchHit = ResultOf<'search'>['matches'][number];

export interface SearchState {
  readonly text: string;
  /** The text that the hits belong to, while a newer search is in progress. */
  readonly searchedText: string;
  readonly hits: readonly SearchHit[];
  /** The order at which the search continues, if there may be more hits. */
  readonly nextOrder: number | undefined;
  readonly isLoading: boolean;
  readonly isCancelled: boolean;
  /** The focus for which the hits were found. */
  readonly focus: Focus | undefined;
}

export const EMPTY_SEARCH: SearchState = {
  text: '',
  searchedText: '',
  hits: [],
  nextOrder: undefined,
  isLoading: false,
  isCancelled: false,
  focus: undefined,
};

/** Number of hits loaded at once. */
const PAGE_SIZE = 200;
/** Number of characters shown around a hit. */
const EXCERPT_CONTEXT_CHARS = 120;

interface SessionFields {
  readonly search: SearchState;
  readonly focus: Focus | undefined;
}

export class SearchModel extends ListModel<'search', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'search');
  }

  async find(text: string): Promise<void> {
    if (text !== '') {
      this.update({ text });
      await this.#loadPage(undefined);
      return;
    }
    this.cancelRequest();
    this.update(EMPTY_SEARCH);
  }

  /** Repeats the search for the current focus. */
  async reload(): Promise<void> {
    const { text, focus } = this.list;
    if (text !== '' && focus !== this.session.state.focus) await this.#loadPage(undefined);
  }

  async loadMore(): Promise<void> {
    const { nextOrder, isLoading } = this.list;
    if (nextOrder !== undefined && !isLoading) await this.#loadPage(nextOrder);
  }

  /** Cancels the search and keeps the hits found so far. */
  cancel(): void {
    if (this.cancelRequest()) this.update({ isCancelled: true });
  }

  /** @param nextOrder where to continue; undefined for the start */
  async #loadPage(nextOrder: number | undefined): Promise<void> {
    const { focus } = this.session.state;
    await this.runRequest({ isCancelled: false, focus }, async (signal) => {
      const { text } = this.list;
      const params = { text, firstTask: focus?.from, lastTask: focus?.to, from: nextOrder ?? 1, count: PAGE_SIZE };
      const page = await this.session.request('search', params, { signal });
      if (signal.aborted) return;
      const previousHits = nextOrder === undefined ? [] : this.list.hits;
      this.update({ searchedText: text, hits: [...previousHits, ...page.matches], nextOrder: page.next });
    });
  }
}

/** The line of the hit, with its surroundings. */
export function excerptOf(
  { text }: SearchHit,
  searchedText: string,
): readonly [before: string, match: string, after: string] {
  const matchStart = Math.max(0, text.toLowerCase().indexOf(searchedText.toLowerCase()));
  const lineStart = text.lastIndexOf('\n', matchStart - 1) + 1;
  const newline = text.indexOf('\n', matchStart + searchedText.length);
  const lineEnd = newline === -1 ? text.length : newline;
  const excerptStart = Math.max(lineStart, matchStart - EXCERPT_CONTEXT_CHARS);
  const excerptEnd = Math.min(lineEnd, matchStart + searchedText.length + EXCERPT_CONTEXT_CHARS);
  return [
    `${excerptStart > lineStart ? '…' : ''}${text.slice(excerptStart, matchStart)}`,
    text.slice(matchStart, matchStart + searchedText.length),
    `${text.slice(matchStart + searchedText.length, excerptEnd)}${excerptEnd < lineEnd ? '…' : ''}`,
  ];
}
