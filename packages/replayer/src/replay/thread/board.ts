// A board that all threads of a process can write lines on and one reads, without either having to be called back: the main thread reads it when it stands
// still, at the end of its process, too.

const LOCK = 0;
const LENGTH = 1;
const HEAD = 8;
const ROOM = 1 << 18;

export class Board {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  #read = 0;

  constructor(memory = new SharedArrayBuffer(HEAD + ROOM)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, 2);
    this.#bytes = new Uint8Array(memory, HEAD);
  }

  /** One for which there is no room is not there. */
  write(line: object): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    while (Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0) Atomics.wait(this.#words, LOCK, 1, 1);
    const at = Atomics.load(this.#words, LENGTH);
    if (at + bytes.length <= this.#bytes.length) {
      this.#bytes.set(bytes, at);
      Atomics.store(this.#words, LENGTH, at + bytes.length);
    }
    Atomics.store(this.#words, LOCK, 0);
    Atomics.notify(this.#words, LOCK, 1);
    Atomics.notify(this.#words, LENGTH);
  }

  /** Those that have come since. */
  take(): unknown[] {
    const end = Atomics.load(this.#words, LENGTH);
    if (end === this.#read) return [];
    const text = Buffer.from(this.#bytes.slice(this.#read, end)).toString();
    this.#read = end;
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  /** Stands still until there is more, or for so many milliseconds. */
  wait(milliseconds: number): void {
    Atomics.wait(this.#words, LENGTH, this.#read, milliseconds);
  }
}
