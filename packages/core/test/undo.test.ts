// The undo log restores every object that a task writes, and redo the state after the task. Random programs of writes
// change objects of all kinds, in several tasks. The model is a description of all objects after each task.
import fc from 'fast-check';
import { types } from 'node:util';
import { runInThisContext } from 'node:vm';
import { createRealm, StatementClock, UndoLog } from '@turntable/core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { manualHost } from './manual-host.ts';

type Heap = ReturnType<typeof createHeap>;
type Write = (heap: Heap, a: number, b: number) => void;

/** Writes as debug code makes them, each after its barrier. */
interface Barriers {
  set(object: object, key: unknown, value: unknown): void;
  setLate(object: object, key: () => unknown, value: () => unknown): void;
  setAtPath(object: object, path: readonly string[], value: unknown): void;
  remove(object: object, key: unknown): boolean;
}

const runScript = (text: string): unknown => runInThisContext(text);
const clock = new StatementClock(runScript);
const log = new UndoLog(clock, runScript);
const realm = createRealm({ ...manualHost(), isProxy: types.isProxy });
const { set, setLate, setAtPath, remove } = runScript(`({
  set(o, k, v) { (tt$w && tt$o(o, k), o)[k] = v; },
  setLate(o, k, v) { tt$i(o)[tt$k(k())] = v(); },
  setAtPath(o, path, v) { tt$w && tt$f(o, ...path); path.slice(0, -1).reduce((at, k) => at[k], o)[path.at(-1)] = v; },
  remove(o, k) { return delete (tt$w && tt$d(o), o)[k]; },
})`) as Barriers;

class List extends Array<unknown> {}
class Bag extends Map<unknown, unknown> {}

/** Objects of each kind, some large enough that the log notes only the parts that change. */
function createHeap() {
  const keys = Array.from({ length: 6 }, (_, id) => ({ id }));
  const deep = { x: 1 };
  const buffer = new ArrayBuffer(2 * 4096 + 100);
  return {
    keys,
    deep,
    objects: [
      { a: 1, b: 2, 3: 'three' },
      Object.defineProperties(
        {},
        {
          getter: { get: () => 1, configurable: true, enumerable: true },
          hidden: { value: 1, configurable: true, writable: true },
        },
      ),
      Object.create({ inherited: 1 }) as object,
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i])),
      { inner: { deep } },
    ] as Record<PropertyKey, unknown>[],
    lists: [
      [1, 2, 3],
      [],
      Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1000),
      Object.assign([1, , 3], { extra: 1 }), // oxlint-disable-line no-sparse-arrays
      List.from([5, 6, 7, 8]),
    ] as unknown[][],
    maps: [new Map(), new Map([[keys[0], 0]]), new Map(Array.from({ length: 200 }, (_, i) => [i, i])), new Bag([[1, 2]])] as Map<unknown, unknown>[], // prettier-ignore
    sets: [new Set(), new Set(keys), new Set(Array.from({ length: 200 }, (_, i) => i))] as Set<unknown>[],
    weakMap: new WeakMap<object, unknown>([[keys[0] as object, 'first']]),
    weakSet: new WeakSet<object>([keys[1] as object]),
    dates: [new Date(0), new Date(1e12)],
    views: [new Uint8Array(buffer), new Int16Array(buffer, 4094, 8), new Float64Array(4), Buffer.from('some bytes')],
    dataView: new DataView(buffer, 4090),
  };
}

const ids = new WeakMap<object, number>();
let idCount = 0;

/** Text of a value: objects by their identity. */
function textOf(value: unknown): string {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return String(value);
  const id = ids.get(value) ?? idCount++;
  ids.set(value, id);
  return `#${id}`;
}

