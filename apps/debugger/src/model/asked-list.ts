// A list of the state that its model alone puts, and what is asked for it: the last wish counts.
import { LastAsked } from './last-asked.ts';
import type { Session } from './session.ts';
import type { State } from './state.ts';

type Name = 'requests' | 'promises' | 'output' | 'found' | 'snapshots';

export abstract class AskedList<N extends Name> {
  protected readonly session: Session;
  readonly #name: N;
  readonly #asked: LastAsked;

  /** @param name under which it stands in the state */
  constructor(session: Session, name: N) {
    this.session = session;
    this.#name = name;
    this.#asked = new LastAsked(session);
  }

  protected get list(): State[N] {
    return this.session.state[this.#name];
  }

  /** What is not named stays as it is. */
  protected put(part: Partial<State[N]>): void {
    this.session.store.put({ [this.#name]: { ...this.list, ...part } } as unknown as Partial<State>);
  }

  /** @param over what is done when it was answered, or has failed, and not if something else was asked since */
  protected ask(work: (signal: AbortSignal) => Promise<void>, over: () => void): Promise<void> {
    return this.#asked.ask(work, over);
  }

  protected stop(): void {
    this.#asked.stop();
  }
}
