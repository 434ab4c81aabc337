// Compares what a thread prints with the sums in its trace.
import { areSameOutput, OutputSums, STANDARD_OUTPUT, type OutputSum } from '@turntable/recording';
import type { OutputDifference, ReplayedOutput } from '@turntable/runtime';

export class OutputComparison implements ReplayedOutput {
  readonly #sums = new OutputSums();
  readonly #onDifference: (() => void) | undefined;
  #hasDiffered = false;

  /** @param onDifference called at the first difference, which is then no divergence */
  constructor(onDifference?: () => void) {
    this.#onDifference = onDifference;
  }

  note(stream: number, output: string | Uint8Array): void {
    this.#sums.add(stream, output);
  }

  compare(recorded: readonly OutputSum[]): OutputDifference | undefined {
    const actual = this.#sums.take();
    if (this.#hasDiffered || areSameOutput(recorded, actual)) return undefined;
    this.#hasDiffered = true;
    if (this.#onDifference === undefined)
      return { expected: outputText(recorded, actual), actual: outputText(actual, recorded) };
    this.#onDifference();
    return undefined;
  }
}

/** Describes output. The checksum is stated only where `others` has as many bytes. */
function outputText(sums: readonly OutputSum[], others: readonly OutputSum[]): string {
  const texts = sums.map(({ stream, bytes, checksum }) => {
    const streamName = stream === STANDARD_OUTPUT ? 'standard output' : 'standard error';
    const isSameSize = others.some((each) => each.stream === stream && each.bytes === bytes);
    const checksumText = isSameSize ? ` with the checksum ${checksum.toString(16).padStart(8, '0')}` : '';
    return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'} to ${streamName}${checksumText}`;
  });
  return `the program prints ${texts.length === 0 ? 'nothing' : texts.join(', ')}`;
}
