// How far long work has come, in one line of a terminal that is gone when it is done. Elsewhere nothing is said.
import type { WriteStream } from 'node:tty';

/** Milliseconds between two. */
const REFRESH_INTERVAL_MS = 100;
const CLEAR_TO_LINE_END = '\u001B[K';

export class ProgressLine {
  readonly #output: Pick<WriteStream, 'isTTY' | 'write'>;
  #lastShownAt = 0;
  #isShown = false;

  constructor(output: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr) {
    this.#output = output;
  }

  /** `text` is asked for if it is time for it. */
  show(text: () => string): void {
    if (!this.#output.isTTY) return;
    const now = Date.now();
    if (now - this.#lastShownAt < REFRESH_INTERVAL_MS) return;
    this.#lastShownAt = now;
    this.#isShown = true;
    this.#output.write(`\r${text()}${CLEAR_TO_LINE_END}`);
  }

  clear(): void {
    if (this.#isShown) this.#output.write(`\r${CLEAR_TO_LINE_END}`);
    this.#isShown = false;
  }
}
