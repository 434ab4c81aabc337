// Tests that the undo log gets everything that methods of Node change in objects of the program: a model of the log
// notes values before a method runs, and restores them after it.
import { Buffer } from 'node:buffer';
import EventEmitter from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { types } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createNodeMutators } from '../src/thread/node-mutators.ts';

const MUTATORS = createNodeMutators();
type Notes = Parameters<(typeof MUTATORS)[number][2]>[0];

/** Undo log that keeps old values. */
class ModelLog {
  readonly obstacles: string[] = [];
  readonly #undo: (() => void)[] = [];

  readonly notes = {
    isProxy: (value: unknown) => types.isProxy(value),
    noteProperty: (object: object, key: PropertyKey) => this.#noteProperty(object, key),
    noteAllProperties: (object: object) => {
      const keys = Reflect.ownKeys(object);
      for (const key of keys) this.#noteProperty(object, key);
      this.#undo.push(() => {
        for (const key of Reflect.ownKeys(object)) if (!keys.includes(key)) Reflect.deleteProperty(object, key);
      });
    },
    noteElements: (list: unknown[]) => {
      const before = [...list];
      this.#undo.push(() => list.splice(0, list.length, ...before));
    },
    noteBytes: (value: unknown) => {
      if (!ArrayBuffer.isView(value)) return;
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      const before = bytes.slice();
      this.#undo.push(() => bytes.set(before));
    },
    noteState: (object: object, read: (of: object) => unknown, write: (of: object, state: unknown) => void) => {
      const before = read(object);
      this.#undo.push(() => write(object, before));
    },
    noteObstacle: (reason: string) => void this.obstacles.push(reason),
  } as unknown as Notes;

  #noteProperty(object: object, key: PropertyKey): void {
    const before = Reflect.getOwnPropertyDescriptor(object, key);
    this.#undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(object, key);
      else Reflect.defineProperty(object, key, before);
    });
  }

  restore(): void {
    for (const undo of this.#undo.reverse()) undo();
  }
}

/** Calls a method as the program does, after the log has noted what it changes. */
function call(log: ModelLog, receiver: object, name: string, ...args: unknown[]): void {
  const found = MUTATORS.filter(
    ([prototype, names]) => names.split(' ').includes(name) && Object.prototype.isPrototypeOf.call(prototype, receiver),
  );
  expect(found, name).toHaveLength(1);
  found[0]?.[2](log.notes, receiver as never, args as never);
  Reflect.apply(Reflect.get(receiver, name) as () => unknown, receiver, args);
}

/** Runs methods and undoes them. The state must change in between, and be restored. */
function expectUndone(receiver: object, read: () => unknown, ...calls: [name: string, ...args: unknown[]][]): void {
  for (const each of calls) {
    const log = new ModelLog();
    const before = read();
    call(log, receiver, ...each);
    expect(read(), each.join(' ')).not.toEqual(before);
    log.restore();
    expect(read(), each.join(' ')).toEqual(before);
    expect(log.obstacles).toEqual([]);
  }
}

