// Pending promises at the current position, and the chains of promises they wait for. Loaded while the view is visible;
// ids are valid at one position only.
import type { ResultOf, CursorInfo } from '@turntable/time-machine/protocol';
import { ListModel } from './list-model.ts';
import { LatestRequest } from './latest-request.ts';
import type { SessionPort } from './session-port.ts';

export type ListedPromise = ResultOf<'promises'>['promises'][number];

export interface PromisesState {
  readonly promises: readonly ListedPromise[];
  readonly total: number;
  readonly position: string | undefined;
  readonly isLoading: boolean;
  /** The promise whose chain is shown. */
  readonly selectedId: number | undefined;
  /** Starts with the selected promise; undefined while it is loading. */
  readonly chain: readonly ListedPromise[] | undefined;
}

export const EMPTY_PROMISES: PromisesState = {
  promises: [],
  total: 0,
  position: undefined,
  isLoading: false,
  selectedId: undefined,
  chain: undefined,
};

/** Number of promises loaded at once, and maximum length of a chain. */
const PAGE_SIZE = 100;
const MAX_CHAIN_LENGTH = 200;

interface SessionFields {
  readonly promises: PromisesState;
  readonly cursor: CursorInfo | undefined;
}

export class PromisesModel extends ListModel<'promises', SessionFields> {
  readonly #chainRequest: LatestRequest;

  constructor(session: SessionPort<SessionFields>) {
    super(session, 'promises');
    this.#chainRequest = new LatestRequest(session);
  }

  async load(): Promise<void> {
    const position = this.session.state.cursor?.position;
    this.#chainRequest.cancel();
    await this.runRequest({}, async (signal) => {
      const { promises, total } = await this.session.request('promises', { count: PAGE_SIZE }, { signal });
      if (!signal.aborted) this.update({ promises, total, position, selectedId: undefined, chain: undefined });
    });
  }

  async loadMore(): Promise<void> {
    const from = this.list.promises.length;
    await this.runRequest({}, async (signal) => {
      const { promises, total } = await this.session.request('promises', { from, count: PAGE_SIZE }, { signal });
      if (!signal.aborted) this.update({ promises: [...this.list.promises, ...promises], total });
    });
  }

  stopLoading(): void {
    this.cancelRequest();
    this.#chainRequest.cancel();
  }

  /** Shows the chain of a promise, or hides it. @param id of the promise */
  async select(id: number): Promise<void> {
    const isSelected = this.list.selectedId === id;
    this.#chainRequest.cancel();
    this.update({ selectedId: isSelected ? undefined : id, chain: undefined });
    if (isSelected) return;
    await this.#chainRequest.run(
      async (signal) => {
        const { promises } = await this.session.request(
          'promises',
          { promise: id, count: MAX_CHAIN_LENGTH },
          { signal },
        );
        if (!signal.aborted) this.update({ chain: promises });
      },
      () => {
        // The request has failed and the error is shown.
        if (this.list.chain === undefined) this.update({ selectedId: undefined });
      },
    );
  }
}

/** A promise in a chain. */
export interface PromiseChainStep {
  readonly promise: ListedPromise;
  /** Distance from the first promise. */
  readonly depth: number;
  /** Whether an earlier step lists its dependencies. */
  readonly isRepeated: boolean;
  /** Whether it waits for itself. */
  readonly isCycle: boolean;
}

/** The promises that the first one waits for, each followed by its own dependencies. */
export function promiseChain(promises: readonly ListedPromise[]): PromiseChainStep[] {
  const byId = new Map(promises.map((each) => [each.value.id, each]));
  const seen = new Set<ListedPromise>();
  const steps: PromiseChainStep[] = [];
  const add = (promise: ListedPromise, ancestors: readonly ListedPromise[]): void => {
    const isRepeated = seen.has(promise);
    steps.push({ promise, depth: ancestors.length, isRepeated, isCycle: ancestors.includes(promise) });
    if (isRepeated) return;
    seen.add(promise);
    for (const id of promise.waitsFor) {
      const next = byId.get(id);
      if (next !== undefined) add(next, [...ancestors, promise]);
    }
  };
  if (promises[0] !== undefined) add(promises[0], []);
  return steps;
}

/** The reason why a promise is pending; undefined if it waits for other promises. */
export function pendingReason({ reason, waitsFor }: ListedPromise): string | undefined {
  return reason ?? (waitsFor.length === 0 ? 'Nothing is known that would settle it.' : undefined);
}
