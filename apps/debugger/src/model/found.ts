// Where a text stands in the recording, page by page, the first places first.
import type { ResultOf } from '@turntable/replay/protocol';
import { LastAsked } from './last-asked.ts';
import type { Session } from './session.ts';

export type FoundPlace = ResultOf<'search'>['found'][number];

export interface FoundList {
  readonly text: string;
  /** What these were found for: another text, until it is answered. */
  readonly sought: string;
  readonly all: readonly FoundPlace[];
  /** Where to ask on, if there may be more. */
  readonly next: number | undefined;
  readonly isAsking: boolean;
  readonly isGivenUp: boolean;
}

export const NOTHING_FOUND: FoundList = {
  text: '',
  sought: '',
  all: [],
  next: undefined,
  isAsking: false,
  isGivenUp: false,
};

/** Places that are asked for at once. */
const PAGE = 200;

export class Search {
  readonly #session: Session;
  readonly #asked: LastAsked;

  constructor(session: Session) {
    this.#session = session;
    this.#asked = new LastAsked(session);
  }

  get #list(): FoundList {
    return this.#session.state.found;
  }

  #put(part: Partial<FoundList>): void {
    this.#session.store.put({ found: { ...this.#list, ...part } });
  }

  async find(text: string): Promise<void> {
    if (text !== '') {
      this.#put({ text });
      await this.#ask(1);
      return;
    }
    this.#asked.stop();
    this.#put(NOTHING_FOUND);
  }

  async more(): Promise<void> {
    const { next, isAsking } = this.#list;
    if (next !== undefined && !isAsking) await this.#ask(next);
  }

  /** What was found so far stays. */
  cancel(): void {
    if (!this.#list.isAsking) return;
    this.#asked.stop();
    this.#put({ isAsking: false, isGivenUp: true });
  }

  async #ask(from: number): Promise<void> {
    this.#put({ isAsking: true, isGivenUp: false });
    await this.#asked.ask(
      async (signal) => {
        const { text } = this.#list;
        const { found, next } = await this.#session.request('search', { text, from, count: PAGE }, { signal });
        if (signal.aborted) return;
        this.#put({ sought: text, all: from === 1 ? found : [...this.#list.all, ...found], next });
      },
      () => this.#put({ isAsking: false }),
    );
  }
}

/** The line of what was found in which it stands, with what is around it there. */
export function excerptOf(
  { text }: FoundPlace,
  sought: string,
): readonly [before: string, its: string, behind: string] {
  const at = Math.max(0, text.toLowerCase().indexOf(sought.toLowerCase()));
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = text.indexOf('\n', at + sought.length);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const from = Math.max(begin, at - AROUND);
  const to = Math.min(end, at + sought.length + AROUND);
  return [
    `${from > begin ? '…' : ''}${text.slice(from, at)}`,
    text.slice(at, at + sought.length),
    `${text.slice(at + sought.length, to)}${to < end ? '…' : ''}`,
  ];
}

/** Characters that are shown around what was found. */
const AROUND = 120;
