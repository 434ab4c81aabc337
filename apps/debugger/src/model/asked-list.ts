// A list of the state that its model alone puts, and what is asked for it: the last wish counts.
import { LastAsked } from './last-asked.ts';
import type { SessionPort } from './session-port.ts';

export abstract class AskedList<N extends string, S extends Readonly<Record<N, { readonly isAsking: boolean }>>> {
  protected readonly session: SessionPort<S>;
  readonly #name: N;
  readonly #asked: LastAsked;

  /** @param name under which it stands in the state */
  constructor(session: SessionPort<S>, name: N) {
    this.session = session;
    this.#name = name;
    this.#asked = new LastAsked(session);
  }

  protected get list(): S[N] {
    return this.session.state[this.#name];
  }

  /** What is not named stays as it is. */
  protected put(part: Partial<S[N]>): void {
    this.session.store.put({ [this.#name]: { ...this.list, ...part } } as unknown as Partial<S>);
  }

  /** The list is `isAsking` until the answer, or an error, has come. @param part what else changes in the list now */
  protected ask(part: Partial<S[N]>, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.put({ ...part, isAsking: true });
    return this.#asked.ask(work, () => this.#putAsking(false));
  }

  /** Cancels the request under way; returns whether there was one. */
  protected giveUp(): boolean {
    const { isAsking } = this.list;
    this.#asked.stop();
    if (isAsking) this.#putAsking(false);
    return isAsking;
  }

  #putAsking(isAsking: boolean): void {
    this.put({ isAsking } as Partial<S[N]>);
  }
}
