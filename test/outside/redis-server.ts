// A server that answers a few commands as Redis does, in the process that starts it: lists that can be waited for, hashes. Its answers come in small pieces.
import type { Socket } from 'node:net';
import { LoopbackServer } from './loopback-server.ts';

type Value = string | number | null | Value[] | Error;

export class RedisServer extends LoopbackServer {
  readonly #lists = new Map<string, string[]>();
  readonly #hashes = new Map<string, Map<string, string>>();
  readonly #waiting: { key: string; take(value: string | undefined): void }[] = [];
  commands = 0;

  protected serve(socket: Socket): void {
    let rest = '';
    let answered = Promise.resolve();
    socket.setEncoding('latin1').on('data', (part: string) => {
      rest += part;
      for (let found = commandIn(rest); found !== undefined; found = commandIn(rest)) {
        const { parts, length } = found;
        rest = rest.slice(length);
        const isLast = parts[0] === 'QUIT';
        const answer = this.#do(parts);
        answered = answered.then(async () => {
          for (const piece of inPieces(encoded(await answer))) socket.write(piece);
          if (isLast) socket.end();
        });
      }
    });
  }

  #do([command = '', key = '', ...rest]: readonly string[]): Value | Promise<Value> {
    this.commands++;
    const list = (): string[] => inserted(this.#lists, key, (): string[] => []);
    const hash = (): Map<string, string> => inserted(this.#hashes, key, () => new Map<string, string>());
    switch (command) {
      case 'DEL':
        for (const each of [key, ...rest]) {
          this.#lists.delete(each);
          this.#hashes.delete(each);
        }
        return rest.length + 1;
      case 'RPUSH': {
        const length = list().push(...rest);
        const index = this.#waiting.findIndex((each) => each.key === key);
        if (index !== -1) this.#waiting.splice(index, 1)[0]?.take(list().shift());
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
              this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
              resolve(null);
            },
            Number(rest.at(-1)) * 1000,
          );
          this.#waiting.push(waiting);
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

function inserted<T>(map: Map<string, T>, key: string, made: () => T): T {
  const found = map.get(key) ?? made();
  map.set(key, found);
  return found;
}

function commandIn(text: string): { parts: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const parts: string[] = [];
  let at = head[0].length;
  for (let i = 0; i < Number(head[1]); i++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (size === null) return undefined;
    const from = at + size[0].length;
    const to = from + Number(size[1]);
    if (text.length < to + 2) return undefined;
    parts.push(Buffer.from(text.slice(from, to), 'latin1').toString());
    at = to + 2;
  }
  return { parts, length: at };
}

function encoded(value: Value): string {
  if (value === null) return '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (value instanceof Error) return `-${value.message}\r\n`;
  if (Array.isArray(value)) return `*${value.length}\r\n${value.map(encoded).join('')}`;
  return value === 'OK' ? '+OK\r\n' : `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
}

function inPieces(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  return [bytes.subarray(0, half), bytes.subarray(half)];
}
