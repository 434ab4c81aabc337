// DAP messages in a byte stream: a header with the length of the body, then the body as JSON. Other header fields are
// refused, so that an HTTP request of a web page fails at its first line.
import { DapError } from './dap-error.ts';

const HEADER_END = '\r\n\r\n';
const MAX_HEADER_BYTES = 1024;
const MAX_BODY_BYTES = 1 << 24;
const EMPTY = Buffer.alloc(0);

export class MessageReader {
  #header: Buffer = EMPTY;
  /** Number of bytes of the body that have not arrived; undefined while the header is incomplete. */
  #missingBytes: number | undefined;
  readonly #chunks: Buffer[] = [];

  /** Yields the bodies that these bytes complete. Throws on malformed input; the stream cannot be read any further. */
  *read(bytes: Buffer): Generator<string, void, undefined> {
    let remaining = bytes;
    while (remaining.length > 0) {
      if (this.#missingBytes === undefined) remaining = this.#readHeader(remaining);
      if (this.#missingBytes === undefined) return;
      const chunk = remaining.subarray(0, this.#missingBytes);
      this.#chunks.push(chunk);
      this.#missingBytes -= chunk.length;
      remaining = remaining.subarray(chunk.length);
      if (this.#missingBytes > 0) return;
      this.#missingBytes = undefined;
      yield Buffer.concat(this.#chunks.splice(0)).toString();
    }
  }

  /** Reads header bytes and returns the bytes after the header; no bytes while the header is incomplete. */
  #readHeader(remaining: Buffer): Buffer {
    const header = Buffer.concat([this.#header, remaining]);
    const end = header.indexOf(HEADER_END);
    if (end === -1 ? header.length > MAX_HEADER_BYTES : end > MAX_HEADER_BYTES)
      throw new DapError('TT_DAP_FRAME', `a message must start with a header of at most ${MAX_HEADER_BYTES} bytes`);
    if (end === -1) {
      this.#header = header;
      return EMPTY;
    }
    this.#missingBytes = contentLength(header.toString('latin1', 0, end));
    this.#header = EMPTY;
    return header.subarray(end + HEADER_END.length);
  }
}

function contentLength(header: string): number {
  let length: number | undefined;
  for (const line of header.split('\r\n')) {
    const [, name, value = ''] = /^(content-length|content-type): *(.*)$/i.exec(line) ?? [];
    if (name === undefined)
      throw new DapError('TT_DAP_FRAME', `a message must start with Content-Length, not with ${JSON.stringify(line)}`);
    if (name.toLowerCase() === 'content-type') continue;
    if (!/^\d{1,9}$/.test(value) || Number(value) === 0)
      throw new DapError('TT_DAP_FRAME', `Content-Length must be a number of bytes, not ${JSON.stringify(value)}`);
    length = Number(value);
  }
  if (length === undefined) throw new DapError('TT_DAP_FRAME', 'a message must start with Content-Length');
  if (length > MAX_BODY_BYTES)
    throw new DapError('TT_DAP_FRAME', `a message must have at most ${MAX_BODY_BYTES} bytes, not ${length}`);
  return length;
}

export function frameMessage(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
