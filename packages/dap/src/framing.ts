// Messages in a stream of bytes: a head that says how long the body is, and the body, which is a JSON text. Nothing else may be in a head: what a page of the web can send to a port of this
// computer begins with a line of HTTP, and is refused before anything of it is taken for a message.
import { DapError } from './dap-error.ts';

const HEADER_END = '\r\n\r\n';
/** Bytes of a head. */
const MAX_HEADER_BYTES = 1024;
/** Bytes of a body. */
const MAX_BODY_BYTES = 1 << 24;
const EMPTY = Buffer.alloc(0);

export class MessageReader {
  #header: Buffer = EMPTY;
  /** Bytes of a body that are missing; undefined before its head is there. */
  #missingBytes: number | undefined;
  readonly #chunks: Buffer[] = [];

  /** The bodies that are whole with these bytes. Throws where they are none of this protocol: then nothing behind can be read either. */
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

  /** Answers what is behind it. */
  #readHeader(remaining: Buffer): Buffer {
    const header = Buffer.concat([this.#header, remaining]);
    const end = header.indexOf(HEADER_END);
    if (end === -1 ? header.length > MAX_HEADER_BYTES : end > MAX_HEADER_BYTES)
      throw new DapError('TT_DAP_FRAME', `a message begins with a head of at most ${MAX_HEADER_BYTES} bytes`);
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
      throw new DapError('TT_DAP_FRAME', `a message begins with Content-Length, not with ${JSON.stringify(line)}`);
    if (name.toLowerCase() === 'content-type') continue;
    if (!/^\d{1,9}$/.test(value) || Number(value) === 0)
      throw new DapError('TT_DAP_FRAME', `Content-Length is a number of bytes, not ${JSON.stringify(value)}`);
    length = Number(value);
  }
  if (length === undefined) throw new DapError('TT_DAP_FRAME', 'a message begins with Content-Length');
  if (length > MAX_BODY_BYTES)
    throw new DapError('TT_DAP_FRAME', `a message has at most ${MAX_BODY_BYTES} bytes, not ${length}`);
  return length;
}

export function frameMessage(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