function propertiesOf(object: object): string {
  const keys = Reflect.ownKeys(object).map((key) => {
    if (Array.isArray(object) && key !== 'length') return `${String(key)}=${textOf(Reflect.get(object, key))}`;
    const { value, get, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(object, key) ?? {};
    const flags = [writable, enumerable, configurable].map(Number).join('');
    return `${String(key)}=${textOf(value)}${get === undefined ? '' : textOf(get)}${flags === '111' ? '' : `:${flags}`}`;
  });
  return `${textOf(Object.getPrototypeOf(object))} ${Object.isExtensible(object)} ${keys.join()}`;
}

/** All of the heap that a program could see. */
function describeHeap(heap: Heap): string {
  return [
    ...heap.objects.map(propertiesOf),
    propertiesOf(heap.deep),
    ...heap.lists.map(propertiesOf),
    ...heap.maps.map((map) => [...map].flat().map(textOf).join() + propertiesOf(map)),
    ...heap.sets.map((set) => [...set].map(textOf).join()),
    ...heap.keys.map((key) => `${heap.weakMap.has(key)} ${textOf(heap.weakMap.get(key))} ${heap.weakSet.has(key)}`),
    ...heap.dates.map((date) => `${date.getTime()} ${Object.keys(date).join()}`),
    ...heap.views.map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('latin1')),
  ].join('\n');
}

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const names = ['a', 'b', 'c', '3', 'k1', 'k50', Symbol.iterator, 'getter', 'hidden', 'inner'];
const nameAt = (index: number): PropertyKey => at(names, index);
/** The small lists are at even indexes. */
const WRITES: Readonly<Record<string, Write>> = {
  'a property': ({ objects }, a, b) => set(at(objects.slice(0, 1), a), nameAt(b), a),
  'a property of a large object': ({ objects }, a, b) => set(objects[3] as object, `k${b % 110}`, a),
  'many properties': ({ objects }, a, b) => {
    for (let i = 0; i < 5 + (b % 30); i++) set(at([objects[0], objects[3]], a) as object, `m${i % 20}`, b);
  },
  'a computed property': ({ objects }, a, b) =>
    setLate(
      objects[0] as object,
      () => (set(objects[2] as object, 'in a key', a), nameAt(b)),
      () => (set(objects[3] as object, 'in a value', b), a),
    ),
  'a property at a path': ({ objects }, a, b) => {
    const object = objects[4] as { inner?: { deep?: object } };
    if (typeof object.inner?.deep === 'object') setAtPath(object, ['inner', 'deep', at(['x', 'y'], b)], a);
  },
  'an inherited property': ({ objects }, a) => set(objects[2] as object, 'inherited', a),
  'a deletion': ({ objects }, a, b) => void remove(at(objects, a), nameAt(b)),
  'a deletion of an element': ({ lists }, a, b) => void remove(at(lists, a), b % 4),
  'an assignment': ({ objects }, a, b) =>
    void Object.assign(objects[0] as object, { [nameAt(a)]: b, [nameAt(b)]: a }, null, { [nameAt(a + 1)]: b }),
  'a definition': ({ objects }, a, b) =>
    void Object.defineProperty(at(objects, a), nameAt(b), {
      value: a,
      writable: a % 2 === 0,
      enumerable: b % 3 === 0,
      configurable: true,
    }),
  'an accessor': ({ objects }, a, b) =>
    void Object.defineProperties(at(objects, a), { [nameAt(b)]: { get: () => 1, configurable: true } }),
  'an old accessor': ({ objects }, a, b) => {
    const object = at(objects, a) as { __defineGetter__?: (key: PropertyKey, get: () => unknown) => void };
    object.__defineGetter__?.(nameAt(b), () => 2);
  },
  'Reflect.set': ({ objects }, a, b) => {
    const receiver = at(objects, a);
    if (b % 2 === 0) Reflect.set(objects[0] as object, nameAt(b), a);
    else Reflect.set(objects[0] as object, nameAt(b), a, receiver);
  },
  'Reflect.deleteProperty': ({ objects }, a, b) => void Reflect.deleteProperty(at(objects, a), nameAt(b)),
  'Reflect.defineProperty': ({ objects }, a, b) =>
    void Reflect.defineProperty(at(objects, a), nameAt(b), { value: b, configurable: true, writable: true }),
  'a prototype': ({ objects }, a, b) => {
    const prototype = at([null, Object.prototype, Array.prototype], b);
    if (b % 2 === 0) Object.setPrototypeOf(objects[a % 2 === 0 ? 0 : 2] as object, prototype);
    else Reflect.setPrototypeOf(objects[0] as object, prototype);
  },
  'an element': ({ lists }, a, b) => set(at(lists, a), b % 12, a),
  'a far element': ({ lists }, a, b) => set(at(lists, a), 1000 + (b % 40), a),
  'many elements': ({ lists }, a, b) => {
    for (let i = 0; i < b % 40; i++) set(at(lists, a), String((i * 31) % 1010), b);
  },
  'a length': ({ lists }, a, b) => set(at(lists, a), 'length', b % 1005),
  'a named property of a list': ({ lists }, a, b) => set(at(lists, a), at(['extra', 'other', -1, '01'], b), a),
  push: ({ lists }, a, b) => void at(lists, a).push(...[a, b, 3].slice(b % 3)),
  pop: ({ lists }, a, b) => {
    for (let i = 0; i <= b % 4; i++) at(lists, a).pop();
  },
  shift: ({ lists }, a) => void at(lists, a).shift(),
  unshift: ({ lists }, a, b) => void at(lists, a).unshift(a, b),
  splice: ({ lists }, a, b) => void at(lists, a).splice(b % 5, b % 3, ...[a, b].slice(b % 3)),
  sort: ({ lists }, a) => void at(lists, a).sort(),
  reverse: ({ lists }, a) => void at(lists, a).reverse(),
  fill: ({ lists }, a, b) => void at(lists, a).fill(b, b % 4, 5),
  copyWithin: ({ lists }, a, b) => void at(lists, a).copyWithin(0, b % 4),
  'Map.set': ({ maps, keys }, a, b) => void at(maps, a).set(b % 2 === 0 ? at(keys, b) : b % 210, a),
  'Map.set of many': ({ maps }, a, b) => {
    for (let i = 0; i < b % 30; i++) at(maps, a).set(i * 9, a);
  },
  'Map.delete': ({ maps, keys }, a, b) => void at(maps, a).delete(b % 2 === 0 ? at(keys, b) : b % 210),
  'Map.clear': ({ maps }, a) => at(maps, a).clear(),
  'Set.add': ({ sets, keys }, a, b) => void at(sets, a).add(b % 2 === 0 ? at(keys, b) : b % 210),
  'Set.delete': ({ sets, keys }, a, b) => void at(sets, a).delete(b % 2 === 0 ? at(keys, b) : b % 210),
  'Set.clear': ({ sets }, a) => at(sets, a).clear(),
  'WeakMap.set': ({ weakMap, keys }, a, b) => void weakMap.set(at(keys, a), b),
  'WeakMap.delete': ({ weakMap, keys }, a) => void weakMap.delete(at(keys, a)),
  'WeakSet.add': ({ weakSet, keys }, a) => void weakSet.add(at(keys, a)),
  'WeakSet.delete': ({ weakSet, keys }, a) => void weakSet.delete(at(keys, a)),
  'a date': ({ dates }, a, b) => {
    const date = at(dates, a);
    if (b % 3 === 0) date.setTime(a);
    else if (b % 3 === 1) date.setUTCFullYear(1990 + (a % 20));
    else date.setMinutes(b);
  },
  'a byte': ({ views }, a, b) => set(at(views, a), (b * 977) % at(views, a).length, b),
  'bytes out of range': ({ views }, a, b) => set(at(views, a), at(views, a).length + b, b),
  'TypedArray.set': ({ views }, a, b) => at(views, a).set([1, 2, 3], b % 2),
  'TypedArray.fill': ({ views }, a, b) => void at(views, a).fill(b % 100, b % 4, b * 50),
  'TypedArray.copyWithin': ({ views }, a, b) => void at(views, a).copyWithin(0, b % 9),
  'TypedArray.sort': ({ views }, a, b) =>
    void at([views[1], views[2]], a)?.sort((x, y) => (b % 2 === 0 ? x - y : y - x)),
  'TypedArray.reverse': ({ views }, a) => void at(views, a).reverse(),
  'DataView.setUint8': ({ dataView }, a, b) => dataView.setUint8((a * 613) % dataView.byteLength, b),
  'DataView.setFloat64': ({ dataView }, a, b) => dataView.setFloat64(a % 20, b),
  'Atomics.add': ({ views }, a, b) => void Atomics.add(views[1] as Int16Array, a % 8, b),
  'Atomics.store': ({ views }, a, b) => void Atomics.store(views[0] as Uint8Array, (a * 997) % 8000, b),
};

