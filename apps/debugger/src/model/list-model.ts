// A list of the state that its model alone puts, and what is asked for it: the last wish counts.
import { LatestRequest } from './latest-request.ts';
import type { SessionPort } from './session-port.ts';

export abstract class ListModel<N extends string, S extends Readonly<Record<N, { readonly isLoading: boolean }>>> {
  protected readonly session: SessionPort<S>;
  readonly #name: N;
  readonly #request: LatestRequest;

  /** @param name under which it stands in the state */
  constructor(session: SessionPort<S>, name: N) {
    this.session = session;
    this.#name = name;
    this.#request = new LatestRequest(session);
  }

  protected get list(): S[N] {
    return this.session.state[this.#name];
  }

  /** What is not named stays as it is. */
  protected update(changes: Partial<S[N]>): void {
    this.session.store.update({ [this.#name]: { ...this.list, ...changes } } as unknown as Partial<S>);
  }

  /** The list is `isLoading` until the answer, or an error, has come. @param changes what else changes in the list now */
  protected runRequest(changes: Partial<S[N]>, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.update({ ...changes, isLoading: true });
    return this.#request.run(work, () => this.#setLoading(false));
  }

  /** Cancels the request under way; returns whether there was one. */
  protected cancelRequest(): boolean {
    const { isLoading } = this.list;
    this.#request.cancel();
    if (isLoading) this.#setLoading(false);
    return isLoading;
  }

  #setLoading(isLoading: boolean): void {
    this.update({ isLoading } as Partial<S[N]>);
  }
}
