// Base class of models that own a list in the session state and load it: a new request cancels the one in progress.
import { LatestRequest } from './latest-request.ts';
import type { SessionPort } from './session-port.ts';

export abstract class ListModel<N extends string, S extends Readonly<Record<N, { readonly isLoading: boolean }>>> {
  protected readonly session: SessionPort<S>;
  readonly #name: N;
  readonly #request: LatestRequest;

  /** @param name the field of the session state that has the list */
  constructor(session: SessionPort<S>, name: N) {
    this.session = session;
    this.#name = name;
    this.#request = new LatestRequest(session);
  }

  protected get list(): S[N] {
    return this.session.state[this.#name];
  }

  /** Updates fields of the list; the other fields stay unchanged. */
  protected update(changes: Partial<S[N]>): void {
    this.session.store.update({ [this.#name]: { ...this.list, ...changes } } as unknown as Partial<S>);
  }

  /** Runs a request, with `isLoading` set until it has succeeded or failed. @param changes made before the request */
  protected runRequest(changes: Partial<S[N]>, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.update({ ...changes, isLoading: true });
    return this.#request.run(work, () => this.#setLoading(false));
  }

  /** Cancels the request in progress. Returns whether there was one. */
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
