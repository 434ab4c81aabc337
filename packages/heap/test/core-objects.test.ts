// Core's state as bytes: programs are suspended, written, and resumed in a second realm. The programs are those of
// core's own capture tests.
import { internals } from '@turntable/core';
import { describe, expect, test } from 'vitest';
import { CORE_FIELDS, CORE_KINDS } from '../src/kinds/core-objects.ts';
import { testCode } from './code.ts';
import { testWorld } from './ports.ts';
import type { Frame, Realm } from '@turntable/core';
import type { TestWorld } from './ports.ts';

/** Code with a table, the same in both worlds, so that functions can be written by ordinal. */
function createProgram(): { world: TestWorld; lines: unknown[]; fn: Record<string, (...args: never[]) => unknown> } {
  const code = testCode();
  const lines: unknown[] = [];
  const world = testWorld(() => ({ adapters: code.adapters }));
  const { realm } = world.ports;
  const closure = (body: (...args: never[]) => unknown) =>
    code.closure((_, ...args) => body(...(args as never[])))() as never;
  const fn = {
    log: closure((value: unknown) => void lines.push(value)),
    fail: closure((reason: unknown) => void lines.push(`failed ${String(reason)}`)),
    thenable: closure((resolve: (value: unknown) => void) => resolve('from thenable')),
    step: closure((F: Frame, v: unknown, t: number) => {
      const pc = F.pc;
      F.pc = 0;
      if (pc === 0) return realm.await(F, 1, F.s0);
      if (t === 1) throw v;
      lines.push(`got ${String(v)}`);
      return v;
    }),
    each: closure((F: Frame, _v: unknown, t: number) => {
      const pc = F.pc;
      F.pc = 0;
      if (pc === 0) F.s1 = new realm.ForOf(F, F.s0);
      else (F.s1 as { again(): void }).again();
      let isResuming = pc === 1;
      for (const entry of F.s1 as Iterable<unknown>) {
        if (!isResuming) {
          F.pc = 1;
          return { value: entry, done: false };
        }
        isResuming = false;
        if (t === 2) return { value: undefined, done: true };
      }
      return { value: undefined, done: true };
    }),
  };
  return { world, lines, fn };
}

/** Starts in one realm and resumes in another, or does both in one for comparison. */
function run(
  start: (realm: Realm, fn: ReturnType<typeof createProgram>['fn']) => object,
  resume: (root: never, realm: Realm) => void,
  movesRealm: boolean,
): unknown[] {
  const first = createProgram();
  const root = start(first.world.ports.realm, first.fn);
  if (!movesRealm) {
    resume(root as never, first.world.ports.realm);
    first.world.host.settle();
    return first.lines;
  }
  const bytes = first.world.heap.write({ root, queues: internals.readQueues(first.world.ports.realm) });
  const second = createProgram();
  const state = second.world.heap.read(bytes) as { root: object; queues: never };
  internals.writeQueues(second.world.ports.realm, state.queues);
  resume(state.root as never, second.world.ports.realm);
  second.world.host.settle();
  return [...first.lines, ...second.lines];
}

function frameOf(realm: Realm, step: unknown, ...slots: unknown[]): Frame {
  const frame = new realm.Frame(step as never);
  slots.forEach((value, i) => ((frame as unknown as Record<string, unknown>)[`s${i}`] = value));
  return frame;
}

