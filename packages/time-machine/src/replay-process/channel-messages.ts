// The channel between the time machine and a replay process: lines of JSON.

/** Descriptor of the channel in the child process. */
export const CHANNEL_DESCRIPTOR = 4;

/** Encodes a message for the channel, as a line of JSON. */
export function encodeMessage(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/** Splits the text that arrives through a channel in arbitrary chunks into messages. */
export class MessageDecoder {
  /** Pieces of a message that has not ended. */
  readonly #pieces: string[] = [];

  /** The messages that end in this chunk. They are not validated: each side trusts the other. */
  decode(chunk: string): unknown[] {
    const lines = chunk.split('\n');
    const last = lines.pop() as string;
    const [first] = lines;
    if (first !== undefined) {
      lines[0] = this.#pieces.join('') + first;
      this.#pieces.length = 0;
    }
    if (last !== '') this.#pieces.push(last);
    return lines.map((line): unknown => JSON.parse(line));
  }
}
