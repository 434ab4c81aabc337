// Pending promises at the current position, and the chains of promises for which they wait. Loaded only while the view
// is visible. The ids of promises are valid at one position only.
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
  /** The id of the promise whose chain is shown. */
  readonly selectedId: number | undefined;
  /** The promises of the chain, the selected one first; undefined while they are loading. */
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

/** Number of promises loaded at once, and maximum number of promises in a chain. */
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

  /** Shows the chain of a promise, or hides it if it is shown. @param id the promise's id at the current position */
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
        // Without a chain the request has failed, and its error is shown as a notice.
        if (this.list.chain === undefined) this.update({ selectedId: undefined });
      },
    );
  }
}

/** A promise in a chain, which is a tree if promises wait for several others. */
export interface PromiseChainStep {
  readonly promise: ListedPromise;
  /** Number of steps from the first promise of the chain. */
  readonly depth: number;
  /** Whether the promise occurs earlier in the chain, where its dependencies are listed. */
  readonly isRepeated: boolean;
  /** Whether the promise waits for itself, directly or through others. */
  readonly isCycle: boolean;
}

/** Returns the chain of the first promise: each promise is followed by the promises that it waits for. */
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

/** Returns the reason why a promise is pending; undefined if it waits for other promises, which are listed. */
export function pendingReason({ reason, waitsFor }: ListedPromise): string | undefined {
  return reason ?? (waitsFor.length === 0 ? 'Nothing that settles it was found.' : undefined);
}
