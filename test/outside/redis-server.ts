// Server that answers some of Redis' commands, in the current process: lists with blocking pops, and hashes. It sends
// its answers in small pieces.
import type { Socket } from 'node:net';
import { LoopbackServer } from './loopback-server.ts';

type Value = string | number | null | Value[] | Error;

export class FakeRedisServer extends LoopbackServer {
  readonly #lists = new Map<string, string[]>();
  readonly #hashes = new Map<string, Map<string, string>>();
  readonly #blockedPops: { key: string; take(value: string | undefined): void }[] = [];
  commands = 0;

  protected serve(socket: Socket): void {
    let rest = '';
    let answered = Promise.resolve();
    socket.setEncoding('latin1').on('data', (part: string) => {
      rest += part;
      for (let found = parseCommand(rest); found !== undefined; found = parseCommand(rest)) {
        const { parts, length } = found;
        rest = rest.slice(length);
        const isLast = parts[0] === 'QUIT';
        const answer = this.#execute(parts);
        answered = answered.then(async () => {
          for (const piece of splitInHalf(encode(await answer))) socket.write(piece);
          if (isLast) socket.end();
        });
      }
    });
  }

  #execute([command = '', key = '', ...rest]: readonly string[]): Value | Promise<Value> {
    this.commands++;
    const list = (): string[] => getOrInsert(this.#lists, key, (): string[] => []);
    const hash = (): Map<string, string> => getOrInsert(this.#hashes, key, () => new Map<string, string>());
    switch (command) {
      case 'DEL':
        for (const each of [key, ...rest]) {
          this.#lists.delete(each);
          this.#hashes.delete(each);
        }
        return rest.length + 1;
      case 'RPUSH': {
        const length = list().push(...rest);
        const index = this.#blockedPops.findIndex((each) => each.key === key);
        if (index !== -1) this.#blockedPops.splice(index, 1)[0]?.take(list().shift());
        return length;
      }
      case 'BLPOP': {
        const first = list().shift();
        if (first !== undefined) return [key, first];
        return new Promise((resolve) => {
          const waiting = {
            key,
            take: (value: string | undefined) => {
              clearTimeout(timer);
              resolve(value === undefined ? null : [key, value]);
            },
          };
          const timer = setTimeout(
            () => {
              this.#blockedPops.splice(this.#blockedPops.indexOf(waiting), 1);
              resolve(null);
            },
            Number(rest.at(-1)) * 1000,
          );
          this.#blockedPops.push(waiting);
        });
      }
      case 'HSET':
        hash().set(rest[0] ?? '', rest[1] ?? '');
        return 1;
      case 'HGET':
        return hash().get(rest[0] ?? '') ?? null;
      case 'HLEN':
        return hash().size;
      case 'PUBLISH':
        return 0;
      case 'QUIT':
        return 'OK';
      default:
        return new Error(`ERR unknown command '${command}'`);
    }
  }
}

function getOrInsert<T>(map: Map<string, T>, key: string, create: () => T): T {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
}

function parseCommand(text: string): { parts: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const parts: string[] = [];
  let offset = head[0].length;
  for (let i = 0; i < Number(head[1]); i++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(offset));
    if (size === null) return undefined;
    const from = offset + size[0].length;
    const to = from + Number(size[1]);
    if (text.length < to + 2) return undefined;
    parts.push(Buffer.from(text.slice(from, to), 'latin1').toString());
    offset = to + 2;
  }
  return { parts, length: offset };
}

function encode(value: Value): string {
  if (value === null) return '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (value instanceof Error) return `-${value.message}\r\n`;
  if (Array.isArray(value)) return `*${value.length}\r\n${value.map(encode).join('')}`;
  return value === 'OK' ? '+OK\r\n' : `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
}

function splitInHalf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  return [bytes.subarray(0, half), bytes.subarray(half)];
}
