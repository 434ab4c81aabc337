// States read as data that cannot run, and analyses of such data: sizes, paths, retained sizes.
import fc from 'fast-check';
import { types } from 'node:util';
import { describe, expect, test } from 'vitest';
import { HeapError } from '@turntable/heap';
import {
  InertEventual,
  ObjectGraph,
  ObjectSizes,
  ProgramFunction,
  readInert,
  type CodeSources,
  type Holder,
  type InertHeap,
} from '@turntable/heap/inert';
import { checksumOf } from '../src/checksum.ts';
import { dominatorTree } from '../src/inert/dominators.ts';
import { graph } from './graphs.ts';
import { firstDifference } from './graph-difference.ts';
import { testWorld } from './ports.ts';

const unusedAdapter = (name: string) => ({
  name,
  appliesTo: 'functions' as const,
  takeApart: () => undefined,
  allocate: () => ({}),
  fill: () => undefined,
});
/** Adapters with those of code in their places. */
const world = testWorld(() => ({ adapters: [unusedAdapter('code'), unusedAdapter('prototypes')] }));
const noSources: CodeSources = { functionAt: () => undefined, classAt: () => undefined, isSharedVariable: () => false };

function readWithSizes(bytes: Uint8Array): InertHeap & { readonly sizes: ObjectSizes } {
  const sizes = new ObjectSizes();
  return { ...readInert(bytes, { sources: noSources, adapters: [], memoryLimit: 64 << 20, sizes }), sizes };
}

const strictArguments = (...args: unknown[]): object =>
  Function('"use strict"; return arguments').apply(undefined, args) as object;

function readCopy<T>(root: T): T {
  return readWithSizes(world.heap.write(root)).roots[0]?.value as T;
}

