import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { EVENT } from '../../src/membrane/crossing.ts';
import { TOGETHER } from '../../src/membrane/handle-lifetimes.ts';
import type { BaseMembrane } from '../../src/membrane/membrane.ts';
import { contexts, Diverged, record, replay, staticsOf } from './tapes.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Runs it on both sides; answers what it has said, which is the same. */
function both<World>(
  outside: () => Record<string, object>,
  program: (world: World, say: (...said: unknown[]) => void, membrane: BaseMembrane) => void,
  later?: (outside: Record<string, object>) => void,
): unknown[] {
  const said: unknown[][] = [];
  const run = (real: Record<string, object>, said: unknown[]) => (membrane: BaseMembrane) => {
    const world = Object.fromEntries(Object.entries(real).map(([name, value]) => [name, membrane.handleOf(value)]));
    program(world as World, (...words) => said.push(words), membrane);
  };
  const first: unknown[] = [];
  const there = outside();
  const events = record(staticsOf(there), run(there, first), () => later?.(there));
  const second: unknown[] = [];
  const here = outside();
  expect(replay(staticsOf(here), events, run(here, second))).toBe(0);
  expect(second).toEqual(first);
  said.push(first);
  return first;
}

describe('a membrane', () => {
  it('answers again what functions of the outside have answered, and calls none of them', () => {
    let calls = 0;
    const said = both(
      () => ({
        add: (a: number, b: number) => {
          calls++;
          return a + b + calls / 10;
        },
      }),
      ({ add }: { add: (a: number, b: number) => number }, say) => say(add(1, 2), add(3, 4)),
    );
    expect(said).toEqual([[3.1, 7.2]]);
    expect(calls).toBe(2);
  });

  it('calls what the outside has called, within an ask and later, with what it was given', () => {
    const said = both(
      () => {
        const kept: ((value: unknown) => unknown)[] = [];
        return {
          each: (values: number[], fn: (value: number) => number) => values.map((value) => fn(value * 10)),
          keep: (fn: (value: unknown) => unknown) => void kept.push(fn),
          kept: () => kept,
        };
      },
      (
        { each, keep }: { each: (v: number[], f: (v: number) => number) => number[]; keep: (f: unknown) => void },
        say,
      ) => {
        say(each([1, 2], (value) => (say('called', value), value + 1)));
        keep((event: { data: Uint8Array; name: string }) => say('later', event.name, [...event.data]));
      },
      ({ kept }) => {
        for (const fn of (kept as () => ((value: unknown) => void)[])()) fn({ name: 'x', data: Buffer.from('ab') });
      },
    );
    expect(said).toEqual([['called', 10], ['called', 20], [[11, 21]], ['later', 'x', [97, 98]]]);
  });

  it('gives back what it was given: actors, plain data, functions', () => {
    class Account {
      balance = 1;
    }
    const said = both(
      () => ({ box: Object.assign(() => {}, { held: undefined as unknown, echo: <T>(value: T): T => value }) }),
      ({ box }: { box: { held: unknown; echo<T>(value: T): T } }, say) => {
        const account = new Account();
        const data = { list: [1, { account }] };
        const fn = (): number => 1;
        box.held = account;
        say(box.held === account, box.echo(account) === account, box.echo(data) === data, box.echo(fn) === fn);
        say(box.echo(box) === box, box.echo(new Map([[1, 2]])).get(1));
        box.held = data;
        say(box.held === data, (box.held as typeof data).list[1]);
      },
    );
    expect(said[0]).toEqual([true, true, true, true]);
    expect(said[1]).toEqual([true, 2]);
  });

  it('notes a property once, and again when it has changed', () => {
    class Socket {
      bytes = 0;
      read(): void {
        this.bytes += 10;
      }
    }
    const said = both(
      () => ({ Socket }),
      ({ Socket: Type }: { Socket: typeof Socket }, say) => {
        const socket = new Type();
        const seen = [socket.bytes, socket.bytes, socket.bytes];
        socket.read();
        say(...seen, socket.bytes, socket.bytes, socket instanceof Type, Object.keys(socket), 'bytes' in socket);
        socket.bytes = 3;
        say(socket.bytes, JSON.stringify(socket), { ...socket });
      },
    );
    expect(said).toEqual([
      [0, 0, 0, 10, 10, true, ['bytes'], true],
      [3, '{"bytes":3}', { bytes: 3 }],
    ]);
  });

  it('can be frozen, sealed and closed, and is what it is afterwards', () => {
    class Socket {
      port = 1;
      readonly options = { tls: true };
      get address(): string {
        return `at ${this.port}`;
      }
    }
    const said = both(
      () => ({ Socket, fixed: Object.freeze([1, { a: 2 }]) }),
      ({ Socket: Type, fixed }: { Socket: typeof Socket; fixed: readonly unknown[] }, say) => {
        const socket = new Type();
        say(Object.isExtensible(socket), Object.isFrozen(socket), Object.isFrozen(Type), Object.isFrozen(fixed));
        say(Object.freeze(socket) === socket, Object.isFrozen(socket), Object.isSealed(socket));
        say(Reflect.set(socket, 'port', 2), Reflect.deleteProperty(socket, 'port'), Reflect.set(socket, 'more', 1));
        say(socket.port, socket.address, Object.entries(socket).length, socket instanceof Type, 'port' in socket);
        say(Object.isFrozen(socket.options), Object.getOwnPropertyDescriptor(socket, 'port'));
        const closed = Object.preventExtensions(new Type());
        closed.port = 3;
        say(closed.port, Reflect.defineProperty(closed, 'more', { value: 1 }), Object.isFrozen(closed));
        say(Reflect.deleteProperty(closed, 'port'), 'port' in closed, Object.keys(closed), closed.address);
        const sealed = Object.seal(new Type());
        sealed.port = 4;
        say(sealed.port, Reflect.deleteProperty(sealed, 'port'), Object.isSealed(sealed), Object.isFrozen(sealed));
        say(
          fixed.map((each) => typeof each),
          Reflect.set(fixed, 0, 9),
          fixed[0],
          Object.isFrozen(fixed[1]),
        );
        say(
          Object.getOwnPropertyDescriptor(Type, 'prototype')?.writable,
          Object.getOwnPropertyDescriptor(Type, 'name')?.value,
        );
        say(inspect(socket).includes('port'), inspect(closed).includes('options'));
      },
    );
    expect(said).toEqual([
      [true, false, false, true],
      [true, true, true],
      [false, false, false],
      [1, 'at 1', 2, true, true],
      [false, { value: 1, writable: false, enumerable: true, configurable: false }],
      [3, false, false],
      [true, false, ['options'], 'at undefined'],
      [4, false, true, false],
      [['number', 'object'], false, 1, false],
      [false, 'Socket'],
      [true, true],
    ]);
  });

  it('finds a symbol of the program’s again that the outside has found by looking', () => {
    const said = both(
      () => ({
        values: (object: Record<symbol, unknown>) =>
          Object.getOwnPropertySymbols(object).map((key) => (object[key] as { length: number }).length),
        again: (object: Record<symbol, unknown>, key: symbol) => object[key],
      }),
      ({ values, again }: { values(object: object): number[]; again(object: object, key: symbol): unknown }, say) => {
        const [inner, other] = [Symbol('inner'), Symbol('inner')];
        class Holder {
          readonly [inner] = (): void => {};
          readonly [other] = (only: unknown): unknown => only;
        }
        const holder = new Holder();
        say(values(holder), again(holder, other) === holder[other], again(holder, inner) === holder[inner]);
      },
    );
    expect(said).toEqual([[[0, 1], true, true]]);
  });

  it('lets classes of the program extend classes of the outside', () => {
    class Stream {
      chunks: unknown[] = [];
      readonly options: { size: number };
      constructor(options: { size: number }) {
        this.options = options;
      }
      write(chunk: unknown): this {
        (this as unknown as { transform(chunk: unknown, done: (value: unknown) => void): void }).transform(
          chunk,
          (value) => this.chunks.push(value),
        );
        return this;
      }
    }
    const said = both(
      () => ({ Stream }),
      ({ Stream: Type }: { Stream: typeof Stream }, say) => {
        class Upper extends Type {
          count = 0;
          transform(chunk: string, done: (value: string) => void): void {
            this.count++;
            done(chunk.toUpperCase());
          }
        }
        const upper = new Upper({ size: 3 });
        say(upper.write('a').write('b') === upper, upper.count, upper.chunks.length, upper.chunks[1]);
        say(upper instanceof Upper, upper instanceof Type, upper.constructor === Upper, upper.options.size);
      },
    );
    expect(said).toEqual([
      [true, 2, 2, 'B'],
      [true, true, true, 3],
    ]);
  });

  it('throws what was thrown, both ways', () => {
    const said = both(
      () => ({
        fail: () => {
          throw Object.assign(new TypeError('no'), { code: 'E', errno: -2 });
        },
        attempt: (fn: () => void) => {
          try {
            fn();
          } catch (error) {
            return error;
          }
          return undefined;
        },
      }),
      ({ fail, attempt }: { fail: () => void; attempt: (f: () => void) => unknown }, say) => {
        try {
          fail();
        } catch (error) {
          say(error instanceof TypeError, (error as { code: string }).code, (error as Error).message, String(error));
        }
        const own = new Error('mine');
        say(
          attempt(() => {
            throw own;
          }) === own,
        );
      },
    );
    expect(said).toEqual([[true, 'E', 'no', 'TypeError: no'], [true]]);
  });

  it('finds that the program asks something else', () => {
    const outside = (): Record<string, object> => ({ a: () => 1, b: { x: 1 } });
    const real = outside();
    const events = record(staticsOf(real), (membrane) => void membrane.handleOf(real['a'] as () => number)());
    const again = outside();
    expect(() =>
      replay(staticsOf(again), events, (membrane) => void (membrane.handleOf(again['b'] as { x: number }).x + 1)),
    ).toThrow(Diverged);
  });

  it('writes again into bytes that were lent, when they were written', () => {
    const said = both(
      () => {
        let pending = (): void => {};
        return {
          readSync: (into: Uint8Array) => into.fill(7, 1, 3).length,
          read: (into: Uint8Array, done: (count: number) => void) => {
            pending = () => {
              into.fill(9);
              done(4);
            };
          },
          later: () => pending(),
        };
      },
      (
        {
          readSync,
          read,
        }: { readSync: (into: Uint8Array) => number; read: (into: Uint8Array, done: (count: number) => void) => void },
        say,
      ) => {
        const bytes = Buffer.alloc(4);
        say(readSync(bytes), ...bytes);
        read(bytes, (count) => say(count, ...bytes));
        say(...bytes);
      },
      ({ later }) => (later as () => void)(),
    );
    expect(said).toEqual([
      [4, 0, 7, 7, 0],
      [0, 7, 7, 0],
      [4, 9, 9, 9, 9],
    ]);
  });

  it('lets the collector have handles that know of each other, and says so', async () => {
    class Socket {
      other: Socket | undefined;
    }
    const there = { Socket };
    let kept: BaseMembrane | undefined;
    const events = record(staticsOf(there), (membrane) => {
      kept = membrane;
      const Type = membrane.handleOf(Socket);
      for (let i = 0; i < TOGETHER; i++) {
        const [one, other] = [new Type(), new Type()];
        [one.other, other.other] = [other, one];
        if (one.other.other !== one) throw new Error('another one');
      }
    });
    const isSaid = (): boolean =>
      events.some(({ what, value }) => what === 'entry' && Array.isArray(value) && value[0] === EVENT.released);
    for (let n = 0; n < 50 && !isSaid(); n++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isSaid()).toBe(true);
    expect(kept?.isHandle({})).toBe(false);
  });

  it('lets the collector have contexts in which something was asked, and a run again forgets them, too', async () => {
    const there = { look: () => 1 };
    const asking =
      (asked: { ask?: () => void; membrane?: BaseMembrane }) =>
      (membrane: BaseMembrane): void => {
        const look = membrane.handleOf(there.look);
        asked.membrane = membrane;
        asked.ask = () => {
          for (let i = 0; i < 600; i++) {
            contexts.now = {};
            look();
          }
          contexts.now = undefined;
        };
      };
    const first: Parameters<typeof asking>[0] = {};
    const events = record(staticsOf(there), asking(first));
    const released = (): readonly unknown[] => {
      const last = events.at(-1);
      return last?.what === 'entry' ? ((last.value as readonly unknown[])[3] as readonly unknown[]) : [];
    };
    let times = 0;
    for (; times < 50 && released().length === 0; times++) {
      first.ask?.();
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(released().length).toBeGreaterThan(0);
    const second: typeof first = {};
    const left = replay(staticsOf(there), events, (membrane) => {
      asking(second)(membrane);
      for (let n = 0; n < times; n++) second.ask?.();
    });
    expect(left).toBe(0);
    expect(second.membrane?.read(() => true).state.contexts).toHaveLength(600 * times - released().length);
  });
});
