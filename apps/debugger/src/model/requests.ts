// Requests that the program received as a server, in pages, with filter and sort order. Loaded when the view is first
// visible, and again for another focus.
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import type { Focus } from './focus.ts';
import { ListModel } from './list-model.ts';
import type { SessionPort } from './session-port.ts';

export type ListedRequest = ResultOf<'requests'>['requests'][number];

/** `failed`: answered with an error status; `open`: not answered. */
export type RequestsFilter = 'all' | 'failed' | 'open';

export interface RequestsQuery {
  /** Text that the method, URL or status must contain. */
  readonly text: string;
  readonly filter: RequestsFilter;
  readonly sort: NonNullable<ParamsOf<'requests'>['sort']>;
}

export interface RequestsState extends RequestsQuery {
  readonly requests: readonly ListedRequest[];
  readonly total: number;
  /** The focus when the requests were loaded. */
  readonly focus: Focus | undefined;
  /** Whether the first page has been loaded. */
  readonly isLoaded: boolean;
  readonly isLoading: boolean;
}

export const EMPTY_REQUESTS: RequestsState = {
  text: '',
  filter: 'all',
  sort: 'received',
  requests: [],
  total: 0,
  focus: undefined,
  isLoaded: false,
  isLoading: false,
};

/** Number of requests loaded at once. */
const PAGE_SIZE = 200;
/** The lowest HTTP status that counts as an error. */
export const MIN_ERROR_STATUS = 400;

interface SessionFields {
  readonly requests: RequestsState;
  readonly focus: Focus | undefined;
}

export class RequestsModel extends ListModel<'requests', SessionFields> {
  constructor(session: SessionPort<SessionFields>) {
    super(session, 'requests');
  }

  /** Loads the first page, unless it is loaded or loading for the current focus. */
  async load(): Promise<void> {
    const { isLoaded, isLoading, focus } = this.list;
    if (focus !== this.session.state.focus || !(isLoaded || isLoading)) await this.#loadPage(0);
  }

  async setQuery(changes: Partial<RequestsQuery>): Promise<void> {
    this.update(changes);
    await this.#loadPage(0);
  }

  async loadMore(): Promise<void> {
    if (!this.list.isLoading) await this.#loadPage(this.list.requests.length);
  }

  async #loadPage(from: number): Promise<void> {
    const { text, filter, sort } = this.list;
    const { focus } = this.session.state;
    const params: ParamsOf<'requests'> = {
      text: text === '' ? undefined : text,
      status: filter === 'failed' ? MIN_ERROR_STATUS : undefined,
      state: filter === 'open' ? 'open' : undefined,
      firstTask: focus?.from,
      lastTask: focus?.to,
      sort,
      from,
      count: PAGE_SIZE,
    };
    await this.runRequest({ focus }, async (signal) => {
      const { requests, total } = await this.session.request('requests', params, { signal });
      if (signal.aborted) return;
      this.update({ requests: from === 0 ? requests : [...this.list.requests, ...requests], total, isLoaded: true });
    });
  }
}

export function hasFailed({ status }: ListedRequest): boolean {
  return Number(status) >= MIN_ERROR_STATUS;
}

/** Whether the request was in progress at a task: received in it or earlier, and answered in it or later, if at all. */
export function isActiveAt({ received, answered }: ListedRequest, order: number): boolean {
  return (received?.order ?? 0) <= order && order <= (answered?.order ?? Infinity);
}

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}
