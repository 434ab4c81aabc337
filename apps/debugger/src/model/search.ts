// Where a text stands in the recording, page by page, the first places first.
import type { ResultOf } from '@turntable/time-machine/protocol';
import { ListModel } from './list-model.ts';
import type { Focus } from './focus.ts';
import type { SessionPort } from './session-port.ts';

export type SearchHit = ResultOf<'search'>['matches'][number];

export interface SearchState {
  readonly text: string;
  /** What these were found for: another text, until it is answered. */
  readonly searchedText: string;
  readonly hits: readonly SearchHit[];
  /** Where to ask on, if there may be more. */
  readonly nextOrder: number | undefined;
  readonly isLoading: boolean;
  readonly isCancelled: boolean;
  /** The piece of the recording that they are of. */
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

/** Places that are asked for at once. */
const PAGE_SIZE = 200;
/** Characters that are shown around what was found. */
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

  /** In the piece that views show now. */
  async reload(): Promise<void> {
    const { text, focus } = this.list;
    if (text !== '' && focus !== this.session.state.focus) await this.#loadPage(undefined);
  }

  async loadMore(): Promise<void> {
    const { nextOrder, isLoading } = this.list;
    if (nextOrder !== undefined && !isLoading) await this.#loadPage(nextOrder);
  }

  /** What was found so far stays. */
  cancel(): void {
    if (this.cancelRequest()) this.update({ isCancelled: true });
  }

  /** @param nextOrder where to ask on; from the beginning, if that is not said */
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

/** The line of what was found in which it stands, with what is around it there. */
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
