// Each program stops half-way, is captured as JSON text, and resumes in a second realm. Its output must equal that of an
// uninterrupted run. Step functions are written as docs/internals/abi.md has the transform emit them.
import { createRealm, internals, LiveCell, NamespaceCell } from '@turntable/core';
import { describe, expect, test } from 'vitest';
import { rebuildHeap, writeHeap } from './json-heap.ts';
import { manualHost } from './manual-host.ts';
import type { Frame, Realm } from '@turntable/core';

interface World {
  realm: Realm;
  lines: unknown[];
}

/** A program: its code over a world, the roots it leaves at the stop, and what happens afterwards. */
interface Program {
  code(world: World): Record<string, (...args: never[]) => unknown>;
  start(world: World, code: Record<string, (...args: never[]) => unknown>): unknown;
  resume(world: World, root: never): void;
}

function frame(world: World, step: unknown, ...slots: unknown[]): Frame {
  const made = new world.realm.Frame(step as never);
  slots.forEach((value, i) => ((made as unknown as Record<string, unknown>)[`s${i}`] = value));
  return made;
}

const async = (world: World, step: unknown, ...slots: unknown[]): Promise<unknown> =>
  world.realm.async(frame(world, step, ...slots)) as never;

const programs: Record<string, Program> = {
  'a frame waiting on an eventual that a resolving function will settle': {
    code: (world) => ({
      step(F: Frame, v: unknown, t: number) {
        const pc = F.pc;
        F.pc = 0;
        if (pc === 0) return world.realm.await(F, 1, F.s0);
        if (t === 1) throw v;
        world.lines.push(`got ${String(v)}`);
        return undefined;
      },
    }),
    start(world, code) {
      const { promise, resolve } = world.realm.Promise.withResolvers();
      void async(world, code['step'], promise);
      return { resolve };
    },
    resume: (_, root: { resolve: (value: unknown) => void }) => root.resolve('late'),
  },
  'jobs in the queue, of every kind': {
    code: (world) => ({
      log: (value: unknown) => void world.lines.push(value),
      fail: (reason: unknown) => void world.lines.push(`failed ${String(reason)}`),
      thenOfThenable: (resolve: (value: unknown) => void) => resolve('from thenable'),
      step(F: Frame, v: unknown, t: number) {
        const pc = F.pc;
        F.pc = 0;
        if (pc === 0) return world.realm.await(F, 1, 'primitive');
        world.lines.push([v, t]);
        return v;
      },
    }),
    start(world, code) {
      const { Promise } = world.realm;
      const log = code['log'] as (value: unknown) => void;
      const fail = code['fail'] as (value: unknown) => void;
      Promise.resolve(1).then(log);
      Promise.reject(2).then(log, fail);
      void async(world, code['step']).then(log);
      Promise.resolve(Promise.resolve(3)).then(log);
      new Promise((resolve) => resolve(Promise.resolve(4))).then(log);
      Promise.resolve({ then: code['thenOfThenable'] } as never).then(log);
      world.realm.jobs.queueMicrotask(log as never);
      world.realm.nextTick(log as never, 'tick');
      Promise.reject('unhandled');
      return {};
    },
    resume() {},
  },
  'combinators with some elements settled': {
    code: (world) => ({
      log: (value: unknown) => void world.lines.push(JSON.stringify(value)),
      errors: (e: AggregateError) => void world.lines.push(e.errors),
      refuse: () => world.realm.Promise.reject('y'),
      fin: () => void world.lines.push('finally'),
    }),
    start(world, code) {
      const { Promise } = world.realm;
      const log = code['log'] as never;
      const [a, b] = [Promise.withResolvers(), Promise.withResolvers()];
      Promise.all([a.promise, b.promise]).then(log);
      Promise.allSettled([a.promise, b.promise]).then(log);
      Promise.any([Promise.reject('x'), b.promise.then(code['refuse'] as never)]).catch(code['errors'] as never);
      Promise.race([a.promise, b.promise])
        .finally(code['fin'] as never)
        .then(log);
      a.resolve('A');
      return { resolve: b.resolve };
    },
    resume: (_, root: { resolve: (value: unknown) => void }) => root.resolve('B'),
  },
  'a generator over a Map that changed under it': {
    code: (world) => ({
      step(F: Frame, v: unknown, t: number) {
        const pc = F.pc;
        F.pc = 0;
        if (pc === 0) F.s1 = new world.realm.ForOf(F, F.s0);
        else (F.s1 as { again(): void }).again();
        let resuming = pc === 1;
        for (const entry of F.s1 as Iterable<unknown>) {
          if (!resuming) {
            F.pc = 1;
            return { value: entry, done: false };
          }
          resuming = false;
          if (t === 1) throw v;
          if (t === 2) return { value: v, done: true };
        }
        return { value: undefined, done: true };
      },
    }),
    start(world, code) {
      const map = new Map([
        ['a', 1],
        ['b', 2],
        ['c', 3],
        ['d', 4],
      ]);
      const generator = world.realm.generator(frame(world, code['step'], map), undefined) as Iterator<unknown>;
      world.lines.push(generator.next(), generator.next());
      map.delete('a');
      map.set('e', 5);
      return { map, generator };
    },
    resume(world, root: { map: Map<string, number>; generator: Generator<unknown> }) {
      root.map.delete('c');
      root.map.set('f', 6);
      world.lines.push(...root.generator.take(3), root.generator.next());
    },
  },
  'an async generator with queued requests, delegating to a synchronous iterable': {
    code: (world) => ({
      log: (value: unknown) => void world.lines.push(value),
      step(F: Frame, v: unknown, t: number) {
        const pc = F.pc;
        F.pc = 0;
        if (pc === 0) {
          F.s1 = new world.realm.AsyncDelegate(F.s0);
          v = undefined;
          t = 0;
        }
        const r = world.realm.delegate(F, 1, F.s1 as never, v, t);
        return F.pc > 0 ? r : (F.s1 as { value: unknown }).value;
      },
    }),
    start(world, code) {
      const { promise, resolve } = world.realm.Promise.withResolvers();
      const generator = world.realm.asyncGenerator(
        frame(world, code['step'], [1, promise, 3]),
        undefined,
      ) as AsyncGenerator<unknown>;
      for (let i = 0; i < 3; i++) generator.next().then(code['log'] as never);
      generator.return('ended').then(code['log'] as never);
      return { resolve };
    },
    resume: (_, root: { resolve: (value: unknown) => void }) => root.resolve('two'),
  },
};

