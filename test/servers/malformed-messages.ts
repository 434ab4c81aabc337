// Random malformed bytes for servers: damaged valid messages, wrong types, deep nesting, invalid UTF-8, bad framing and
// bad HTTP requests. The same seed gives the same bytes.
import { createHash } from 'node:crypto';
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';

type JsonTree = null | boolean | number | string | JsonTree[] | { [key: string]: JsonTree };

const MAX_NESTING = 100_000;
const OVERSIZE_BYTES = (1 << 20) + 1;
/** One message in this number is larger than any limit. */
const OVERSIZE_RARITY = 300;
const INVALID_UTF8 = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xe2, 0x82]];

const NUMBERS = [-1, 0.5, 1e308, 2 ** 53, -(2 ** 63), 4_294_967_296];
const TEXTS = ['', '\0', '\u{202e}', '\u001b[2J', '../../etc/passwd', '%n%s%x', '__proto__', 'x'.repeat(5000)];
const BUILTIN_NAMES = JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":2,"then":3}') as JsonTree;
const CONTAINERS: readonly JsonTree[] = [[], {}, [[]], [null], BUILTIN_NAMES];
const ODD_VALUES: readonly JsonTree[] = [null, true, ...NUMBERS, ...TEXTS, ...CONTAINERS];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'CONNECT', 'TRACE', 'get', 'G\0T', ''];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2', 'HTTP/9.9', ''];
const PLAIN_PATHS = ['/', '*', '', '/json/list', '/json/version', '/start', '/offers', '/open', `/${'a'.repeat(9000)}`];
const ODD_PATHS = ['//', '/?', '/%', '/%00', '/\0', '/./json/../json/list', 'http://evil.example/', '/\\..\\..'];
const TRAVERSALS = ['/../../../etc/passwd', '/..%2f..%2fetc%2fpasswd'];
const PATHS = [...PLAIN_PATHS, ...ODD_PATHS, ...TRAVERSALS];

export class MalformedMessages {
  readonly #random: () => number;
  readonly #valid: readonly object[];

