// A list of the state that its model alone puts, and what is asked for it: the last wish counts.
import { LastAsked } from './last-asked.ts';
import type { SessionPort } from './session-port.ts';

export abstract class AskedList<N extends string, S extends Readonly<Record<N, object>>> {
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

  /** @param over what is done when it was answered, or has failed, and not if something else was asked since */
  protected ask(work: (signal: AbortSignal) => Promise<void>, over: () => void): Promise<void> {
    return this.#asked.ask(work, over);
  }

  protected stop(): void {
    this.#asked.stop();
  }
}
