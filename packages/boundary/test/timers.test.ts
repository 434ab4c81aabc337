// Timers as data: waiting timers are found in firing order and read completely, and copies continue as the originals
// would.
import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect, promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRealm, type Realm } from '@turntable/core';
import { createAsyncContexts } from '../src/realm/async-contexts.ts';
import { firingOrder } from '../src/timers/firing-order.ts';
import { ambientTimers } from '../src/timers/timer-functions.ts';
import { Timers, type TimerState } from '../src/timers/timers.ts';

let realm: Realm;
let timers: Timers;
let programTimers: typeof globalThis;
beforeAll(() => {
  const contexts = createAsyncContexts();
  realm = createRealm({ queueMicrotask, nextTick: process.nextTick, contexts, timers: ambientTimers });
  timers = new Timers(realm);
  programTimers = timers.moduleView as unknown as typeof globalThis;
  contexts.attachTo(realm);
});

const names = (objects: readonly object[]): unknown[] =>
  objects.map((object) => (timers.read(object).args as unknown[] | undefined)?.[0]);

/** Reads the state of all waiting timers and clears them. */
function takeAll(now?: number): [object, TimerState][] {
  const takenStates = timers.pending(now).map((timer): [object, TimerState] => [timer, timers.read(timer, now)]);
  for (const [timer, { kind }] of takenStates) {
    if (kind === 'timeout') clearTimeout(timer as NodeJS.Timeout);
    else clearImmediate(timer as NodeJS.Immediate);
  }
  return takenStates;
}

/** Arms copies in place of the originals. */
function armCopies(
  takenStates: readonly [object, TimerState][],
  prepare: (copies: object[]) => void = () => {},
): Promise<void> {
  return new Promise((resolve) => {
    timers.resume(() => {
      const copies = takenStates.map(([, { kind }]) => timers.allocate(kind));
      copies.forEach((copy, i) => timers.fill(copy, takenStates[i]?.[1] as TimerState));
      for (const copy of copies) timers.arm(copy);
      prepare(copies);
      resolve();
    });
  });
}

const noop: (...args: unknown[]) => void = () => {};

describe('waiting timers', () => {
  it('are found in firing order, wherever they were created', () => {
    const createdTimers = [
      programTimers.setTimeout(noop, 30_000, 'third'),
      programTimers.setInterval(noop, 20_000, 'second'),
      programTimers.setTimeout(noop, 10_000.7, 'first'),
      programTimers.setImmediate(noop, 'immediate'),
      programTimers.setTimeout(noop, 30_000, 'fourth'),
      programTimers.setImmediate(noop, 'other'),
    ];
    const foreign = [setTimeout(noop, 30_000, 'foreign'), setTimeout(noop, 15_000, 'foreign')];
    expect(names(timers.pending())).toEqual(['immediate', 'other', 'first', 'second', 'third', 'fourth']);
    expect(new Set(timers.pending())).toEqual(new Set(createdTimers));
    for (const timer of [...createdTimers, ...foreign]) clearTimeout(timer as NodeJS.Timeout);
    for (const timer of createdTimers) programTimers.clearImmediate(timer as NodeJS.Immediate);
    expect(timers.pending()).toEqual([]);
  });

  it('are not found once fired or cleared, and found again once refreshed', async () => {
    const fired = await new Promise<NodeJS.Timeout>((resolve) => {
      const timeout = programTimers.setTimeout(() => resolve(timeout), 1);
    });
    await new Promise((resolve) => programTimers.setImmediate(resolve));
    const cleared = programTimers.setTimeout(noop, 10);
    clearTimeout(cleared);
    programTimers.setTimeout(noop, 10)[Symbol.dispose]();
    programTimers.setInterval(noop, 10).close();
    programTimers.setImmediate(noop)[Symbol.dispose]();
    expect(timers.pending()).toEqual([]);
    cleared.refresh();
    expect(timers.pending()).toEqual([]);
    fired.refresh();
    expect(timers.pending()).toEqual([fired]);
    clearTimeout(fired);
  });

  it('precede immediates if they are due, and follow them otherwise', () => {
    const [due, late] = [programTimers.setTimeout(noop, 20, 'due'), programTimers.setTimeout(noop, 60, 'late')];
    const immediate = programTimers.setImmediate(noop, 'immediate');
    const now = timers.now();
    expect(names(timers.pending(now))).toEqual(['immediate', 'due', 'late']);
    expect(names(timers.pending(now + 40))).toEqual(['due', 'immediate', 'late']);
    clearTimeout(due);
    clearTimeout(late);
    clearImmediate(immediate);
  });

  it('include immediates of the running round, also after cleared ones', async () => {
    const log: unknown[] = [];
    const seen: unknown[][] = [];
    await new Promise<void>((resolve) => {
      const recordAndRequeue = (name: string): void => {
        log.push(name);
        programTimers.setImmediate(recordAndStop, `made by ${name}`);
        seen.push(names(timers.pending()));
      };
      const recordAndStop = (name: string): void => {
        log.push(name);
        seen.push(names(timers.pending()));
        if (name === 'made by d') resolve();
      };
      programTimers.setImmediate(recordAndRequeue, 'a');
      const b = programTimers.setImmediate(recordAndRequeue, 'b');
      setImmediate(() => log.push('foreign'));
      programTimers.setImmediate(recordAndRequeue, 'c');
      programTimers.setImmediate(recordAndRequeue, 'd');
      const e = programTimers.setImmediate(recordAndRequeue, 'e');
      const f = programTimers.setImmediate(recordAndRequeue, 'f');
      programTimers.clearImmediate(f);
      e[Symbol.dispose]();
      programTimers.clearImmediate(b);
    });
    const [a, c, d] = ['made by a', 'made by c', 'made by d'];
    expect(log).toEqual(['a', 'foreign', 'c', 'd', a, c, d]);
    expect(seen).toEqual([['c', 'd', a], ['d', a, c], [a, c, d], [c, d], [d], []]);
  });

  it('include bursts of immediates', async () => {
    let ran = 0;
    for (let i = 0; i < 5000; i++) programTimers.setImmediate(() => ran++);
    expect(timers.pending().length).toBe(5000);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect([ran, timers.pending().length]).toEqual([5000, 0]);
  });
});