  /** @param valid messages to damage */
  constructor(seed: number, valid: readonly object[]) {
    this.#random = seededRandom(seed);
    this.#valid = valid;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** The bytes of a message, usually not valid JSON or not a valid request. */
  text(): Buffer {
    if (this.below(OVERSIZE_RARITY) === 0)
      return Buffer.alloc(OVERSIZE_BYTES, this.pick(['[', 'x', '"', ' ', '{"a":']));
    const valid = JSON.stringify(this.pick(this.#valid));
    switch (this.below(8)) {
      case 0:
        return Buffer.from(valid.slice(0, this.below(valid.length)));
      case 1:
        return this.damaged(Buffer.from(valid));
      case 2:
        return this.#nested();
      case 3:
        return Buffer.concat([Buffer.from(valid), Buffer.from(this.pick(INVALID_UTF8)), Buffer.from('}')]);
      case 4:
        return this.noise(200);
      case 5:
        return Buffer.from(`[${valid},${valid}]`);
      default:
        return Buffer.from(JSON.stringify(this.#withOddValue(JSON.parse(valid) as JsonTree)));
    }
  }

  noise(maxLength: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(maxLength) }, () => this.below(256)));
  }

  /** The bytes with some of them changed, removed or repeated. */
  damaged(bytes: Buffer): Buffer {
    let result = bytes;
    for (let i = 0; i <= this.below(4); i++) {
      const [from, to] = [this.below(result.length + 1), this.below(result.length + 1)].toSorted((a, b) => a - b);
      const inserted = this.pick([this.noise(8), Buffer.alloc(0), result.subarray(from, to)]);
      result = Buffer.concat([result.subarray(0, from), inserted, result.subarray(this.pick([from, to]))]);
    }
    return result;
  }

  /** An HTTP request to `host`, wrong in any part. @param ownPath a path that the server serves */
  httpRequest(host: string, ownPath: string, body: Buffer, headers: readonly string[] = []): Buffer {
    const path = this.pick([ownPath, ownPath, `${ownPath.slice(0, -1)}0`, `${ownPath}/../..`, ...PATHS]);
    const hosts = [host, host, host, 'evil.example', `evil.example:${host.split(':')[1]}`, '127.0.0.1', '', '[::1]:1'];
    const origins = [`http://${host}`, 'http://evil.example', 'null', 'devtools://devtools', 'file://', ''];
    const lengths = [body.length, body.length, body.length + 1, 0, -1, 1e20, 'x', '5, 6'];
    const lines = [
      `${this.pick(METHODS)} ${path} ${this.pick(VERSIONS)}`,
      `Host: ${this.pick(hosts)}`,
      ...headers.filter(() => this.below(5) > 0),
      ...(this.below(2) === 0 ? [`Origin: ${this.pick(origins)}`] : []),
      ...(this.below(2) === 0 ? [`Content-Length: ${this.pick(lengths)}`] : []),
      ...(this.below(8) === 0 ? ['Transfer-Encoding: chunked'] : []),
      ...(this.below(8) === 0 ? [`Authorization: Bearer ${'0'.repeat(this.below(64))}`] : []),
      ...(this.below(8) === 0 ? ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 99'] : []),
      ...(this.below(16) === 0 ? [`X: ${'y'.repeat(20_000)}`] : []),
      ...(this.below(16) === 0 ? [this.noise(60).toString('latin1')] : []),
    ];
    const request = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
    return this.below(4) === 0 ? this.damaged(request) : request;
  }

  /** Any text as frames of a WebSocket client, sometimes invalid ones. */
  webSocketFrame(payload: Buffer): Buffer {
    const opcode = this.below(12) === 0 ? this.below(16) : 1;
    const reserved = this.below(40) === 0 ? this.below(8) << 4 : 0;
    const first = (this.below(40) === 0 ? 0 : 0x80) | reserved | opcode;
    const isMasked = this.below(40) > 0;
    const statedLength = this.below(40) === 0 ? this.below(2 ** 40) : payload.length;
    const masked = Buffer.from(payload);
    const mask = [1, 2, 3, 4].map(() => this.below(256));
    if (isMasked) for (const [i, byte] of masked.entries()) masked[i] = byte ^ (mask[i % 4] as number);
    return Buffer.concat([
      Buffer.of(first),
      encodeFrameLength(statedLength, isMasked ? 0x80 : 0),
      Buffer.from(isMasked ? mask : []),
      masked,
    ]);
  }

  /** A message of the Debug Adapter Protocol, sometimes with an invalid header. */
  dapFrame(body: Buffer): Buffer {
    const headers = [
      `Content-Length: ${body.length + this.below(3)}`,
      `content-length: -${body.length}`,
      'Content-Length: 99999999999999999999',
      'Content-Type: text',
      `Host: 127.0.0.1`,
      'x'.repeat(this.below(2000)),
    ];
    const header = this.below(20) === 0 ? this.pick(headers) : `Content-Length: ${body.length}`;
    return Buffer.concat([Buffer.from(`${header}\r\n\r\n`), body]);
  }

  #nested(): Buffer {
    const depth = 1 + this.below(MAX_NESTING);
    const [opening, closing] = this.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"params":', '}]'],
    ] as const);
    const tree = `${opening.repeat(depth)}1${this.below(3) === 0 ? '' : closing.repeat(depth)}`;
    const { params: _, arguments: __, ...rest } = this.pick(this.#valid) as Record<string, unknown>;
    const name = this.pick(['params', 'arguments', 'id', 'extra']);
    return Buffer.from(this.below(3) === 0 ? tree : JSON.stringify({ ...rest, [name]: 0 }).replace(/0\}$/, `${tree}}`));
  }

  /** The tree with a random value, or the value of a random key, replaced. */
  #withOddValue(tree: JsonTree): JsonTree {
    if (typeof tree !== 'object' || tree === null || this.below(4) === 0) return this.pick(ODD_VALUES);
    const key = this.pick([...Object.keys(tree), this.pick(['more', '__proto__', 'constructor', '0'])]);
    const inner = (Object.hasOwn(tree, key) ? Reflect.get(tree, key) : null) as JsonTree;
    return { ...tree, [key]: this.#withOddValue(inner) };
  }
}

function encodeFrameLength(length: number, maskBit: number): Buffer {
  if (length < 126) return Buffer.of(maskBit | length);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 9);
  bytes[0] = maskBit | (length < 65_536 ? 126 : 127);
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

/** The request that opens a WebSocket. @param address of the server, with the secret as its path */
export function upgradeRequest(address: string): Buffer {
  const { host, pathname } = new URL(address);
  const key = createHash('md5').update('key').digest('base64');
  return Buffer.from(
    `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
}
