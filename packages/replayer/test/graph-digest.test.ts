// Tests that digests are equal exactly for isomorphic graphs. The isomorphism check shares no code with the digest.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readInert } from '@turntable/heap/inert';
import { graph } from '../../heap/test/graphs.ts';
import { firstDifference } from '../../heap/test/graph-difference.ts';
import { testWorld } from '../../heap/test/ports.ts';
import { GraphDigest } from '../src/replay/graph-digest.ts';

const createIdleAdapter = (name: string) => ({
  name,
  appliesTo: 'functions' as const,
  takeApart: () => undefined,
  allocate: () => ({}),
  fill: () => undefined,
});
const world = testWorld(() => ({ adapters: [createIdleAdapter('code'), createIdleAdapter('prototypes')] }));

function toInert(root: unknown): unknown {
  const sources = { functionAt: () => undefined, classAt: () => undefined, isSharedVariable: () => false };
  const { roots } = readInert(world.heap.write(root), { sources, adapters: [] });
  return roots[0]?.value;
}

function digestOf(root: unknown): string {
  const digest = new GraphDigest({ codeIdOf: () => '' });
  digest.add('root', root);
  return digest.finish();
}

/** All reachable objects, breadth first. */
function reachableObjects(root: object): object[] {
  const visited = new Set<object>([root]);
  const visit = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) visited.add(value);
  };
  for (const object of visited) {
    if (object instanceof Map) for (const entry of object) entry.forEach(visit);
    else if (object instanceof Set) object.forEach(visit);
    for (const key of Reflect.ownKeys(object)) visit(Reflect.getOwnPropertyDescriptor(object, key)?.value);
  }
  return [...visited];
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

/** Whether two graphs differ in more than error stacks. */
function isSame(one: object, other: object): boolean {
  const found = firstDifference(one, other);
  return found === undefined || /\.stack: /.test(found);
}

test('digests of a graph and its copy are equal', () => {
  fc.assert(
    fc.property(graph, (root) => {
      const copy = world.heap.read(world.heap.write(root));
      expect(digestOf(toInert(copy))).toBe(digestOf(toInert(root)));
    }),
    { numRuns: 100 },
  );
});

test('digests differ after any change of the graph', () => {
  let changed = 0;
  fc.assert(
    fc.property(graph, fc.nat(29), fc.nat(CHANGES.length - 1), (root, objectIndex, changeIndex) => {
      const other = world.heap.read(world.heap.write(root)) as object;
      const all = reachableObjects(other);
      try {
        CHANGES[changeIndex]?.(all[objectIndex % all.length] as object, all);
      } catch {
        // An array without length, or a frozen one, stays unchanged.
      }
      const hasChanged = !isSame(root, other);
      if (hasChanged) changed++;
      expect(digestOf(toInert(other)) === digestOf(toInert(root)), firstDifference(root, other)).toBe(!hasChanged);
    }),
    { numRuns: 400 },
  );
  expect(changed).toBeGreaterThan(100);
});

test('digests distinguish lone surrogates', () => {
  expect(digestOf({ text: '\ud800' })).not.toBe(digestOf({ text: '\ud801' }));
});
