// Random values of all passable kinds, with shared objects and cycles, and a comparison of two values that ignores
// object identity.

import { types } from 'node:util';
import fc from 'fast-check';
import { Sold } from './pair.ts';

const primitive = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ maxLength: 100 }),
  fc.string({ unit: fc.constantFrom('é', 'ā', '\ud800', '\udc00', 'a', '\u{1f600}'), maxLength: 30 }),
  fc.double(),
  fc.integer(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom<unknown>(null, undefined, -0, NaN, Symbol.for('x'), Symbol.iterator, 2 ** 31, -(2 ** 31), 2n ** 63n),
);
const key = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('a', 'b', 'name', '__proto__', '0', '17', '-1', 'constructor', 'toString', 'length'),
);
/** A primitive value, or the number of an object. */
const part = fc.oneof(
  { weight: 3, arbitrary: primitive.map((value) => ({ value })) },
  { weight: 2, arbitrary: fc.nat(30).map((object) => ({ object })) },
);
const parts = fc.array(part, { maxLength: 9 });

type Part = { readonly value: unknown } | { readonly object: number };
type Resolve = (part: Part) => unknown;
interface Node {
  readonly object: object;
  fill(resolve: Resolve): void;
}

function node<O extends object>(object: O, fill: (object: O, resolve: Resolve) => void = () => {}): () => Node {
  return () => ({ object, fill: (resolve) => fill(object, resolve) });
}

function property(object: object, name: string, value: unknown, enumerable = true): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable, configurable: true });
}

const entries = fc.array(fc.tuple(key, part), { maxLength: 9 });
const objects: fc.Arbitrary<() => Node> = fc.oneof(
  { weight: 4, arbitrary: entries.map((list) => filledObject(() => ({}), list)) },
  { weight: 1, arbitrary: entries.map((list) => filledObject(() => Object.create(null) as object, list)) },
  {
    weight: 3,
    arbitrary: fc.tuple(parts, fc.boolean(), fc.option(part)).map(([list, holes, extra]) => () => {
      const array: unknown[] = [];
      return node(array, (_, resolve) => {
        list.forEach((each, i) => (array[holes ? i * 2 : i] = resolve(each)));
        if (holes) array.length = list.length * 2 + 1;
        if (extra !== null) property(array, 'index', resolve(extra));
      })();
    }),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(part, part), { maxLength: 5 }).map((list) => () => {
      const map = new Map<unknown, unknown>();
      return node(map, (_, resolve) => list.forEach(([name, value]) => map.set(resolve(name), resolve(value))))();
    }),
  },
  {
    weight: 1,
    arbitrary: parts.map((list) => () => {
      const set = new Set<unknown>();
      return node(set, (_, resolve) => list.forEach((each) => set.add(resolve(each))))();
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(3), fc.string(), part, entries).map(([which, text, cause, own]) => () => {
      const error = [new Error(text), new TypeError(text), new Sold(text), new AggregateError([], text)][
        which
      ] as Error;
      // The stack is created when it is first read.
      void error.stack;
      return node(error, (_, resolve) => {
        property(error, 'cause', resolve(cause), false);
        for (const [name, value] of own) if (name !== 'stack') property(error, name, resolve(value));
      })();
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(5)).map(([bytes, which]) => () => {
      const buffer = new ArrayBuffer(48);
      new Uint8Array(buffer).set(bytes);
      const made = [
        buffer,
        new Float64Array(buffer),
        new Uint8Array(buffer, 3, 7),
        new DataView(buffer, 5),
        Buffer.from(bytes),
        new ArrayBuffer(8, { maxByteLength: 32 }),
      ];
      return node(made[which] as object)();
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.date({ noInvalidDate: false }).map((date) => node(date)),
      fc.constantFrom<() => Node>(
        () => node(Object.assign(/a+(?<x>b)/giu, { lastIndex: 3 }))(),
        () => node(Object(3) as object)(),
        () => node(Object('text') as object)(),
        () => node(Object(-0) as object)(),
        () => node(Object(2n) as object)(),
        () => node(Object(Symbol.iterator) as object)(),
      ),
    ),
  },
);

function filledObject(make: () => object, list: readonly (readonly [string, Part])[]): () => Node {
  return () => {
    const object = make();
    return node(object, (_, resolve) => list.forEach(([name, value]) => property(object, name, resolve(value))))();
  };
}

/** Lists of objects that refer to each other, with primitive values. */
export const graph: fc.Arbitrary<unknown[]> = fc
  .tuple(fc.array(objects, { minLength: 1, maxLength: 24 }), parts)
  .map(([makers, rest]) => {
    const nodes = makers.map((make) => make());
    const resolve: Resolve = (each) =>
      'value' in each ? each.value : (nodes[each.object % nodes.length] as Node).object;
    for (const each of nodes) each.fill(resolve);
    return [nodes[0]?.object, ...rest.map(resolve)];
  });

/** The path at which two values differ; undefined if they are equal apart from identity. */
export function difference(left: unknown, right: unknown): string | undefined {
  const pairs = new Map<object, object>();
  const back = new Map<object, object>();
  const queue: [left: unknown, right: unknown, path: string][] = [[left, right, 'it']];
  for (const [a, b, path] of queue) {
    if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) {
      if (!Object.is(a, b)) return `${path}: ${String(a)} and ${String(b)}`;
      continue;
    }
    if (pairs.has(a) || back.has(b)) {
      if (pairs.get(a) !== b || back.get(b) !== a) return `${path}: another object`;
      continue;
    }
    pairs.set(a, b);
    back.set(b, a);
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path}: another prototype`;
    if (kindOf(a) !== kindOf(b)) return `${path}: ${kindOf(a)} and ${kindOf(b)}`;
    const isView = ArrayBuffer.isView(a);
    const keys = isView ? [] : Reflect.ownKeys(a);
    if (!isView && keys.join() !== Reflect.ownKeys(b).join())
      return `${path}: ${keys.join()} and ${Reflect.ownKeys(b).join()}`;
    for (const name of keys) {
      const [x, y] = [Object.getOwnPropertyDescriptor(a, name)!, Object.getOwnPropertyDescriptor(b, name)!];
      if (x.enumerable !== y.enumerable || x.writable !== y.writable)
        return `${path}.${String(name)}: other attributes`;
      queue.push([x.value, y.value, `${path}.${String(name)}`]);
    }
    queue.push(
      ...innerValues(a).map((each, i) => [each, innerValues(b)[i], `${path}<${i}>`] as [unknown, unknown, string]),
    );
    if (innerValues(a).length !== innerValues(b).length) return `${path}: more inside`;
  }
  return undefined;
}

function kindOf(object: object): string {
  return Object.prototype.toString.call(object);
}

function innerValues(object: object): readonly unknown[] {
  if (object instanceof Map) return [...object].flat();
  if (object instanceof Set) return [...object];
  if (object instanceof Date) return [object.getTime()];
  if (object instanceof RegExp) return [object.source, object.flags];
  if (object instanceof ArrayBuffer)
    return [Buffer.from(object).toString('hex'), object.resizable, object.maxByteLength];
  if (ArrayBuffer.isView(object)) return [object.buffer, object.byteOffset, object.byteLength];
  if (types.isBoxedPrimitive(object)) return [object.valueOf()];
  return [];
}