const stops = { 'before any job has run': false, 'with the queue drained': true };

describe.each(Object.keys(programs))('resumes in a second realm: %s', (name) => {
  test.each(Object.keys(stops))('stopped %s', (stop) => {
    const program = programs[name]!;
    const drained = stops[stop as keyof typeof stops];
    const run = (interfere: boolean): unknown[] => {
      const host = manualHost();
      let world: World = { realm: createRealm(host), lines: [] };
      let code = program.code(world);
      let root = program.start(world, code);
      if (drained) host.settle();
      let second = host;
      if (interfere) {
        const text = writeHeap(world.realm, { root, queues: internals.readQueues(world.realm) }, code);
        second = manualHost();
        world = { realm: createRealm(second), lines: world.lines };
        code = program.code(world);
        const state = rebuildHeap(world.realm, text, code) as { root: unknown; queues: never };
        internals.writeQueues(world.realm, state.queues);
        root = state.root;
      }
      program.resume(world, root as never);
      second.settle();
      return [...world.lines, ...host.reports, ...(second === host ? [] : second.reports)];
    };
    const expected = run(false);
    expect(expected.length).toBeGreaterThan(0);
    expect(run(true)).toEqual(expected);
  });
});

test('the prototype of a cell class is no cell', () => {
  const realm = createRealm(manualHost());
  expect(internals.read(realm, NamespaceCell.prototype)).toBeUndefined();
  expect(internals.read(realm, LiveCell.prototype)).toBeUndefined();
});
