// What takes long, as clients see it: how far it is, and that it can be given up.
import type { Working } from '@turntable/time-machine/client';

interface Work {
  readonly id: string;
  readonly controller: AbortController;
}

export class Works {
  readonly #tell: (event: string, body: object) => void;
  readonly #open = new Map<string, Work>();
  #last = 0;
  /** Whether the client shows it. */
  isShown = false;

  constructor(tell: (event: string, body: object) => void) {
    this.#tell = tell;
  }

  /**
   * @param title what is done
   * @param controller by which it is given up
   * @param isLong it is known to be, and nobody says how far it is: otherwise it is told of when it has said so twice
   */
  begin(title: string, controller: AbortController, isLong = false): Working {
    const work: Work = { id: `turntable-${++this.#last}`, controller };
    this.#open.set(work.id, work);
    let calls = 0;
    let share = isLong ? 0 : undefined;
    if (isLong) this.#begin(work, title);
    return {
      signal: controller.signal,
      onProgress: (done, total) => {
        calls++;
        const next = Math.min(99, Math.floor((done / Math.max(1, total)) * 100));
        if (share === undefined && calls < 2) return;
        if (share === undefined) this.#begin(work, title);
        if (share !== undefined && next <= share) return;
        share = next;
        this.#show('progressUpdate', { progressId: work.id, percentage: share });
      },
      end: () => {
        this.#open.delete(work.id);
        if (share !== undefined) this.#show('progressEnd', { progressId: work.id });
        share = undefined;
      },
    };
  }

  cancel(id: string): void {
    this.#open.get(id)?.controller.abort();
  }

  #begin({ id }: Work, title: string): void {
    this.#show('progressStart', { progressId: id, title, cancellable: true });
  }

  #show(event: string, body: object): void {
    if (this.isShown) this.#tell(event, body);
  }
}