describe('undone', () => {
  it('changes of listeners', () => {
    const [first, second, third] = [() => 1, () => 2, () => 3];
    for (const count of [0, 1, 2]) {
      const emitter = new EventEmitter();
      for (const listener of [first, second].slice(0, count)) emitter.on('event', listener);
      emitter.on('other', third);
      const read = (): unknown => [
        emitter.eventNames().toSorted(),
        emitter.rawListeners('event'),
        emitter.rawListeners('other'),
        emitter.getMaxListeners(),
        Reflect.get(emitter, '_eventsCount'),
      ];
      expectUndone(
        emitter,
        read,
        ['on', 'event', third],
        ['addListener', 'new', third],
        ['prependListener', 'event', third],
        ['off', 'other', third],
        ['setMaxListeners', 99],
        ['removeAllListeners'],
        ['removeAllListeners', 'other'],
        ...(count === 0 ? [] : ([['removeListener', 'event', first]] as [string, ...unknown[]][])),
      );
    }
  });

  it('the limit of listeners and state behind symbols', () => {
    const emitter = new EventEmitter();
    const key = Symbol('state');
    Reflect.set(emitter, key, 1);
    const log = new ModelLog();
    call(log, emitter, 'on', 'event', () => 1);
    Reflect.set(emitter, key, 2);
    log.restore();
    expect(Reflect.get(emitter, key)).toBe(1);
  });

  it('bytes of buffers, also those that another buffer is copied into', () => {
    const buffer = Buffer.from('abcdefgh');
    const read = (): string => buffer.toString('hex');
    expectUndone(
      buffer,
      read,
      ['write', 'xyz', 1],
      ['fill', 7],
      ['swap16'],
      ['swap32'],
      ['swap64'],
      ['writeUInt8', 1, 0],
      ['writeDoubleLE', 1.5, 0],
      ['utf8Write', 'zz', 0],
    );
    const target = Buffer.alloc(4);
    const log = new ModelLog();
    call(log, buffer, 'copy', target, 0, 1);
    expect(target.toString()).toBe('bcde');
    log.restore();
    expect(target.toString('hex')).toBe('00000000');
  });

  it('bytes that a decoder keeps', () => {
    const decoder = new StringDecoder('utf8');
    decoder.write(Buffer.from([0xe2]));
    const rest = (): string => {
      const copy = new StringDecoder('utf8');
      const [source] = Object.getOwnPropertySymbols(decoder).map((key) => Reflect.get(decoder, key) as unknown);
      const [target] = Object.getOwnPropertySymbols(copy).map((key) => Reflect.get(copy, key) as unknown);
      if (Buffer.isBuffer(source) && Buffer.isBuffer(target)) source.copy(target);
      return copy.write(Buffer.from([0x82, 0xac]));
    };
    expect(rest()).toBe('€');
    expectUndone(decoder, rest, ['write', Buffer.from([0x82])], ['end']);
  });

  it('parameters of URLs', () => {
    const parameters = new URLSearchParams('b=1&a=2&b=3&%20=%26');
    expectUndone(
      parameters,
      () => parameters.toString(),
      ['append', 'c', '4'],
      ['delete', 'b'],
      ['set', 'b', '5'],
      ['sort'],
    );
    const { searchParams, ...url } = new URL('http://host/?a=1');
    expect(url).toEqual({});
    expectUndone(searchParams, () => searchParams.toString(), ['set', 'a', '2']);
  });
});

it('what cannot be undone is an obstacle, with its reason', () => {
  const target = new EventTarget();
  const listener = (): void => undefined;
  const log = new ModelLog();
  call(log, target, 'addEventListener', 'event', listener);
  call(log, target, 'removeEventListener', 'event', listener);
  call(log, new AbortController(), 'abort');
  expect(log.obstacles).toEqual([
    'listeners of an EventTarget have changed',
    'listeners of an EventTarget have changed',
    'an AbortController has aborted',
  ]);
});

it('receivers of other types are left alone, and no trap of a proxy runs', () => {
  const trapped = (target: object): object =>
    new Proxy(target, {
      ownKeys() {
        throw new Error('a trap ran');
      },
      getOwnPropertyDescriptor() {
        throw new Error('a trap ran');
      },
    });
  const log = new ModelLog();
  for (const [prototype, , note] of MUTATORS) {
    if ([EventTarget.prototype, AbortController.prototype].includes(prototype as never)) continue;
    for (const receiver of [undefined, null, 1, 'text', {}, Object.create(null) as object])
      note(log.notes, receiver as never, ['event'] as never);
    if (prototype === EventEmitter.prototype || prototype === URLSearchParams.prototype)
      note(
        log.notes,
        trapped(prototype === EventEmitter.prototype ? new EventEmitter() : new URLSearchParams()) as never,
        ['a'] as never,
      );
  }
  log.restore();
  expect(log.obstacles).toEqual([]);
});
