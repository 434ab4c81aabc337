// By what states are compared: equal for graphs that are the same but for where they live, and for no others. What says which are the same shares no code with it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readInert } from '@turntable/heap/inert';
import { graph } from '../../heap/test/graphs.ts';
import { difference } from '../../heap/test/isomorphic.ts';
import { testWorld } from '../../heap/test/ports.ts';
import { GraphDigest } from '../src/replay/graph-digest.ts';

const nobody = (name: string) => ({
  name,
  asks: 'functions' as const,
  take: () => undefined,
  allocate: () => ({}),
  fill: () => undefined,
});
const world = testWorld(() => ({ adapters: [nobody('code'), nobody('prototypes')] }));

function inert(root: unknown): unknown {
  const texts = { functionAt: () => undefined, classAt: () => undefined, isShared: () => false };
  const { roots } = readInert(world.heap.write(root), { texts, adapters: [] });
  return roots[0]?.value;
}

function digestOf(root: unknown): string {
  const digest = new GraphDigest({ codeOf: () => '' });
  digest.add('root', root);
  return digest.finish();
}

/** All objects that are led to, those near the root first. */
function objectsIn(root: object): object[] {
  const met = new Set<object>([root]);
  const meet = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) met.add(value);
  };
  for (const object of met) {
    if (object instanceof Map) for (const entry of object) entry.forEach(meet);
    else if (object instanceof Set) object.forEach(meet);
    for (const key of Reflect.ownKeys(object)) meet(Reflect.getOwnPropertyDescriptor(object, key)?.value);
  }
  return [...met];
}

const CHANGES: readonly ((object: object, all: readonly object[]) => unknown)[] = [
  (object) => Reflect.preventExtensions(object),
  (object) => Reflect.defineProperty(object, 'added', { value: 1, configurable: true }),
  (object) => Reflect.deleteProperty(object, Reflect.ownKeys(object)[0] ?? ''),
  (object, all) => Reflect.set(object, Reflect.ownKeys(object)[0] ?? 'a', all.at(-1)),
  (object) =>
    Array.isArray(object) ? object.push(0.5) : Reflect.set(object, Reflect.ownKeys(object).at(-1) ?? 'a', 0.5),
  (object) => Reflect.defineProperty(object, Reflect.ownKeys(object)[0] ?? '', { enumerable: false }),
  (object) => {
    if (object instanceof Map) object.set(object.keys().next().value, 'another');
    else if (object instanceof Set) object.delete(object.values().next().value);
    else if (object instanceof Date) object.setTime(Number(object) + 1 || 1);
    else if (object instanceof Uint8Array && object.length > 0) object[0] = (object[0] as number) + 1;
    else Reflect.setPrototypeOf(object, null);
  },
];

/** Stacks are left out. */
function isSame(one: object, other: object): boolean {
  const found = difference(one, other);
  return found === undefined || /\.stack: /.test(found);
}

test('is equal for a graph that is written anew', () => {
  fc.assert(
    fc.property(graph, (root) => {
      const again = world.heap.read(world.heap.write(root));
      expect(digestOf(inert(again))).toBe(digestOf(inert(root)));
    }),
    { numRuns: 100 },
  );
});

test('differs for a graph in which anything was changed', () => {
  let changed = 0;
  fc.assert(
    fc.property(graph, fc.nat(29), fc.nat(CHANGES.length - 1), (root, which, how) => {
      const other = world.heap.read(world.heap.write(root)) as object;
      const all = objectsIn(other);
      try {
        CHANGES[how]?.(all[which % all.length] as object, all);
      } catch {
        // An array that would have no length, or that is frozen, is as it was.
      }
      const hasChanged = !isSame(root, other);
      if (hasChanged) changed++;
      expect(digestOf(inert(other)) === digestOf(inert(root)), difference(root, other)).toBe(!hasChanged);
    }),
    { numRuns: 400 },
  );
  expect(changed).toBeGreaterThan(100);
});

test('differs for halves of pairs', () => {
  expect(digestOf({ text: '\ud800' })).not.toBe(digestOf({ text: '\ud801' }));
});