const write = fc.tuple(fc.constantFrom(...Object.keys(WRITES)), fc.nat(40), fc.nat(200));
const tasks = fc.array(fc.array(write, { maxLength: 25 }), { minLength: 1, maxLength: 4 });

function run(heap: Heap, writes: readonly [string, number, number][]): void {
  for (const [name, a, b] of writes) {
    try {
      WRITES[name]?.(heap, a, b);
    } catch (error) {
      // A write that the language refuses, such as that of a read-only property.
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    }
  }
}

function runTask(body: () => void): void {
  log.startTask(realm);
  body();
  log.pause();
}

beforeAll(() => fc.configureGlobal({ seed: 20_261_129 }));
afterEach(() => log.forgetOldest(log.depth));

test('undo restores the state before each task, and redo the state after it', { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(tasks, (program) => {
      log.forgetOldest(log.depth);
      const heap = createHeap();
      const states = [describeHeap(heap)];
      for (const writes of program) {
        runTask(() => run(heap, writes));
        states.push(describeHeap(heap));
      }
      expect(log.depth).toBe(program.length);
      fc.pre(program.every(() => log.obstacle === undefined));
      for (let round = 0; round < 2; round++) {
        for (let i = program.length - 1; i >= 0; i--) {
          if (log.obstacle !== undefined) return;
          expect(log.undo(true)).toEqual([]);
          expect(describeHeap(heap)).toBe(states[i]);
          expect([log.depth, log.undoneCount]).toEqual([i, program.length - i]);
        }
        for (let i = 0; i < program.length; i++) {
          expect(log.redo()).toEqual([]);
          expect(describeHeap(heap)).toBe(states[i + 1]);
        }
      }
    }),
    { numRuns: 60 },
  );
});

