// What a run again says to the process that has started it: lines of JSON, some of which have bytes behind them, as many as they say. Where a pipe cuts
// them into chunks is of no account.

export interface Frame {
  /** One line of JSON, as it was given. */
  readonly said: object;
  /** What stands behind it. */
  readonly bytes: Buffer | undefined;
}

const LINE_END = 0x0a;
/** In a line: how many bytes come behind it. */
const LENGTH = 'bytesBehind';

export function frameOf(said: object, bytes?: Uint8Array): Uint8Array[] {
  if (bytes === undefined) return [Buffer.from(`${JSON.stringify(said)}\n`)];
  return [Buffer.from(`${JSON.stringify({ ...said, [LENGTH]: bytes.length })}\n`), bytes];
}

export class FrameReader {
  /** Of what is not whole yet. */
  #chunks: Buffer[] = [];
  #size = 0;
  /** The line whose bytes have not all come, and how many they are. */
  #opened: object | undefined;
  #wanted = 0;

  /** Answers what is whole by now. */
  add(chunk: Buffer): Frame[] {
    const whole: Frame[] = [];
    let at = 0;
    while (at < chunk.length) {
      const opened = this.#opened;
      const end = opened === undefined ? chunk.indexOf(LINE_END, at) : at + this.#wanted - this.#size;
      const isWhole = end !== -1 && end <= chunk.length;
      this.#keep(isWhole ? chunk.subarray(at, end) : chunk.subarray(at));
      if (!isWhole) break;
      at = opened === undefined ? end + 1 : end;
      const frame = opened === undefined ? this.#line() : { said: opened, bytes: this.#take() };
      if (frame !== undefined) whole.push(frame);
    }
    return whole;
  }

  /** A line has come; nothing, if there is more to come behind it. */
  #line(): Frame | undefined {
    const { [LENGTH]: length, ...said } = JSON.parse(this.#take().toString()) as Record<string, unknown>;
    if (typeof length !== 'number') return { said, bytes: undefined };
    if (length === 0) return { said, bytes: Buffer.alloc(0) };
    [this.#opened, this.#wanted] = [said, length];
    return undefined;
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  #take(): Buffer {
    const whole = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [];
    this.#size = 0;
    this.#opened = undefined;
    return whole;
  }
}
