// Progress of long operations, reported to clients that support progress events. Clients can cancel the operations.
import type { MoveProgress } from '@turntable/time-machine/client';

interface ProgressItem {
  readonly id: string;
  readonly controller: AbortController;
}

export class ProgressReporter {
  readonly #emitEvent: (event: string, body: object) => void;
  readonly #active = new Map<string, ProgressItem>();
  #lastId = 0;
  /** Whether the client supports progress events, as its `initialize` request says. */
  isSupported = false;

  constructor(emitEvent: (event: string, body: object) => void) {
    this.#emitEvent = emitEvent;
  }

  /**
   * Starts the report of an operation.
   * @param title shown to the user
   * @param controller aborted when the client cancels the operation
   * @param shouldShowAtOnce shows the operation before its first update; others are shown at their second update
   */
  start(title: string, controller: AbortController, shouldShowAtOnce = false): MoveProgress {
    const item: ProgressItem = { id: `turntable-${++this.#lastId}`, controller };
    this.#active.set(item.id, item);
    let updates = 0;
    let percentage = shouldShowAtOnce ? 0 : undefined;
    if (shouldShowAtOnce) this.#sendStart(item, title);
    return {
      signal: controller.signal,
      onProgress: (done, total) => {
        updates++;
        const nextPercentage = Math.min(99, Math.floor((done / Math.max(1, total)) * 100));
        if (percentage === undefined && updates < 2) return;
        if (percentage === undefined) this.#sendStart(item, title);
        if (percentage !== undefined && nextPercentage <= percentage) return;
        percentage = nextPercentage;
        this.#send('progressUpdate', { progressId: item.id, percentage });
      },
      end: () => {
        this.#active.delete(item.id);
        if (percentage !== undefined) this.#send('progressEnd', { progressId: item.id });
        percentage = undefined;
      },
    };
  }

  cancel(id: string): void {
    this.#active.get(id)?.controller.abort();
  }

  #sendStart({ id }: ProgressItem, title: string): void {
    this.#send('progressStart', { progressId: id, title, cancellable: true });
  }

  #send(event: string, body: object): void {
    if (this.isSupported) this.#emitEvent(event, body);
  }
}
