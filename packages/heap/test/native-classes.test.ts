// Objects of an embedder's classes, with private fields and subclasses made at run time. An adapter takes them apart,
// and neither classes nor prototypes are state. They can be the home or trail of core's contexts.
import { internals } from '@turntable/core';
import { describe, expect, test } from 'vitest';
import { testWorld, type TestWorld } from './ports.ts';
import type { ObjectAdapter } from '@turntable/heap';

/** Like an actor of a runtime. */
class EmbedderHome {
  readonly #id: number;
  readonly context: object;
  later: unknown;
  constructor(id: number) {
    this.#id = id;
    this.context = { home: this, store: undefined, trail: undefined };
  }
  static idOf(home: EmbedderHome): number {
    return home.#id;
  }
  static is(value: object): value is EmbedderHome {
    return #id in value;
  }
}

/** A reference, with one subclass for each program class, created on demand. */
class FarStub {
  readonly #home: EmbedderHome;
  readonly #stub: string;
  constructor(home: EmbedderHome, stub: string) {
    this.#home = home;
    this.#stub = stub;
  }
  static read(far: FarStub): [home: EmbedderHome, stub: string] {
    return [far.#home, far.#stub];
  }
}

class EmbedderTrail {
  readonly #call: string;
  constructor(call: string) {
    this.#call = call;
  }
  static callOf(trail: EmbedderTrail): string {
    return trail.#call;
  }
}

interface Embedder {
  readonly world: TestWorld;
  readonly homes: Map<number, EmbedderHome>;
  readonly callCounts: { claims: number };
  home(id: number): EmbedderHome;
  far(home: EmbedderHome, stub: string): FarStub;
}

/** Homes belong to the embedder: those of a state are restored as the existing ones. */
function createEmbedder(): Embedder {
  const homes = new Map<number, EmbedderHome>();
  const stubs = new Map<string, typeof FarStub>();
  const callCounts = { claims: 0 };
  const home = (id: number): EmbedderHome => {
    const made = homes.get(id) ?? new EmbedderHome(id);
    homes.set(id, made);
    return made;
  };
  const far = (homeOf: EmbedderHome, name: string): FarStub => {
    let stub = stubs.get(name);
    if (stub === undefined) stubs.set(name, (stub = class extends FarStub {}));
    return new stub(homeOf, name);
  };
  const adapter: ObjectAdapter = {
    name: 'embedder',
    appliesTo: 'objects',
    isNative: true,
    matchesPrototype(prototype) {
      const isOurs = [EmbedderHome, FarStub, EmbedderTrail].some(
        (type) => prototype === type.prototype || prototype instanceof type,
      );
      if (isOurs) callCounts.claims++;
      return isOurs;
    },
    takeApart(value) {
      if (value instanceof FarStub) return { kind: 0, header: FarStub.read(value), contents: [], isComplete: true };
      if (value instanceof EmbedderTrail)
        return { kind: 1, header: [EmbedderTrail.callOf(value)], contents: [], isComplete: true };
      if (!EmbedderHome.is(value)) return undefined;
      return { kind: 2, header: [EmbedderHome.idOf(value)], contents: [value.later], isComplete: true };
    },
    allocate(kind, header) {
      if (kind === 0) return far(header[0] as EmbedderHome, header[1] as string);
      return kind === 1 ? new EmbedderTrail(header[0] as string) : home(header[0] as number);
    },
    fill(object, kind, contents) {
      if (kind === 2) [(object as EmbedderHome).later] = contents;
    },
  };
  return { world: testWorld(() => ({ adapters: [adapter] })), homes, callCounts, home, far };
}

describe('an adapter of native classes', () => {
  test('takes apart objects with private fields and of subclasses, with any header and contents', () => {
    const source = createEmbedder();
    const [one, two] = [source.home(1), source.home(2)];
    const cart = source.far(one, 'Cart');
    one.later = { cart, map: new Map([[cart, two]]), self: one };
    const bytes = source.world.heap.write({ cart, again: cart, user: source.far(two, 'User') });
    const target = createEmbedder();
    const read = target.world.heap.read(bytes) as { cart: FarStub; again: FarStub; user: FarStub };
    expect(read.again).toBe(read.cart);
    expect(FarStub.read(read.user)).toEqual([target.homes.get(2), 'User']);
    expect(Object.getPrototypeOf(read.user)).not.toBe(Object.getPrototypeOf(read.cart));
    const later = target.homes.get(1)?.later as { cart: FarStub; map: Map<FarStub, EmbedderHome>; self: EmbedderHome };
    expect(later.cart).toBe(read.cart);
    expect(later.map.get(read.cart)).toBe(target.homes.get(2));
    expect(later.self).toBe(target.homes.get(1));
  });

  test.each([false, true])('writes objects of several pieces once (disjoint: %o)', (isApart) => {
    const source = createEmbedder();
    const { promise } = source.world.ports.realm.Promise.withResolvers();
    const cart = source.far(source.home(1), 'Cart');
    const capture = source.world.heap.capture({ base: true }, { isDisjoint: isApart });
    capture.run();
    for (const id of [1, 2, 3]) capture.add({ data: [{ id }, { id }], cart, home: source.home(id), promise });
    capture.add([cart, source.home(2), promise]);
    const target = createEmbedder();
    type Piece = { data: object[]; cart: FarStub; home: EmbedderHome; promise: object };
    const [, ...read] = target.world.heap.readAll(capture.finish()) as [object, Piece, Piece, Piece, object[]];
    const last = read.pop() as object[];
    const pieces = read as Piece[];
    expect(pieces.map((piece) => piece.data)).toEqual([1, 2, 3].map((id) => [{ id }, { id }]));
    for (const piece of pieces) expect([piece.cart === last[0], piece.promise === last[2]]).toEqual([true, true]);
    expect(pieces[1]!.home).toBe(last[1]);
    expect(last[2]).toBeInstanceOf(target.world.ports.realm.Promise);
  });

  test('is asked once per class', () => {
    const source = createEmbedder();
    const homes = Array.from({ length: 1000 }, (_, i) => source.far(source.home(i), `Stub${i % 2}`));
    source.world.heap.write(homes);
    expect(source.callCounts.claims).toBe(3);
  });

  test('comes before the check for host objects', () => {
    const blob = new Blob(['x']);
    const adapter: ObjectAdapter = {
      name: 'blobs',
      appliesTo: 'objects',
      isNative: true,
      matchesPrototype: (prototype) => prototype === Blob.prototype,
      takeApart: (value) => ({ kind: 0, header: [(value as Blob).size], contents: [], isComplete: true }),
      allocate: (_, header) => new Blob(['y'.repeat(header[0] as number)]),
      fill: () => undefined,
    };
    const { heap } = testWorld(() => ({ adapters: [adapter] }));
    expect((heap.read(heap.write([blob])) as Blob[])[0]?.size).toBe(1);
    expect(() => testWorld().heap.write([blob])).toThrow(/Blob belongs to the host/);
  });
});

describe('contexts', () => {
  /** A pending callback in a context. */
  function waiting({ world }: Embedder, context: object): object {
    const { realm } = world.ports;
    const job = internals.allocate(realm, 'callbackJob');
    internals.fill(realm, job, { kind: 'callbackJob', fields: { callback: undefined, args: [], context } });
    return job;
  }

  function contextOf({ world }: Embedder, job: object): Record<string, unknown> {
    return internals.read(world.ports.realm, job)?.fields['context'] as Record<string, unknown>;
  }

  test('of two homes stay two, and of one home become one, in any pieces', () => {
    const source = createEmbedder();
    const [one, two] = [source.home(1), source.home(2)];
    const capture = source.world.heap.capture([waiting(source, one.context)]);
    capture.run();
    capture.add([waiting(source, two.context), waiting(source, { ...one.context })]);
    capture.add(waiting(source, two.context));
    const target = createEmbedder();
    const [[a], [b, c], d] = target.world.heap.readAll(capture.finish()) as [object[], object[], object];
    expect(contextOf(target, a as object)).toMatchObject({ home: target.homes.get(1), store: undefined });
    expect(contextOf(target, b as object)['home']).toBe(target.homes.get(2));
    expect(contextOf(target, c as object)).toBe(contextOf(target, a as object));
    expect(contextOf(target, d)).toBe(contextOf(target, b as object));
  });

  test('with different trails stay different and keep their trails', () => {
    const source = createEmbedder();
    const { context } = source.home(1);
    const [first, second] = [new EmbedderTrail('cart.add'), new EmbedderTrail('cart.pay')];
    const jobs = [undefined, first, second, first].map((trail) => waiting(source, { ...context, trail }));
    const target = createEmbedder();
    const read = target.world.heap.read(source.world.heap.write(jobs)) as object[];
    const contexts = read.map((job) => contextOf(target, job));
    expect(contexts.map(({ trail }) => trail && EmbedderTrail.callOf(trail as EmbedderTrail))).toEqual([
      undefined,
      'cart.add',
      'cart.pay',
      'cart.add',
    ]);
    expect(new Set(contexts).size).toBe(3);
    expect(contexts[3]).toBe(contexts[1]);
  });

  test("with a trail are not taken for core's own root", () => {
    const source = createEmbedder();
    const root = contextOf(source, internals.allocate(source.world.ports.realm, 'callbackJob'));
    const jobs = [{ ...root }, { ...root, trail: new EmbedderTrail('x') }].map((context) => waiting(source, context));
    const target = createEmbedder();
    const [plain, trailed] = target.world.heap.read(source.world.heap.write(jobs)) as [object, object];
    expect(contextOf(target, plain)['trail']).toBeUndefined();
    expect(EmbedderTrail.callOf(contextOf(target, trailed)['trail'] as EmbedderTrail)).toBe('x');
  });
});
