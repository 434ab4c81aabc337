// Messages in a stream of bytes: a head that says how long the body is, and the body, which is a JSON text. Nothing else may be in a head: what a page of the web can send to a port of this
// computer begins with a line of HTTP, and is refused before anything of it is taken for a message.
import { DapError } from './dap-error.ts';

const END = '\r\n\r\n';
/** Bytes of a head. */
const LONGEST_HEAD = 1024;
/** Bytes of a body. */
const LARGEST = 1 << 24;
const EMPTY = Buffer.alloc(0);

export class FrameReader {
  #head: Buffer = EMPTY;
  /** Bytes of a body that are missing; undefined before its head is there. */
  #missing: number | undefined;
  readonly #parts: Buffer[] = [];

  /** The bodies that are whole with these bytes. Throws where they are none of this protocol: then nothing behind can be read either. */
  *read(bytes: Buffer): Generator<string, void, undefined> {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#missing === undefined) rest = this.#readHead(rest);
      if (this.#missing === undefined) return;
      const part = rest.subarray(0, this.#missing);
      this.#parts.push(part);
      this.#missing -= part.length;
      rest = rest.subarray(part.length);
      if (this.#missing > 0) return;
      this.#missing = undefined;
      yield Buffer.concat(this.#parts.splice(0)).toString();
    }
  }

  /** Answers what is behind it. */
  #readHead(rest: Buffer): Buffer {
    const head = Buffer.concat([this.#head, rest]);
    const end = head.indexOf(END);
    if (end === -1 ? head.length > LONGEST_HEAD : end > LONGEST_HEAD)
      throw new DapError('TT_DAP_FRAME', `a message begins with a head of at most ${LONGEST_HEAD} bytes`);
    if (end === -1) {
      this.#head = head;
      return EMPTY;
    }
    this.#missing = lengthIn(head.toString('latin1', 0, end));
    this.#head = EMPTY;
    return head.subarray(end + END.length);
  }
}

function lengthIn(head: string): number {
  let length: number | undefined;
  for (const line of head.split('\r\n')) {
    const [, name, value = ''] = /^(content-length|content-type): *(.*)$/i.exec(line) ?? [];
    if (name === undefined)
      throw new DapError('TT_DAP_FRAME', `a message begins with Content-Length, not with ${JSON.stringify(line)}`);
    if (name.toLowerCase() === 'content-type') continue;
    if (!/^\d{1,9}$/.test(value) || Number(value) === 0)
      throw new DapError('TT_DAP_FRAME', `Content-Length is a number of bytes, not ${JSON.stringify(value)}`);
    length = Number(value);
  }
  if (length === undefined) throw new DapError('TT_DAP_FRAME', 'a message begins with Content-Length');
  if (length > LARGEST) throw new DapError('TT_DAP_FRAME', `a message has at most ${LARGEST} bytes, not ${length}`);
  return length;
}

export function framed(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
