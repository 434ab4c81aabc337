// How far long work has come, in one line of a terminal that is gone when it is done. Elsewhere nothing is said.
import type { WriteStream } from 'node:tty';

/** Milliseconds between two. */
const OFTEN = 100;
const TO_THE_END_OF_THE_LINE = '\u001B[K';

export class Progress {
  readonly #output: Pick<WriteStream, 'isTTY' | 'write'>;
  #said = 0;
  #isShown = false;

  constructor(output: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr) {
    this.#output = output;
  }

  /** `text` is asked for if it is time for it. */
  show(text: () => string): void {
    if (!this.#output.isTTY) return;
    const now = Date.now();
    if (now - this.#said < OFTEN) return;
    this.#said = now;
    this.#isShown = true;
    this.#output.write(`\r${text()}${TO_THE_END_OF_THE_LINE}`);
  }

  done(): void {
    if (this.#isShown) this.#output.write(`\r${TO_THE_END_OF_THE_LINE}`);
    this.#isShown = false;
  }
}
