// Progress line on a terminal, which `clear` removes. Prints nothing if the output is not a terminal.
import type { WriteStream } from 'node:tty';

const REFRESH_INTERVAL_MS = 100;
const CLEAR_TO_LINE_END = '\u001B[K';

export class ProgressLine {
  readonly #output: Pick<WriteStream, 'isTTY' | 'write'>;
  #lastShownAt = 0;
  #isShown = false;

  constructor(output: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr) {
    this.#output = output;
  }

  /** Shows a text at most once in `REFRESH_INTERVAL_MS`. `text` is called only if its result is shown. */
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
