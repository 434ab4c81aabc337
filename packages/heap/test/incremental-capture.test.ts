// A graph written root by root while the program runs in between: written objects may change in any way, others must be
// as at the cut, and reading gives one graph.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeapError } from '@turntable/heap';
import { testCode } from './code.ts';
import { nodes } from './graphs.ts';
import { firstDifference } from './graph-difference.ts';
import { testWorld, type TestWorld } from './ports.ts';

const world = testWorld();
const withoutEngine = testWorld(undefined, false);

/** Writes each root as a piece. @param between runs before each root except the first */
function captureInPieces(
  roots: readonly unknown[],
  between: (next: number) => void = () => undefined,
  testedWorld = world,
  isApart = false,
  groups: readonly (object | undefined)[] = [],
): unknown[] {
  const capture = testedWorld.heap.capture(roots[0], { isDisjoint: isApart });
  while (!capture.run(50));
  for (let i = 1; i < roots.length; i++) {
    between(i);
    capture.add(roots[i], undefined, groups[i]);
  }
  return testedWorld.heap.readAll(capture.finish());
}

function defineData(object: object, key: PropertyKey, value: unknown): void {
  Reflect.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A world whose engine shows the keys of weak collections. */
function worldWithWeakKeys(): TestWorld {
  return testWorld(({ realm }) => ({
    weakKeys: (collection) => realm.parts.host.engine!.weakKeys(collection as never, 1e6).keys,
  }));
}

/** A random change of an object of any kind. */
const CHANGES: readonly ((object: object) => void)[] = [
  (object) => defineData(object, 'added', { fresh: [1, 2] }),
  (object) => defineData(object, 'a', 'changed'),
  (object) => defineData(object, '0', { fresh: true }),
  (object) => Reflect.ownKeys(object).forEach((key) => Reflect.deleteProperty(object, key)),
  (object) => {
    const last = Reflect.ownKeys(object).at(-1);
    if (last !== undefined && Reflect.deleteProperty(object, last)) defineData(object, 'other', 1);
  },
  (object) => Reflect.setPrototypeOf(object, { fresh: 'prototype' }),
  (object) => Reflect.setPrototypeOf(object, null),
  (object) => {
    if (!ArrayBuffer.isView(object)) Object.freeze(object);
  },
  (object) => Reflect.preventExtensions(object),
  (object) => {
    if (Array.isArray(object) && !Object.isFrozen(object)) Reflect.set(object, 'length', 0);
    if (object instanceof Map || object instanceof Set) object.clear();
    if (object instanceof Date) object.setTime(7);
    if (object instanceof Uint8Array) object.fill(0xee);
  },
];

/** Objects reached through properties, prototypes and entries. */
function reachableFrom(roots: readonly unknown[]): Set<object> {
  const found = new Set<object>();
  const queue = [...roots];
  for (let i = 0; i < queue.length; i++) {
    const value = queue[i];
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    if (world.ports.known.nameOf(value) !== undefined) continue;
    found.add(value);
    queue.push(Reflect.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) queue.push(Reflect.getOwnPropertyDescriptor(value, key)?.value);
    if (value instanceof Map) for (const entry of value) queue.push(...entry);
    if (value instanceof Set) queue.push(...value);
    if (ArrayBuffer.isView(value)) queue.push(value.buffer);
  }
  return found;
}

describe.each<[string, TestWorld]>([
  ['with the engine', world],
  ['without it', withoutEngine],
])('random graphs, %s', (_, testedWorld) => {
  test('are unchanged by later changes, when written in random pieces', () => {
    const change = fc.tuple(fc.nat(200), fc.nat(CHANGES.length - 1));
    fc.assert(
      fc.property(
        nodes,
        fc.array(fc.nat(30), { minLength: 1, maxLength: 8 }),
        fc.array(change, { maxLength: 40 }),
        (graphNodes, nodeIndices, changes) => {
          // Enough similar objects for layouts, in all pieces.
          const alike = Array.from({ length: 24 }, (__, i) => ({
            a: i,
            b: graphNodes[i % graphNodes.length],
            c: [i, { i }],
          }));
          const roots = nodeIndices.map((place, i) => [
            graphNodes[place % graphNodes.length],
            alike.slice(i * 3, i * 3 + 6),
            alike[i],
          ]);
          const expected = testedWorld.heap.read(testedWorld.heap.write(roots)) as unknown[];
          const pendingChanges = [...changes];
          const actual = captureInPieces(
            roots,
            (next) => {
              const written = [...reachableFrom(roots.slice(0, next))];
              for (const [nodeIndex, changeIndex] of pendingChanges.splice(0, 8))
                CHANGES[changeIndex]!(written[nodeIndex % written.length]!);
            },
            testedWorld,
          );
          expect(firstDifference(expected, actual)).toBeUndefined();
        },
      ),
      { numRuns: 150, seed: 31 },
    );
  });
});

describe('disjoint pieces', () => {
  test('share objects with additions to the first piece as with the first piece', () => {
    const own = { of: 'an actor' };
    const later = [own, { own }];
    const capture = world.heap.capture([own.of], { isDisjoint: true });
    capture.run();
    capture.addToFirst({ waits: own }, 'aside');
    own.of = 'another';
    capture.add(later);
    capture.add([own]);
    const [, aside, read, alone] = world.heap.readAll(capture.finish()) as [
      unknown,
      { waits: object },
      object[],
      object[],
    ];
    expect(aside).toEqual({ waits: { of: 'an actor' } });
    expect([read[0], (read[1] as { own: object }).own, alone[0]].every((each) => each === aside.waits)).toBe(true);
  });

  test('are unchanged by later changes, for random graphs that share the first piece', () => {
    const change = fc.tuple(fc.nat(200), fc.nat(CHANGES.length - 1));
    const piece = fc.tuple(nodes, fc.array(fc.nat(30), { maxLength: 3 }));
    fc.assert(
      fc.property(
        nodes,
        fc.array(piece, { maxLength: 6 }),
        fc.array(change, { maxLength: 40 }),
        (base, others, changes) => {
          const text = 'a string that is long enough to be written by number';
          const roots: unknown[] = [[base, text]];
          for (const [own, nodeIndices] of others) {
            const shared = nodeIndices.map((place) => base[place % base.length]);
            const alike = Array.from({ length: 6 }, (_, i) => ({
              own: own[i % own.length],
              shared,
              i,
              text: text + i,
            }));
            roots.push({ own, alike, again: [own[0], shared, text, alike[2]] });
          }
          const expected = world.heap.read(world.heap.write(roots)) as unknown[];
          const pendingChanges = [...changes];
          const between = (next: number): void => {
            const written = [...reachableFrom(roots.slice(0, next))];
            for (const [nodeIndex, changeIndex] of pendingChanges.splice(0, 8))
              CHANGES[changeIndex]!(written[nodeIndex % written.length]!);
          };
          expect(firstDifference(expected, captureInPieces(roots, between, world, true))).toBeUndefined();
        },
      ),
      { numRuns: 150, seed: 41 },
    );
  });

  test('share any objects within their group, whatever changes', () => {
    const change = fc.tuple(fc.nat(2000), fc.nat(CHANGES.length - 1));
    const piece = fc.tuple(fc.nat(3), fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(
        nodes,
        fc.array(nodes, { minLength: 3, maxLength: 3 }),
        fc.array(piece, { minLength: 3, maxLength: 12 }),
        fc.array(change, { maxLength: 60 }),
        fc.nat(2000),
        (base, graphs, plan, changes, filling) => {
          const keys: (object | undefined)[] = [{}, {}, {}, undefined];
          // Large groups are settled at the end.
          const many = Array.from({ length: filling }, (_, i) => ({ i }));
          const roots: unknown[] = [[base]];
          const groups: (object | undefined)[] = [undefined];
          for (const [groupIndex, nodeIndices] of plan) {
            const of = graphs[groupIndex] ?? [];
            const picked = nodeIndices.map((place) => (of.length === 0 ? place : of[place % of.length]));
            const some = groupIndex === 0 ? many.filter((_, i) => i % plan.length <= roots.length) : [];
            roots.push({ picked, base: base[nodeIndices[0]! % base.length], own: { which: groupIndex }, some });
            groups.push(keys[groupIndex]);
          }
          const expected = world.heap.read(world.heap.write(roots)) as unknown[];
          const pendingChanges = [...changes];
          const between = (next: number): void => {
            const written = [...reachableFrom(roots.slice(0, next))];
            for (const [nodeIndex, changeIndex] of pendingChanges.splice(0, 8))
              CHANGES[changeIndex]!(written[nodeIndex % written.length]!);
          };
          expect(firstDifference(expected, captureInPieces(roots, between, world, true, groups))).toBeUndefined();
        },
      ),
      { numRuns: 150, seed: 43 },
    );
  });

  test('have weak-collection entries of the first piece and of their own', () => {
    const testedWorld = worldWithWeakKeys();
    const keys = Array.from({ length: 4 }, (_, i) => ({ i }));
    const symbol = Symbol('key');
    const map = new WeakMap<WeakKey, unknown>(keys.map((key) => [key, { of: key }]));
    map.set(symbol, 'symbol');
    const own = new WeakMap<WeakKey, unknown>([
      [keys[0]!, 'shared'],
      [symbol, 'own'],
      [keys[2]!, 'lost'],
    ]);
    const roots = [{ map, first: keys[0] }, { key: keys[1], own, symbol }, [keys[3], symbol]];
    const [base, one, two] = captureInPieces(roots, undefined, testedWorld, true) as [
      { map: typeof map; first: object },
      { key: object; own: typeof own; symbol: symbol },
      [object, symbol],
    ];
    for (const key of [base.first, one.key, two[0]]) expect((base.map.get(key) as { of: object }).of).toBe(key);
    expect([base.map.get(one.symbol), one.own.get(one.symbol), one.own.get(base.first)]).toEqual([
      'symbol',
      'own',
      'shared',
    ]);
    expect(two[1]).toBe(one.symbol);
  });

  test('write objects in common twice', () => {
    const shared = { in: 'two' };
    const [, one, two] = captureInPieces([0, [shared, shared], shared], undefined, world, true) as [
      unknown,
      object[],
      object,
    ];
    expect(one[1]).toBe(one[0]);
    expect(two).toEqual(shared);
    expect(two).not.toBe(one[0]);
  });
});

describe('across pieces', () => {
  test('objects of earlier pieces keep their identity', () => {
    const shared = { list: [1, new Map([['k', { deep: true }]])] };
    const symbol = Symbol('one');
    const [base, first, second] = captureInPieces([
      { shared },
      { shared, symbol },
      [shared, { [symbol]: shared.list }],
    ]) as [{ shared: typeof shared }, { shared: object; symbol: symbol }, [object, Record<symbol, unknown>]];
    expect(first.shared).toBe(base.shared);
    expect(second[0]).toBe(base.shared);
    expect(second[1][first.symbol]).toBe(base.shared.list);
  });

  test('a root written before becomes a reference', () => {
    const root = { a: 1 };
    const [one, two, three] = captureInPieces([root, root, [root]], () => (root.a = 2));
    expect(two).toBe(one);
    expect(three).toEqual([one]);
    expect(one).toEqual({ a: 1 });
  });

  test('cycles lead into earlier pieces and back', () => {
    const base: Record<string, unknown> = {};
    const actor: Record<string, unknown> = { base };
    actor['self'] = actor;
    const [one, two] = captureInPieces([base, actor], () => (base['late'] = actor)) as [
      object,
      Record<string, unknown>,
    ];
    expect(two['self']).toBe(two);
    expect(two['base']).toBe(one);
    expect(one).toEqual({});
  });

  test.each([false, true])('changes of written objects are not read (disjoint: %o)', (isApart) => {
    const base = Array.from({ length: 6 }, (_, i) => ({ i, list: [i], map: new Map([[i, i]]) }));
    const bad = { refused: Promise.resolve(), map: () => 1 };
    const change = (): void => {
      Object.setPrototypeOf(base[1]!, bad);
      Object.setPrototypeOf(base[2]!.list, new Proxy(bad, {}));
      Object.setPrototypeOf(base[3]!.map, bad);
      Object.assign(base[4]!, bad);
      Object.defineProperty(base, 'length', { value: 0, writable: false });
    };
    const roots = [base, [base, base[1], base[2]!.list, base[3]!.map]];
    const [first, second] = captureInPieces(roots, change, world, isApart) as [typeof base, unknown[]];
    expect(first.map(({ i }) => i)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(second).toEqual([first, first[1], first[2]!.list, first[3]!.map]);
  });

  test('objects differ from similar ones that have changed', () => {
    type Point = Record<string, number>;
    const make = (names: string, i: number): Point => {
      const object: Point = {};
      for (const name of names) object[name] = i;
      return object;
    };
    const many = (names: string): Point[] => Array.from({ length: 12 }, (_, i) => make(names, i));
    const [points, dates, lists] = [many('xy'), many('').map(() => new Date(5)), many('').map((_, i) => [i, {}])];
    const later = {
      points: many('xz'),
      frozen: many('xy').map((each) => Object.freeze(each)),
      dates: many('').map((_, i) => Object.freeze(new Date(i))),
      lists: many('').map((_, i) => Object.freeze([i, {}])),
    };
    const [, second] = captureInPieces([{ points, dates, lists }, later], () => {
      points.forEach((point, i) => {
        if (i % 2 === 0) Object.freeze(point);
        else if (Reflect.deleteProperty(point, 'y')) point['z'] = 1;
      });
      [...dates, ...lists].forEach((each) => Object.freeze(each));
    });
    expect(firstDifference(later, second)).toBeUndefined();
  });

  test('holes stay holes if the program changes arrays meanwhile', () => {
    const lists = Array.from({ length: 8 }, (_, i) => [i, 'x', 'y'] as unknown[]);
    lists.forEach((list, i) => {
      // All of the kind with holes.
      Reflect.deleteProperty(list, 1);
      if (i < 5) list[1] = 'x';
    });
    try {
      const [, read] = captureInPieces([0, lists], () => {
        // oxlint-disable-next-line no-extend-native -- a program may
        Object.defineProperty(Array.prototype, 1, { value: 'inherited', writable: true, configurable: true });
      }) as [unknown, unknown[][]];
      expect(read.map((list) => Object.hasOwn(list, 1))).toEqual(lists.map((list) => Object.hasOwn(list, 1)));
    } finally {
      Reflect.deleteProperty(Array.prototype, 1);
    }
  });

  test('long strings of the first piece are not repeated', () => {
    const text = 'long '.repeat(100);
    for (const isApart of [false, true]) {
      const capture = world.heap.capture([text], { isDisjoint: isApart });
      capture.run();
      for (let i = 0; i < 5; i++) capture.add([text, `${text}${i}`, `${text}${i}`]);
      expect(capture.size).toBeLessThan(3500);
      expect(world.heap.readAll(capture.finish())[5]).toEqual([text, `${text}4`, `${text}4`]);
    }
  });

  test('roots can be primitive, or only the first one exists', () => {
    expect(captureInPieces([1, 'two', undefined, null, 'two'])).toEqual([1, 'two', undefined, null, 'two']);
    expect(captureInPieces(['only'])).toEqual(['only']);
  });

  test('lists can be far deeper than the stack, when written and read', () => {
    type Link = { next: Link | undefined };
    const list = (length: number, end?: Link): Link | undefined => {
      let first = end;
      for (let i = 0; i < length; i++) first = { next: first };
      return first;
    };
    const base = list(100_000);
    const [one, two] = captureInPieces([base, list(100_000, base)]) as [Link, Link];
    let at: Link | undefined = two;
    for (let i = 0; i < 100_000; i++) at = at?.next;
    expect(at).toBe(one);
  });
});

describe('weak collections', () => {
  type Maps = { map: WeakMap<WeakKey, unknown>; set: WeakSet<WeakKey> };
  const weak = (...entries: [WeakKey, unknown][]): Maps => ({
    map: new WeakMap(entries),
    set: new WeakSet(entries.map(([key]) => key)),
  });

  test.each<[string, TestWorld]>([
    ['with the engine', worldWithWeakKeys()],
    ['without it', withoutEngine],
  ])('have entries for keys before, in and after their piece, %s', (_, testedWorld) => {
    const [before, within, after, lost, late] = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }];
    const symbol = Symbol('key');
    const maps = weak(
      [after, { value: after }],
      [before, 'before'],
      [lost, 'lost'],
      [within, { leads: 'to', after }],
      [symbol, 'symbol'],
    );
    const [first, second, third] = captureInPieces(
      [{ before }, { maps, within }, { after, symbol }],
      (next) => {
        // A written collection counts with its entries at that time.
        if (next === 2) maps.map.set(late, 'late').set(before, 'changed').delete(within);
        if (next === 2) maps.set.delete(before);
      },
      testedWorld,
    ) as [Record<string, object>, { maps: Maps; within: object }, { after: object; symbol: symbol }];
    const read = second.maps;
    expect(read.map.get(first['before']!)).toBe('before');
    expect(read.map.get(second.within)).toEqual({ leads: 'to', after: { n: 3 } });
    expect((read.map.get(second.within) as { after: object }).after).toBe(third.after);
    expect((read.map.get(third.after) as { value: object }).value).toBe(third.after);
    expect(read.map.get(third.symbol as never)).toBe('symbol');
    for (const key of [first['before'], second.within, third.after, third.symbol])
      expect(read.set.has(key as WeakKey)).toBe(true);
  });

  test('of later pieces have entries for earlier keys, and for known objects', () => {
    const testedWorld = worldWithWeakKeys();
    const base = Array.from({ length: 9 }, (_, i) => ({ i }));
    const proxied = base[3]!;
    const [keys, read] = captureInPieces(
      [
        base,
        weak([base[7]!, 7], [proxied, { of: proxied }], [Math, 'Math'], [Array.prototype.map, 'map'], [{}, 'lost']),
      ],
      undefined,
      testedWorld,
    ) as [typeof base, Maps];
    expect(read.map.get(keys[7]!)).toBe(7);
    expect((read.map.get(keys[3]!) as { of: object }).of).toBe(keys[3]);
    expect([read.map.get(Math), read.map.get(Array.prototype.map)]).toEqual(['Math', 'map']);
    expect(read.set.has(keys[7]!)).toBe(true);
    expect(read.set.has(keys[6]!)).toBe(false);
  });

  test('omit an entry that is deleted before its key is reached', () => {
    const key = { n: 1 };
    const maps = weak([key, 'value']);
    const [read, there] = captureInPieces([maps, key], () => maps.map.delete(key), worldWithWeakKeys()) as [
      Maps,
      object,
    ];
    expect(read.map.has(there)).toBe(false);
    expect(read.set.has(there)).toBe(true);
  });
});

