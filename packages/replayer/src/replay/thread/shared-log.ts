// Log in shared memory to which all threads of a process append lines. The main thread can read it without its event
// loop, so also at the end of the process.

const LOCK_WORD = 0;
const LENGTH_WORD = 1;
const HEADER_BYTES = 8;
const CAPACITY_BYTES = 1 << 18;

export class SharedLog {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  #readLength = 0;

  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + CAPACITY_BYTES)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, 2);
    this.#bytes = new Uint8Array(memory, HEADER_BYTES);
  }

  /** Appends a line; drops it if there is no room. */
  append(line: object): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    while (Atomics.compareExchange(this.#words, LOCK_WORD, 0, 1) !== 0) Atomics.wait(this.#words, LOCK_WORD, 1, 1);
    const offset = Atomics.load(this.#words, LENGTH_WORD);
    if (offset + bytes.length <= this.#bytes.length) {
      this.#bytes.set(bytes, offset);
      Atomics.store(this.#words, LENGTH_WORD, offset + bytes.length);
    }
    Atomics.store(this.#words, LOCK_WORD, 0);
    Atomics.notify(this.#words, LOCK_WORD, 1);
    Atomics.notify(this.#words, LENGTH_WORD);
  }

  /** Lines appended since the last call. */
  readNew(): unknown[] {
    const length = Atomics.load(this.#words, LENGTH_WORD);
    if (length === this.#readLength) return [];
    const text = Buffer.from(this.#bytes.slice(this.#readLength, length)).toString();
    this.#readLength = length;
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  /** Blocks until a line is appended, at most for `timeoutMs`. */
  wait(timeoutMs: number): void {
    Atomics.wait(this.#words, LENGTH_WORD, this.#readLength, timeoutMs);
  }
}