describe('each kind of write alone', () => {
  test.each(Object.keys(WRITES))('%s', (name) => {
    for (let a = 0; a < 5; a++)
      for (const b of [0, 1, 2, 5, 39, 107]) {
        const heap = createHeap();
        const before = describeHeap(heap);
        runTask(() => run(heap, [[name, a, b]]));
        const after = describeHeap(heap);
        expect(log.obstacle).toBe(undefined);
        expect(log.isReversible).toBe(true);
        expect(log.undo(true)).toEqual([]);
        expect(describeHeap(heap)).toBe(before);
        expect(log.redo()).toEqual([]);
        expect(describeHeap(heap)).toBe(after);
        expect(log.undo()).toEqual([]);
        expect(describeHeap(heap)).toBe(before);
        expect(log.undoneCount).toBe(0);
      }
  });
});

test.each<[string, object]>([
  ['an object', Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i]))],
  ['a list', Array.from({ length: 20 }, (_, i) => i)],
])('many writes to %s take no more room than a few', (_, object) => {
  const keys = Object.keys(object);
  const write = (count: number): void => {
    for (let i = 0; i < count; i++) set(object, keys[i % keys.length], i);
  };
  runTask(() => {
    write(100);
    const { sizeBytes } = log;
    write(5000);
    expect(log.sizeBytes).toBe(sizeBytes);
  });
});