describe('the firing order of lists', () => {
  const list = (msecs: number, id: number, ...starts: [string, number][]) => ({
    msecs,
    id,
    expiry: (starts[0]?.[1] ?? 0) + msecs,
    timeouts: starts.map(([timeout, start]) => ({ timeout, start })),
  });

  it('is by expiry, and by age for equal expiries', () => {
    const lists = [list(10, 2, ['c', 0], ['f', 20]), list(5, 3, ['b', 4], ['d', 5], ['e', 8]), list(9, 1, ['a', 0])];
    expect(firingOrder(lists, 0)).toEqual({ due: [], later: ['a', 'b', 'c', 'd', 'e', 'f'] });
  });

  it('is list by list for due timeouts', () => {
    const lists = [list(10, 1, ['a', 0], ['b', 4], ['z', 90]), list(5, 2, ['c', 6])];
    expect(firingOrder(lists, 50)).toEqual({ due: ['a', 'b', 'c'], later: ['z'] });
  });

  it('holds for many lists', () => {
    const starts = Array.from({ length: 500 }, (_, i) => (i * 7919) % 499);
    const lists = starts.map((start, i) => list(1 + ((i * 31) % 97), i, [String(i), start]));
    const expiry = (name: string): number => lists[Number(name)]?.expiry ?? Number.NaN;
    const { later } = firingOrder(lists, -1);
    expect(later.length).toBe(500);
    for (let i = 1; i < 500; i++) {
      const [a, b] = [later[i - 1] as string, later[i] as string];
      expect(expiry(a) - expiry(b) || Number(a) - Number(b)).toBeLessThan(0);
    }
  });
});

