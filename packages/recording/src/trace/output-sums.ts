// Sums of what a thread has printed. A recording keeps no output: it has the sums of the output before each event, and
// a replay compares its own with them.
import { crc32 } from 'node:zlib';

export const STANDARD_OUTPUT = 1;
export const STANDARD_ERROR = 2;

/** What a thread has printed to a stream since its previous event. */
export interface OutputSum {
  /** Descriptor of standard output or standard error. */
  readonly stream: number;
  readonly bytes: number;
  /** CRC-32 of the bytes. */
  readonly checksum: number;
}

/** Sums up the output of a thread from one event to the next. */
export class OutputSums {
  #sums: OutputSum[] = [];

  get isEmpty(): boolean {
    return this.#sums.length === 0;
  }

  /** @param output a text is printed in UTF-8 */
  add(stream: number, output: string | Uint8Array): void {
    const length = typeof output === 'string' ? Buffer.byteLength(output) : output.length;
    if (length === 0) return;
    const index = this.#sums.findIndex((each) => each.stream === stream);
    const { bytes, checksum } = this.#sums[index] ?? { bytes: 0, checksum: 0 };
    const sum = { stream, bytes: bytes + length, checksum: crc32(output, checksum) };
    if (index === -1) this.#sums.push(sum);
    else this.#sums[index] = sum;
  }

  /** Returns the sums and starts again. */
  take(): readonly OutputSum[] {
    const sums = this.#sums;
    if (sums.length > 0) this.#sums = [];
    return sums;
  }
}

/** Whether the sums are equal. A stream without output has no sum. */
export function areSameOutput(some: readonly OutputSum[], others: readonly OutputSum[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ stream, bytes, checksum }) =>
      others.some((each) => each.stream === stream && each.bytes === bytes && each.checksum === checksum),
    )
  );
}