describe('classes', () => {
  class Account {
    #balance: number;
    owner = 'unknown';
    constructor(balance: number) {
      this.#balance = balance;
    }
    static has = (object: object): boolean => #balance in object;
    static read = (object: object): number => (object as Account).#balance;
    static set = (object: object, balance: number): void => {
      (object as Account).#balance = balance;
    };
  }
  class Savings extends Account {}

  test('keep private members in a later piece', () => {
    const code = testCode();
    code.class(Account);
    code.class(Savings);
    const testedWorld = testWorld(() => ({
      adapters: code.adapters,
      privateMembersOf: (prototype) =>
        prototype === Account.prototype || prototype === Savings.prototype
          ? [
              {
                owner: Account,
                has: Account.has,
                read: (object) => (Account.has(object) ? [Account.read(object)] : undefined),
              },
            ]
          : undefined,
      stampInstance: () => {
        const born = new Account(0);
        Reflect.deleteProperty(born, 'owner');
        return born;
      },
      setPrivateFields: (object, _, values) => Account.set(object, values[0] as number),
    }));
    const accounts = Array.from({ length: 20 }, (_, i) => (i % 5 === 4 ? new Savings(i) : new Account(i)));
    const groups = [{ plain: true }, accounts.slice(0, 8), { all: accounts }, [accounts[3], accounts[19]]];
    const [, first, { all }, last] = captureInPieces(
      groups,
      (next) => {
        if (next < 2) return;
        // Changes of written objects have no effect.
        accounts.slice(0, 8).forEach((account, i) => {
          Account.set(account, -1);
          if (i % 2 === 0) Object.assign(account, { more: 1 });
          if (i === 3) Object.setPrototypeOf(account, null);
        });
      },
      testedWorld,
    ) as [unknown, Account[], { all: Account[] }, Account[]];
    expect(all.map(Account.read)).toEqual(accounts.map((_, i) => i));
    expect(all.map((each) => Object.getPrototypeOf(each))).toEqual(
      accounts.map((_, i) => (i % 5 === 4 ? Savings.prototype : Account.prototype)),
    );
    expect(all.every((each) => Object.keys(each).join() === 'owner')).toBe(true);
    expect(first.every((each, i) => each === all[i])).toBe(true);
    expect([last[0], last[1]]).toEqual([all[3], all[19]]);
  });
});