describe('a timer', () => {
  it('is read completely', () => {
    const timeout = programTimers.setTimeout(noop, 5000, 1, 'two').unref();
    const interval = programTimers.setInterval(noop, 7000.5);
    const immediate = programTimers.setImmediate(noop, 'x');
    const id = Number(interval);
    const now = timers.now();
    expect(timers.read(timeout, now)).toMatchObject({
      kind: 'timeout',
      callback: noop,
      args: [1, 'two'],
      delay: 5000,
      repeat: null,
      refed: false,
      pending: true,
      context: undefined,
      id: undefined,
    });
    expect(timers.read(timeout, now + 6000).remaining).toBeLessThanOrEqual(-1000);
    expect(timers.read(interval)).toMatchObject({ delay: 7000.5, repeat: 7000.5, args: undefined, refed: true, id });
    expect(timers.read(immediate)).toMatchObject({ kind: 'immediate', callback: noop, args: ['x'], refed: true });
    clearTimeout(timeout);
    clearTimeout(interval);
    clearImmediate(immediate);
    expect(timers.read(timeout)).toMatchObject({ callback: undefined, delay: -1, destroyed: true, pending: false });
    expect(timers.read(immediate)).toMatchObject({ callback: undefined, refed: null, pending: false });
    expect([timeout, immediate, {}, Object.create(timeout)].map((each) => timers.isTimer(each as object))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('is recreated as it was, waiting or not', async () => {
    const fired = await new Promise<NodeJS.Timeout>((resolve) => {
      const timeout = programTimers.setTimeout((_name: string) => resolve(timeout), 1, 'again').unref();
      timeout.ref();
    });
    const cleared = programTimers.setInterval(noop, 9);
    const id = Number(cleared);
    clearInterval(cleared);
    const ran = await new Promise<NodeJS.Immediate>((resolve) => {
      const immediate = programTimers.setImmediate(() => resolve(immediate));
    });
    for (const timer of [fired, cleared, ran]) {
      const state = timers.read(timer);
      const copy = timers.allocate(state.kind);
      timers.fill(copy, state);
      expect(timers.read(copy)).toEqual(state);
      expect((copy as NodeJS.Timeout).hasRef()).toBe(timer.hasRef());
      if (timer === cleared) expect(Number(copy)).toBe(id);
      if (timer !== fired) continue;
      (copy as NodeJS.Timeout).refresh();
      expect(names(timers.pending())).toEqual(['again']);
      clearTimeout(copy as NodeJS.Timeout);
    }
    expect(timers.pending()).toEqual([]);
  });

  it('has only the properties that Node gives it', () => {
    for (const [kind, timer] of [
      ['timeout', programTimers.setTimeout(noop, 1)],
      ['immediate', programTimers.setImmediate(noop)],
    ] as const) {
      expect(new Set(Reflect.ownKeys(timer))).toEqual(new Set(timers.ownKeys(kind)));
      expect(Reflect.ownKeys(timers.allocate(kind))).toEqual(Reflect.ownKeys(timer));
      expect(inspect(timers.allocate(kind))).toMatch(/(Timeout|Immediate) \{/);
      clearTimeout(timer as NodeJS.Timeout);
      clearImmediate(timer as NodeJS.Immediate);
    }
  });
});

describe('armed copies', () => {
  it('fire in the order of the originals, due ones in the same round, before immediates', async () => {
    const log: unknown[] = [];
    const done = new Promise<void>((resolve) => {
      const say = (text: unknown): void => void log.push(text);
      programTimers.setTimeout(say, 1, 'due 1');
      programTimers.setTimeout(
        (text: unknown) => {
          say(text);
          programTimers.setImmediate(say, 'immediate of due 2');
          programTimers.setTimeout(say, 1, 'timeout of due 2');
        },
        1,
        'due 2',
      );
      programTimers.setImmediate(say, 'immediate 1');
      programTimers.setImmediate(say, 'immediate 2').unref();
      programTimers.setTimeout(say, 40, 'later 1');
      programTimers.setTimeout(say, 40, 'later 2');
      programTimers.setTimeout(() => resolve(say('last')), 45);
    });
    const takenStates = takeAll(timers.now() + 2);
    expect(timers.pending()).toEqual([]);
    await armCopies(takenStates);
    await done;
    expect(log).toEqual([
      'due 1',
      'due 2',
      'immediate 1',
      'immediate 2',
      'immediate of due 2',
      'timeout of due 2',
      'later 1',
      'later 2',
      'last',
    ]);
  });

  it('can be cleared, also by number, refreshed and found again', async () => {
    programTimers.setTimeout(noop, 10_000, 'by number');
    programTimers.setTimeout(noop, 20_000, 'by object');
    programTimers.setTimeout(noop, 30_000, 'refreshed');
    programTimers.setImmediate(noop, 'immediate');
    const id = Number(timers.pending()[1]);
    const later = timers.now() + 8000;
    const takenStates = takeAll(later);
    let copies: object[] = [];
    await armCopies(takenStates, (createdTimers) => (copies = createdTimers));
    const [immediate, first, second, third] = copies as [NodeJS.Immediate, ...NodeJS.Timeout[]];
    const remaining = (timer: object): number => Math.round((timers.read(timer).remaining as number) / 1000);
    expect(names(timers.pending())).toEqual(['immediate', 'by number', 'by object', 'refreshed']);
    expect([first, second, third].map((timer) => remaining(timer as object))).toEqual([2, 12, 22]);
    expect(Number(first)).toBe(id);
    expect(third?.refresh()).toBe(third);
    expect(remaining(third as object)).toBe(30);
    clearTimeout(id);
    clearTimeout(second);
    clearImmediate(immediate);
    expect(names(timers.pending())).toEqual(['refreshed']);
    const retakenStates = takeAll();
    await armCopies(retakenStates, (createdTimers) => (copies = createdTimers));
    expect(remaining(copies[0] as object)).toBe(30);
    clearTimeout(copies[0] as NodeJS.Timeout);
    expect(timers.pending()).toEqual([]);
  });

  it('repeat with their own duration', async () => {
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      programTimers.setInterval(
        function (this: NodeJS.Timeout, name: string) {
          const { repeat, delay, remaining, pending } = timers.read(this);
          log.push(`${name} ${repeat} ${delay} ${pending} ${remaining}`);
          if (log.length < 3) return;
          clearInterval(this);
          resolve();
        },
        7,
        'tick',
      );
      void armCopies(takeAll(timers.now() + 4));
    });
    expect(log).toEqual(Array(3).fill('tick 7 7 false undefined'));
    expect(timers.pending()).toEqual([]);
  });

  it('run in the asynchronous context of the originals', async () => {
    const storage = new AsyncLocalStorage<string>();
    storage.enterWith('outside');
    const seen: unknown[] = [];
    await new Promise<void>((resolve) => {
      const recordStore = (): void => void seen.push(storage.getStore());
      storage.run('a', () => programTimers.setTimeout(recordStore, 25));
      storage.run('b', () => programTimers.setImmediate(recordStore));
      programTimers.setTimeout(recordStore, 75);
      programTimers.setTimeout(resolve, 125);
      const takenStates = takeAll();
      void armCopies(takenStates);
    });
    // A slow machine may fire the timer before the immediate.
    expect(seen.toSorted()).toEqual(['a', 'b', 'outside']);
  });

  it('keep the process alive as the originals would', async () => {
    // Other code starts and ends timers too, so all reads for a comparison happen without a pause.
    const activeTimerCount = (): number =>
      process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate/.test(name)).length;
    const before = activeTimerCount();
    programTimers.setTimeout(noop, 10_000);
    programTimers.setTimeout(noop, 10_000).unref();
    programTimers.setImmediate(noop);
    expect(activeTimerCount() - before).toBe(2);
    let hasReferences: boolean[] = [];
    let heldCount = 0;
    await armCopies(takeAll(), (copies) => {
      hasReferences = copies.map((copy) => (copy as NodeJS.Timeout).hasRef());
      const armedCount = activeTimerCount();
      for (const copy of copies) clearTimeout(copy as NodeJS.Timeout);
      for (const copy of copies) clearImmediate(copy as NodeJS.Immediate);
      heldCount = armedCount - activeTimerCount();
    });
    expect(hasReferences.toSorted()).toEqual([false, true, true]);
    expect(heldCount).toBe(2);
  });
});

describe('timer functions', () => {
  it('look like Node’s', () => {
    for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'clearImmediate'] as const) {
      expect(programTimers[name].length).toBe(globalThis[name].length);
      expect(programTimers[name].name).toBe(name);
      expect(Reflect.ownKeys(programTimers[name])).toEqual(Reflect.ownKeys(globalThis[name]));
      if (name === 'clearImmediate') continue;
      expect(() => programTimers[name]('no function' as never)).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE', name: 'TypeError' }),
      );
    }
    expect(Object.keys(programTimers)).toEqual(Object.keys(process.getBuiltinModule('timers')));
    expect(promisify(programTimers.setTimeout)).toBe(promisify(setTimeout));
  });

  it('yield to replacements of Node’s functions, and stay the same for earlier readers', () => {
    const { ambient } = realm;
    const { setTimeout: before } = globalThis;
    const kept = ambient['setTimeout'];
    expect(kept).toBe(programTimers.setTimeout);
    try {
      const fake = (): string => 'fake';
      globalThis.setTimeout = fake as never;
      expect(ambient['setTimeout']).toBe(fake);
      ambient['setTimeout'] = kept;
      expect(globalThis.setTimeout).toBe(before);
      ambient['setTimeout'] = fake;
      expect(globalThis.setTimeout).toBe(fake);
      clearTimeout((kept as typeof setTimeout)(noop, 500));
    } finally {
      globalThis.setTimeout = before;
    }
    expect(ambient['setTimeout']).toBe(kept);
  });
});
