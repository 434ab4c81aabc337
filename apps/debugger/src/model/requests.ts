// Requests to services of the program, page by page, in the order and of the kind that somebody wants to see. Asked for as soon as somebody looks.
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import type { Focus } from './focus.ts';
import { AskedList } from './asked-list.ts';
import type { SessionPort } from './session-port.ts';

export type ToldRequest = ResultOf<'requests'>['requests'][number];

/** Those with a status of errors; those that were not seen to be answered. */
export type WhichRequests = 'all' | 'failed' | 'open';

export interface RequestWish {
  /** What is in method, URL or status. */
  readonly text: string;
  readonly which: WhichRequests;
  readonly sort: NonNullable<ParamsOf<'requests'>['sort']>;
}

export interface RequestList extends RequestWish {
  readonly all: readonly ToldRequest[];
  readonly total: number;
  /** The piece of the recording that they are of. */
  readonly focus: Focus | undefined;
  /** Whether it was asked for. */
  readonly isKnown: boolean;
  readonly isAsking: boolean;
}

export const NO_REQUESTS: RequestList = {
  text: '',
  which: 'all',
  sort: 'came',
  all: [],
  total: 0,
  focus: undefined,
  isKnown: false,
  isAsking: false,
};

/** Requests that are asked for at once. */
const PAGE = 200;
/** The first status of those that say that something went wrong. */
export const FAILED = 400;

interface SessionFields {
  readonly requests: RequestList;
  readonly focus: Focus | undefined;
}

export class Requests extends AskedList<'requests', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'requests');
  }

  /** Those that are wished for, unless they are there. */
  async look(): Promise<void> {
    const { isKnown, isAsking, focus } = this.list;
    if (focus !== this.session.state.focus || !(isKnown || isAsking)) await this.#ask(0);
  }

  async wish(part: Partial<RequestWish>): Promise<void> {
    this.put(part);
    await this.#ask(0);
  }

  async more(): Promise<void> {
    if (!this.list.isAsking) await this.#ask(this.list.all.length);
  }

  async #ask(from: number): Promise<void> {
    const { text, which, sort } = this.list;
    const { focus } = this.session.state;
    const wanted: ParamsOf<'requests'> = {
      matching: text === '' ? undefined : `*${text}*`,
      status: which === 'failed' ? FAILED : undefined,
      state: which === 'open' ? 'open' : undefined,
      first: focus?.from,
      last: focus?.to,
      sort,
      from,
      count: PAGE,
    };
    await this.ask({ focus }, async (signal) => {
      const { requests, total } = await this.session.request('requests', wanted, { signal });
      if (signal.aborted) return;
      this.put({ all: from === 0 ? requests : [...this.list.all, ...requests], total, isKnown: true });
    });
  }
}

export function isFailed({ status }: ToldRequest): boolean {
  return Number(status) >= FAILED;
}

/** Whether the program was at it at a place: it had come and was not answered before. */
export function isUnderWay({ came, answered }: ToldRequest, order: number): boolean {
  return (came?.order ?? 0) <= order && order <= (answered?.order ?? Infinity);
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}
