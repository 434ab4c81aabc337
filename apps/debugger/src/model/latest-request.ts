// What is asked over and over of the same thing: who asks anew does not want the answer before any more.
import type { SessionPort } from './session-port.ts';

export class LatestRequest {
  readonly #session: Pick<SessionPort, 'showError'>;
  #controller = new AbortController();

  constructor(session: Pick<SessionPort, 'showError'>) {
    this.#session = session;
  }

  /** @param onEnd what is done when it was answered, or has failed, and not if something else was asked since */
  async run(work: (signal: AbortSignal) => Promise<void>, onEnd: () => void): Promise<void> {
    this.cancel();
    const { signal } = (this.#controller = new AbortController());
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) this.#session.showError(error);
    } finally {
      if (!signal.aborted) onEnd();
    }
  }

  cancel(): void {
    this.#controller.abort();
  }
}
