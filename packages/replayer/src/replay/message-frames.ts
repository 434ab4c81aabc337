// Frames of the messages from a replaying process to its parent: a line of JSON, followed by a payload if the line
// announces one. Chunks of the pipe may end anywhere.

export interface MessageFrame {
  readonly message: object;
  /** The payload after the line. */
  readonly bytes: Buffer | undefined;
}

const LINE_END = 0x0a;
/** Field that announces the size of the payload in bytes. */
const LENGTH_FIELD = 'bytesBehind';

export function encodeMessageFrame(message: object, bytes?: Uint8Array): Uint8Array[] {
  if (bytes === undefined) return [Buffer.from(`${JSON.stringify(message)}\n`)];
  return [Buffer.from(`${JSON.stringify({ ...message, [LENGTH_FIELD]: bytes.length })}\n`), bytes];
}

export class MessageFrameReader {
  /** Chunks of an incomplete line or payload. */
  #chunks: Buffer[] = [];
  #size = 0;
  /** The message whose payload is incomplete. */
  #pendingMessage: object | undefined;
  #expectedBytes = 0;

  /** Adds a chunk and returns the frames that it completes. */
  decode(chunk: Buffer): MessageFrame[] {
    const frames: MessageFrame[] = [];
    let offset = 0;
    while (offset < chunk.length) {
      const pendingMessage = this.#pendingMessage;
      const frameEnd =
        pendingMessage === undefined ? chunk.indexOf(LINE_END, offset) : offset + this.#expectedBytes - this.#size;
      const isWhole = frameEnd !== -1 && frameEnd <= chunk.length;
      this.#append(isWhole ? chunk.subarray(offset, frameEnd) : chunk.subarray(offset));
      if (!isWhole) break;
      offset = pendingMessage === undefined ? frameEnd + 1 : frameEnd;
      const frame =
        pendingMessage === undefined ? this.#decodeLine() : { message: pendingMessage, bytes: this.#takeBytes() };
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  }

  /** Decodes a complete line; undefined if a payload follows it. */
  #decodeLine(): MessageFrame | undefined {
    const { [LENGTH_FIELD]: length, ...message } = JSON.parse(this.#takeBytes().toString()) as Record<string, unknown>;
    if (typeof length !== 'number') return { message, bytes: undefined };
    if (length === 0) return { message, bytes: Buffer.alloc(0) };
    [this.#pendingMessage, this.#expectedBytes] = [message, length];
    return undefined;
  }

  #append(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  #takeBytes(): Buffer {
    const combined = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [];
    this.#size = 0;
    this.#pendingMessage = undefined;
    return combined;
  }
}
