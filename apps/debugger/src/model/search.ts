// Text search in the recording or the focus. Hits are loaded in pages, in the order of their tasks.
import type { ResultOf } from '@turntable/time-machine/protocol';
import { ListModel } from './list-model.ts';
import type { Focus } from './focus.ts';
import type { SessionPort } from './session-port.ts';

export type SearchHit = ResultOf<'search'>['matches'][number];

export interface SearchState {
  readonly text: string;
  /** The text of the shown hits; it differs from `text` while a new search is in progress. */
  readonly searchedText: string;
  readonly hits: readonly SearchHit[];
  /** The order of the task at which the next page starts; undefined if there are no more hits. */
  readonly nextOrder: number | undefined;
  readonly isLoading: boolean;
  readonly isCancelled: boolean;
  /** The focus in which the hits were found. */
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

/** Maximum number of hits loaded at once. */
const PAGE_SIZE = 200;
/** Maximum number of characters shown on each side of a hit. */
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

  /** Repeats the search if the focus has changed since. */
  async reload(): Promise<void> {
    const { text, focus } = this.list;
    if (text !== '' && focus !== this.session.state.focus) await this.#loadPage(undefined);
  }

  async loadMore(): Promise<void> {
    const { nextOrder, isLoading } = this.list;
    if (nextOrder !== undefined && !isLoading) await this.#loadPage(nextOrder);
  }

  /** Cancels the search in progress; hits found so far are kept. */
  cancel(): void {
    if (this.cancelRequest()) this.update({ isCancelled: true });
  }

  /** @param nextOrder the order at which to continue; undefined to start a new list */
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

/** Returns the hit with the text around it in its line. */
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