describe('resumes in a second realm', () => {
  const programs: Record<string, [Parameters<typeof run>[0], Parameters<typeof run>[1]]> = {
    'a frame waiting for an eventual': [
      (realm, fn) => {
        const { promise, resolve } = realm.Promise.withResolvers();
        const done = realm.async(frameOf(realm, fn['step'], promise)) as unknown as Promise<unknown>;
        done.then(fn['log'] as never);
        return { resolve };
      },
      ({ resolve }: { resolve(value: unknown): void }) => resolve('late'),
    ],
    'jobs of every kind in the queue': [
      (realm, fn) => {
        const { Promise } = realm;
        const log = fn['log'] as never;
        Promise.resolve(1).then(log);
        Promise.reject(2).then(log, fn['fail'] as never);
        Promise.resolve(Promise.resolve(3)).then(log);
        new Promise((resolve) => resolve(Promise.resolve(4))).then(log);
        Promise.resolve({ then: fn['thenable'] } as never).then(log);
        realm.jobs.queueMicrotask(log);
        realm.nextTick(log, 'tick');
        return {};
      },
      () => undefined,
    ],
    'combinators with some elements settled': [
      (realm, fn) => {
        const { Promise } = realm;
        const [a, b] = [Promise.withResolvers(), Promise.withResolvers()];
        Promise.all([a.promise, b.promise]).then(fn['log'] as never);
        Promise.allSettled([a.promise, b.promise]).then(fn['log'] as never);
        Promise.any([Promise.reject('x'), b.promise]).then(fn['log'] as never);
        a.resolve('A');
        return { resolve: b.resolve };
      },
      ({ resolve }: { resolve(value: unknown): void }) => resolve('B'),
    ],
    'a generator in the middle of a Map': [
      (realm, fn) => {
        const map = new Map([...'abcd'].map((key, i) => [key, i]));
        const generator = realm.generator(frameOf(realm, fn['each'], map), undefined) as Iterator<unknown>;
        generator.next();
        generator.next();
        map.delete('a');
        return { map, generator, log: fn['log'] };
      },
      ({ map, generator, log }: { map: Map<string, number>; generator: Iterable<unknown>; log(v: unknown): void }) => {
        map.delete('c');
        map.set('e', 9);
        for (const each of generator) log(each);
      },
    ],
    'a cell before and after its initialisation': [
      (realm, fn) => {
        const cell = new realm.Cell('late');
        const done = new realm.Cell('done');
        realm.init(done, 7);
        return { cell, done, log: fn['log'] };
      },
      ({ cell, done, log }: { cell: { v: unknown }; done: { v: unknown }; log(v: unknown): void }, realm) => {
        log(done.v);
        try {
          log(cell.v);
        } catch (error) {
          log(String(error));
        }
        realm.init(cell as never, 1);
        log(cell.v);
      },
    ],
  };
  test.each(Object.entries(programs))('%s', (_, [start, resume]) => {
    const expected = run(start, resume, false);
    expect(expected.length).toBeGreaterThan(0);
    expect(run(start, resume, true)).toEqual(expected);
  });
});

describe('eventuals in a copy', () => {
  test('settle independently of the original', () => {
    const { world, lines, fn } = createProgram();
    const { promise, resolve } = world.ports.realm.Promise.withResolvers();
    promise.then(fn['log'] as never);
    const copy = world.heap.read(world.heap.write({ promise, resolve })) as { resolve(value: unknown): void };
    resolve(42);
    world.host.settle();
    expect(lines).toEqual([42]);
    copy.resolve(21);
    world.host.settle();
    expect(lines).toEqual([42, 21]);
  });

  test('stay resolved or chained', () => {
    const { world, lines, fn } = createProgram();
    const { Promise } = world.ports.realm;
    const { promise, resolve } = Promise.withResolvers();
    const chain = promise.then(fn['log'] as never).then(fn['log'] as never);
    const copy = world.heap.read(world.heap.write({ chain, resolve, done: Promise.resolve(84) })) as {
      resolve(value: unknown): void;
      done: Promise<unknown>;
    };
    copy.resolve('first');
    copy.done.then(fn['log'] as never);
    world.host.settle();
    expect(lines).toEqual(['first', 84, undefined]);
  });
});

test.each(CORE_KINDS)('the format has all fields of core objects of the kind %s, and no others', (kind) => {
  const { realm } = testWorld(() => ({})).ports;
  const { fields } = internals.read(realm, internals.allocate(realm, kind)) ?? {};
  // A cell has no value before its initialisation; whether a native promise settles an eventual is not written.
  const found = new Set([...Object.keys(fields ?? {}), ...(kind === 'cell' ? ['v'] : [])]);
  if (kind === 'eventual') found.delete('source');
  expect([...found].toSorted()).toEqual(CORE_FIELDS[kind].toSorted());
});
