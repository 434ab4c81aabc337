// Where a text stands in the recording, page by page, the first places first.
import type { ResultOf } from '@turntable/time-machine/protocol';
import { AskedList } from './asked-list.ts';
import type { Focus } from './focus.ts';
import type { SessionPort } from './session-port.ts';

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
  /** The piece of the recording that they are of. */
  readonly focus: Focus | undefined;
}

export const NOTHING_FOUND: FoundList = {
  text: '',
  sought: '',
  all: [],
  next: undefined,
  isAsking: false,
  isGivenUp: false,
  focus: undefined,
};

/** Places that are asked for at once. */
const PAGE = 200;
/** Characters that are shown around what was found. */
const AROUND = 120;

interface SessionFields {
  readonly found: FoundList;
  readonly focus: Focus | undefined;
}

export class Search extends AskedList<'found', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'found');
  }

  async find(text: string): Promise<void> {
    if (text !== '') {
      this.put({ text });
      await this.#ask(undefined);
      return;
    }
    this.giveUp();
    this.put(NOTHING_FOUND);
  }

  /** In the piece that views show now. */
  async look(): Promise<void> {
    const { text, focus } = this.list;
    if (text !== '' && focus !== this.session.state.focus) await this.#ask(undefined);
  }

  async more(): Promise<void> {
    const { next, isAsking } = this.list;
    if (next !== undefined && !isAsking) await this.#ask(next);
  }

  /** What was found so far stays. */
  cancel(): void {
    if (this.giveUp()) this.put({ isGivenUp: true });
  }

  /** @param next where to ask on; from the beginning, if that is not said */
  async #ask(next: number | undefined): Promise<void> {
    const { focus } = this.session.state;
    await this.ask({ isGivenUp: false, focus }, async (signal) => {
      const { text } = this.list;
      const wish = { text, first: focus?.from, last: focus?.to, from: next ?? 1, count: PAGE };
      const page = await this.session.request('search', wish, { signal });
      if (signal.aborted) return;
      const before = next === undefined ? [] : this.list.all;
      this.put({ sought: text, all: [...before, ...page.found], next: page.next });
    });
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