describe('pools', () => {
  test('keep the bytes of the first view, and overlaps of views across pieces', () => {
    const size = Buffer.from('pool').buffer.byteLength;
    const pooled = testWorld(() => ({ isPool: (buffer) => buffer.byteLength === size }));
    const pool = Buffer.alloc(size).buffer;
    const at = (from: number, text: string): Buffer => {
      const view = Buffer.from(pool, from, text.length);
      view.write(text);
      return view;
    };
    const texts = [at(0, 'the first'), at(100, 'the second'), at(110, ' resumed'), at(200, 'far away')];
    const [a, b, c, d] = captureInPieces(
      [texts[0], texts[1], [texts[1], texts[2]], { d: texts[3], whole: Buffer.from(pool, 100, 18) }],
      (next) => texts[next - 1]!.fill('x'),
      pooled,
    ) as [Buffer, Buffer, [Buffer, Buffer], { d: Buffer; whole: Buffer }];
    expect([a, b, c[1], d.d].map(String)).toEqual(['the first', 'the second', ' resumed', 'far away']);
    expect(c[0]).toBe(b);
    expect(String(d.whole)).toBe('the second resumed');
    d.whole[1] = 0x21;
    expect(String(b)).toBe('t!e second');
  });
});

describe('a capture', () => {
  test('reports its size while it writes', () => {
    const capture = world.heap.capture({ a: 1 });
    capture.run();
    const before = capture.size;
    capture.add('x'.repeat(1000));
    expect(capture.size).toBeGreaterThan(before + 1000);
    expect(capture.finish().length).toBeGreaterThan(capture.size - 20);
  });

  test('starts the path of a refusal with the root’s name, and is unusable afterwards', () => {
    const capture = world.heap.capture({ a: 1 });
    capture.run();
    const errorOf = (act: () => unknown): HeapError => {
      try {
        act();
      } catch (error) {
        if (error instanceof HeapError) return error;
        throw error;
      }
      throw new Error('nothing was thrown');
    };
    const refused = errorOf(() => capture.add({ cart: { bad: Promise.resolve() } }, 'actor 3 (Cart)'));
    expect(refused.code).toBe('TT_UNCAPTURABLE');
    expect(refused.message).toMatch(/^actor 3 \(Cart\)\.cart\.bad: the reactions of a native promise/);
    for (const act of [() => capture.finish(), () => capture.add(1), () => capture.run()]) {
      const { code, message, cause } = errorOf(act);
      expect({ code, cause }).toEqual({ code: 'TT_CAPTURE_MISUSED', cause: refused });
      expect(message).toBe(
        'a root of this capture could not be written, so its bytes are incomplete; start another capture',
      );
    }
  });

  test('accepts other roots only between the first root and the end', () => {
    const capture = world.heap.capture(Array.from({ length: 100 }, () => ({})));
    capture.run(1);
    expect(() => capture.add(1)).toThrow(/the first root of this capture is not written yet; call `run`/);
    capture.finish();
    expect(() => capture.add(1)).toThrow(/the capture is finished; start another capture/);
    expect(() => capture.finish()).toThrow(HeapError);
  });

  test('can be consumed while it is written', () => {
    const roots = Array.from({ length: 30 }, (_, i) =>
      Array.from({ length: 4000 }, (__, j) => ({ i, j, text: `number ${i * j} of them`, half: j / 2 })),
    );
    const parts: Uint8Array[] = [];
    const copies: Buffer[] = [];
    const give = (bytes: Uint8Array): void => {
      parts.push(bytes);
      copies.push(Buffer.from(bytes));
    };
    const capture = world.heap.capture(roots[0], { onBytes: give });
    capture.run();
    for (const root of roots.slice(1)) capture.add(root);
    expect(parts.length).toBeGreaterThan(1);
    const before = capture.size;
    parts.push(capture.finish());
    expect(parts.slice(0, -1).every((part, i) => Buffer.compare(part, copies[i]!) === 0)).toBe(true);
    const bytes = Buffer.concat(parts);
    expect(bytes.length).toBeGreaterThan(before);
    expect(world.heap.readAll(bytes)).toEqual(roots);
    const whole = world.heap.capture(roots[0]);
    whole.run();
    for (const root of roots.slice(1)) whole.add(root);
    expect(Buffer.compare(whole.finish(), bytes)).toBe(0);
  });

  test('of several roots is not read as a single one', () => {
    const capture = world.heap.capture(1);
    capture.run();
    capture.add(2);
    const bytes = capture.finish();
    expect(() => world.heap.read(bytes)).toThrow(/expected the end of the only root/);
    expect(world.heap.readAll(bytes)).toEqual([1, 2]);
    expect(world.heap.readAll(world.heap.write({ a: 1 }))).toEqual([{ a: 1 }]);
  });

  test('in one piece gives the same bytes as `write`', () => {
    fc.assert(
      fc.property(nodes, fc.boolean(), (graphNodes, isApart) => {
        const capture = world.heap.capture(graphNodes, { isDisjoint: isApart });
        capture.run();
        expect(Buffer.compare(capture.finish(), world.heap.write(graphNodes))).toBe(0);
      }),
      { numRuns: 120, seed: 37 },
    );
  });
});
