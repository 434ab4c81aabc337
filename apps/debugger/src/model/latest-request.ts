// A repeated request: a new request cancels the one in progress, so that only the latest has an effect.
import type { SessionPort } from './session-port.ts';

export class LatestRequest {
  readonly #session: Pick<SessionPort, 'showError'>;
  #controller = new AbortController();

  constructor(session: Pick<SessionPort, 'showError'>) {
    this.#session = session;
  }

  /** Runs a request. @param onEnd called when it has succeeded or failed, but not if it was cancelled or replaced */
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