describe('an inert graph', () => {
  test('is isomorphic in its data', () => {
    const shared = { here: [1, 2.5, 'text', null] };
    const root = {
      shared,
      map: new Map<unknown, unknown>([[shared, new Set([1n, 'é漢'])]]),
      list: [shared, -0, new Date(1), /x/g, new RangeError('r'), Object.freeze([1, , 3])], // oxlint-disable-line no-sparse-arrays -- a hole is the point
      bytes: new Uint8Array([1, 2, 3]),
      self: undefined as unknown,
      nothing: Object.create(null) as object,
      url: new URL('http://example.com/'),
    };
    root.self = root;
    expect(firstDifference(root, readCopy(root))).toBeUndefined();
  });

  test('has own properties of each function, whatever the function inherits from', () => {
    const [parent, child] = ['Above', 'Below'].map(
      (name) => new ProgramFunction({ name, file: undefined, line: undefined }),
    ) as [ProgramFunction, ProgramFunction];
    ProgramFunction.propertiesOf(parent)['of'] = 'above';
    ProgramFunction.propertiesOf(Object.setPrototypeOf(child, parent) as ProgramFunction)['of'] = 'below';
    expect([parent.properties, child.properties]).toEqual([{ of: 'above' }, { of: 'below' }]);
  });

  test('can be read from any graph without running code', () => {
    fc.assert(
      fc.property(graph, (root) => {
        const bytes = world.heap.write(root);
        const { roots, sizes } = readWithSizes(bytes);
        const objects = new ObjectGraph([{ name: 'root', references: [['', roots[0]?.value]] }], sizes, types);
        let sum = 0;
        for (const object of objects.objects) {
          sum += sizes.bytesOf(object);
          expect(objects.pathTo(object)).toBeTypeOf('string');
        }
        expect(sum).toBeLessThanOrEqual(2 * bytes.length);
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  test('has stand-ins for live objects', () => {
    const target = new EventTarget();
    target.addEventListener('x', { handleEvent: () => undefined } as never);
    const key = {};
    const { realm } = world.ports;
    const root = {
      target: Object.assign(new EventTarget(), { own: 1 }),
      controller: new AbortController(),
      aborted: AbortSignal.abort('why'),
      key,
      weak: new WeakMap([[key, { held: 1 }]]),
      promise: new realm.Promise(() => undefined),
      builtIn: Array.prototype.map,
      args: strictArguments(1, key),
    };
    const back = readCopy(root) as Record<keyof typeof root, object>;
    expect(back.target).not.toBeInstanceOf(EventTarget);
    expect(back.target).toMatchObject({ own: 1, listeners: {} });
    expect(back.controller).toMatchObject({ signal: { aborted: false } });
    expect(back.aborted).toMatchObject({ aborted: true, reason: 'why' });
    expect([...(back.weak as Map<object, unknown>)]).toEqual([[back.key, { held: 1 }]]);
    expect(back.promise).toBeInstanceOf(InertEventual);
    expect(back.promise).toMatchObject({ state: 'pending' });
    expect(back.args).toMatchObject({ 0: 1, 1: {} });
    const objects = new ObjectGraph([{ name: 'root', references: [['', back]] }], new ObjectSizes(), types);
    expect(objects.pathTo((back.args as Record<number, object>)[1] as object)).toBe('root.key');
    expect(back.builtIn).toEqual({ name: 'Array.prototype.map' });
  });

  test('can have any depth', () => {
    let list: object | undefined;
    for (let i = 0; i < 100_000; i++) list = { next: list };
    let nested: unknown[] = [];
    for (let i = 0; i < 3000; i++) nested = [nested];
    const { roots, sizes } = readWithSizes(world.heap.write({ list, nested }));
    const objects = new ObjectGraph([{ name: 'root', references: [['', roots[0]?.value]] }], sizes, types);
    expect(objects.objects).toHaveLength(1 + 100_000 + 3001);
    const first = (roots[0]?.value as { readonly list: object } | undefined)?.list ?? {};
    expect(objects.retainedSize(first)).toBeGreaterThan(100_000);
  });

  test('has object sizes that add up to the bytes written', () => {
    const root = { small: {}, text: { text: 'x'.repeat(1000) }, list: Array.from({ length: 100 }, (_, i) => i + 1000) };
    const bytes = world.heap.write(root);
    const { roots, sizes } = readWithSizes(bytes);
    const back = roots[0]?.value as typeof root;
    expect(sizes.bytesOf(back.text)).toBeGreaterThan(1000);
    expect(sizes.bytesOf(back.text)).toBeLessThan(1020);
    expect(sizes.bytesOf(back.list)).toBeGreaterThan(200);
    expect(sizes.bytesOf(back.small)).toBeLessThan(5);
    const sum = [back, ...(Object.values(back) as object[])].reduce(
      (all: number, each) => all + sizes.bytesOf(each),
      0,
    );
    expect(bytes.length - sum).toBeLessThan(50);
  });
});

describe('any bytes', () => {
  const sample = (): Uint8Array => {
    const shared = { here: [1, 'text'] };
    const key = {};
    const signal = AbortSignal.any([new AbortController().signal]);
    return world.heap.write([
      shared,
      new Map([[shared, new Set([Symbol('s')])]]),
      Object.create(shared),
      signal,
      key,
      new WeakMap([[key, 1]]),
      new CustomEvent('c', { detail: shared }),
      Object.defineProperty({}, 'hidden', { value: shared }),
      new world.ports.realm.Promise(() => undefined),
      new DataView(new ArrayBuffer(8)),
      new RangeError('r'),
    ]);
  };
  const survives = (bytes: Uint8Array): void => {
    try {
      readWithSizes(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(HeapError);
    }
  };
  const repaired = (bytes: Uint8Array): Uint8Array => {
    const end = bytes.length - 4;
    const sum = checksumOf(bytes, 8, end);
    for (let i = 0; i < 4; i++) bytes[end + i] = (sum >>> (8 * i)) & 0xff;
    return bytes;
  };

  test('give an error if cut off anywhere', () => {
    const bytes = sample();
    for (let length = 0; length < bytes.length; length++)
      expect(() => readWithSizes(bytes.slice(0, length))).toThrow(HeapError);
  });

  test('give a graph or an error if changed anywhere, even with a correct checksum', () => {
    const bytes = sample();
    for (let at = 8; at < bytes.length - 4; at++)
      for (const value of [0x00, 0x0a, 0x0d, 0x15, 0x21, 0x40, 0x7f, 0xff, (bytes[at] as number) ^ 1]) {
        const changed = bytes.slice();
        changed[at] = value;
        survives(repaired(changed));
      }
  });
});

// ── Graphs
// ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Targets of each node; the first node is the root. */
const edges = fc
  .integer({ min: 1, max: 9 })
  .chain((count) => fc.array(fc.array(fc.nat(count - 1), { maxLength: 4 }), { minLength: count, maxLength: count }));

/** Dominators by definition: nodes unreachable from the root without a given one. */
function reachable(lists: readonly (readonly number[])[], without = -1): Set<number> {
  const graphOfHolder = new Set<number>();
  const visit = (node: number): void => {
    if (node === without || graphOfHolder.has(node)) return;
    graphOfHolder.add(node);
    for (const target of lists[node] as readonly number[]) visit(target);
  };
  visit(0);
  return graphOfHolder;
}

describe('dominators', () => {
  test('are as defined', () => {
    fc.assert(
      fc.property(edges, (lists) => {
        const offsets = new Uint32Array(lists.length + 1);
        lists.forEach((list, i) => (offsets[i + 1] = (offsets[i] as number) + list.length));
        const { immediateDominators: above } = dominatorTree({ offsets, targets: Uint32Array.from(lists.flat()) });
        const all = reachable(lists);
        for (const node of all) {
          const strict = [...all].filter((each) => each !== node && !reachable(lists, each).has(node));
          // The node that all others dominate.
          const nearest = strict.find((each) => strict.every((o) => o === each || !reachable(lists, o).has(each)));
          expect(above[node]).toBe(node === 0 ? 0 : nearest);
        }
      }),
      { numRuns: 2000, seed: 3 },
    );
  });

  test('are found quickly for a long list whose elements share an object', () => {
    const length = 200_000;
    const shared = length + 1;
    const offsets = Uint32Array.from({ length: length + 3 }, (_, i) => Math.min(2 * i, 2 * length + 1));
    const targets = new Uint32Array(2 * length + 1);
    for (let i = 0; i < length; i++) targets.set([i + 1, shared], 2 * i);
    targets[2 * length] = shared;
    expect(dominatorTree({ offsets, targets }).immediateDominators[shared]).toBe(0);
  });
});

describe('the retained size', () => {
  test('is that of the objects unreachable without the retaining one', () => {
    fc.assert(
      fc.property(edges, fc.array(fc.nat(3), { minLength: 9, maxLength: 9 }), (lists, classes) => {
        const objects = lists.map((_, i): Record<string, unknown> => ({ id: i }));
        lists.forEach((list, i) =>
          list.forEach((to, n) => ((objects[i] as Record<string, unknown>)[`f${n}`] = objects[to])),
        );
        const idOf = (object: object): number => (object as { id: number }).id;
        const sizes = new ObjectSizes();
        for (const object of objects) sizes.bytesByNumber[sizes.numberOf(object)] = 2 ** idOf(object);
        const holder: Holder = { name: 'root', references: [['', objects[0]]] };
        const graphOfHolder = new ObjectGraph([holder], sizes, types);
        const all = reachable(lists);
        const lostWithout = (node: number): number[] => [...all].filter((each) => !reachable(lists, node).has(each));
        const sum = (nodes: Iterable<number>): number => [...nodes].reduce((total, each) => total + 2 ** each, 0);
        expect([...graphOfHolder.retainedSizesOfHolders()]).toEqual([sum(all)]);
        for (const node of all)
          expect(graphOfHolder.retainedSize(objects[node] as object)).toBe(sum(lostWithout(node)));
        const setOf = Uint32Array.from(graphOfHolder.objects, (object) => classes[idOf(object)] ?? 0);
        graphOfHolder.retainedSizesOfSets(setOf, 4).forEach((retained, set) => {
          const classNodes = [...all].filter((node) => classes[node] === set);
          expect(retained).toBe(sum(new Set(classNodes.flatMap(lostWithout))));
        });
      }),
      { numRuns: 1000, seed: 5 },
    );
  });

  test('comes with the shortest path to the object', () => {
    const item = { id: 1 };
    const cart = { items: [item], 'odd key': new Map([['k', { deep: true }]]), '#own': new Set([{ member: 1 }]) };
    const graphOfHolder = new ObjectGraph([{ name: 'Cart#12', references: [['', cart]] }], new ObjectSizes(), types);
    const paths = graphOfHolder.objects.map((object) => graphOfHolder.pathTo(object));
    expect(paths).toEqual([
      'Cart#12',
      'Cart#12.items',
      'Cart#12["odd key"]',
      'Cart#12.#own',
      'Cart#12.items[0]',
      'Cart#12["odd key"].get("k")',
      'Cart#12.#own member #0',
    ]);
    expect(graphOfHolder.pathTo({})).toBeUndefined();
  });
});
