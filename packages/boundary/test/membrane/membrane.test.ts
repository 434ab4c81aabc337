import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MEMBRANE_EVENT } from '../../src/membrane/encoding.ts';
import { GROUP_SIZE } from '../../src/membrane/handle-lifetimes.ts';
import type { BaseMembrane } from '../../src/membrane/base-membrane.ts';
import { currentContext, DivergenceError, record, replay, staticsOf } from './tapes.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Records a program and replays it. Returns its output, which must be the same in both runs. */
function recordAndReplay<World>(
  createHost: () => Record<string, object>,
  program: (world: World, say: (...said: unknown[]) => void, membrane: BaseMembrane) => void,
  driveHost?: (host: Record<string, object>) => void,
): unknown[] {
  const said: unknown[][] = [];
  const run = (hostObjects: Record<string, object>, said: unknown[]) => (membrane: BaseMembrane) => {
    const world = Object.fromEntries(
      Object.entries(hostObjects).map(([name, value]) => [name, membrane.proxyFor(value)]),
    );
    program(world as World, (...values) => said.push(values), membrane);
  };
  const first: unknown[] = [];
  const recordedHost = createHost();
  const events = record(staticsOf(recordedHost), run(recordedHost, first), () => driveHost?.(recordedHost));
  const second: unknown[] = [];
  const replayedHost = createHost();
  expect(replay(staticsOf(replayedHost), events, run(replayedHost, second))).toBe(0);
  expect(second).toEqual(first);
  said.push(first);
  return first;
}

describe('a membrane', () => {
  it('replays results of host functions without calling them', () => {
    let calls = 0;
    const said = recordAndReplay(
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

  it('replays callbacks with their arguments, during a host call and later', () => {
    const said = recordAndReplay(
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

  it('returns actors, plain data and functions to their own side as they were', () => {
    class Account {
      balance = 1;
    }
    const said = recordAndReplay(
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

  it('records a property once, and again when it has changed', () => {
    class Socket {
      bytes = 0;
      read(): void {
        this.bytes += 10;
      }
    }
    const said = recordAndReplay(
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

  it('reports frozen, sealed and non-extensible objects as the host does', () => {
    class Socket {
      port = 1;
      readonly options = { tls: true };
      get address(): string {
        return `at ${this.port}`;
      }
    }
    const said = recordAndReplay(
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

  it('decodes a program symbol that the host has found by reflection', () => {
    const said = recordAndReplay(
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

  it('lets program classes extend host classes', () => {
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
    const said = recordAndReplay(
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

  it('passes thrown errors in both directions', () => {
    const said = recordAndReplay(
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

  it('detects a different host call as a divergence', () => {
    const outside = (): Record<string, object> => ({ a: () => 1, b: { x: 1 } });
    const hostObjects = outside();
    const events = record(
      staticsOf(hostObjects),
      (membrane) => void membrane.proxyFor(hostObjects['a'] as () => number)(),
    );
    const otherHost = outside();
    expect(() =>
      replay(
        staticsOf(otherHost),
        events,
        (membrane) => void (membrane.proxyFor(otherHost['b'] as { x: number }).x + 1),
      ),
    ).toThrow(DivergenceError);
  });

  it('replays writes to lent buffers at their time', () => {
    const said = recordAndReplay(
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

  it('lets handles that reference each other be collected, and reports it', async () => {
    class Socket {
      other: Socket | undefined;
    }
    const recordedHost = { Socket };
    let keptMembrane: BaseMembrane | undefined;
    const events = record(staticsOf(recordedHost), (membrane) => {
      keptMembrane = membrane;
      const Type = membrane.proxyFor(Socket);
      for (let i = 0; i < GROUP_SIZE; i++) {
        const [one, other] = [new Type(), new Type()];
        [one.other, other.other] = [other, one];
        if (one.other.other !== one) throw new Error('another one');
      }
    });
    const isReleaseRecorded = (): boolean =>
      events.some(
        ({ kind: what, value }) => what === 'entry' && Array.isArray(value) && value[0] === MEMBRANE_EVENT.released,
      );
    for (let n = 0; n < 50 && !isReleaseRecorded(); n++) {
      collectGarbage();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isReleaseRecorded()).toBe(true);
    expect(keptMembrane?.isHandle({})).toBe(false);
  });

  it('lets contexts of host calls be collected, and a replay releases them too', async () => {
    const recordedHost = { look: () => 1 };
    const createProgram =
      (asked: { ask?: () => void; membrane?: BaseMembrane }) =>
      (membrane: BaseMembrane): void => {
        const look = membrane.proxyFor(recordedHost.look);
        asked.membrane = membrane;
        asked.ask = () => {
          for (let i = 0; i < 600; i++) {
            currentContext.value = {};
            look();
          }
          currentContext.value = undefined;
        };
      };
    const first: Parameters<typeof createProgram>[0] = {};
    const events = record(staticsOf(recordedHost), createProgram(first));
    const releasedContexts = (): readonly unknown[] => {
      const last = events.at(-1);
      return last?.kind === 'entry' ? ((last.value as readonly unknown[])[3] as readonly unknown[]) : [];
    };
    let times = 0;
    for (; times < 50 && releasedContexts().length === 0; times++) {
      first.ask?.();
      collectGarbage();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(releasedContexts().length).toBeGreaterThan(0);
    const second: typeof first = {};
    const left = replay(staticsOf(recordedHost), events, (membrane) => {
      createProgram(second)(membrane);
      for (let n = 0; n < times; n++) second.ask?.();
    });
    expect(left).toBe(0);
    expect(second.membrane?.capture(() => true).state.contexts).toHaveLength(600 * times - releasedContexts().length);
  });
});
