import { readFileSync } from 'node:fs';

export class Counter {
  #count = 0;

  async add(by: number): Promise<number> {
    // A turn with a call to the host, and one that continues after a timer.
    if (readFileSync(import.meta.filename, 'utf8').length === 0) throw new Error('this file is empty');
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.#count += by;
    return this.#count;
  }
}
