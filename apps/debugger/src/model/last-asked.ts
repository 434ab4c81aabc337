// What is asked over and over of the same thing: who asks anew does not want the answer before any more.
import type { SessionPort } from './session-port.ts';

export class LastAsked {
  readonly #session: Pick<SessionPort, 'tell'>;
  #asking = new AbortController();

  constructor(session: Pick<SessionPort, 'tell'>) {
    this.#session = session;
  }

  /** @param over what is done when it was answered, or has failed, and not if something else was asked since */
  async ask(work: (signal: AbortSignal) => Promise<void>, over: () => void): Promise<void> {
    this.stop();
    const { signal } = (this.#asking = new AbortController());
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) this.#session.tell(error);
    } finally {
      if (!signal.aborted) over();
    }
  }

  stop(): void {
    this.#asking.abort();
  }
}
