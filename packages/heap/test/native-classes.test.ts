// Objects of an embedder's own classes, with private fields and subclasses made at run time: an adapter takes them apart, and neither
// these classes nor their prototypes are state. Contexts of core's may have such objects as their home and their trail.
import { internals } from '@turntable/core';
import { describe, expect, test } from 'vitest';
import { testWorld, type TestWorld } from './ports.ts';
import type { Adapter } from '@turntable/heap';

/** What a runtime would call an actor. */
class Home {
  readonly #id: number;
  readonly context: object;
  later: unknown;
  constructor(id: number) {
    this.#id = id;
    this.context = { home: this, store: undefined, trail: undefined };
  }
  static idOf(home: Home): number {
    return home.#id;
  }
  static is(value: object): value is Home {
    return #id in value;
  }
}

/** A reference: one subclass for each class of the program's, made when it is needed. */
class Far {
  readonly #home: Home;
  readonly #stub: string;
  constructor(home: Home, stub: string) {
    this.#home = home;
    this.#stub = stub;
  }
  static read(far: Far): [home: Home, stub: string] {
    return [far.#home, far.#stub];
  }
}

class Trail {
  readonly #call: string;
  constructor(call: string) {
    this.#call = call;
  }
  static callOf(trail: Trail): string {
    return trail.#call;
  }
}

interface Embedder {
  readonly world: TestWorld;
  readonly homes: Map<number, Home>;
  readonly looks: { claims: number };
  home(id: number): Home;
  far(home: Home, stub: string): Far;
}

/** Homes are the embedder's: made again, those of a state are the ones that are there. */
function embedder(): Embedder {
  const homes = new Map<number, Home>();
  const stubs = new Map<string, typeof Far>();
  const looks = { claims: 0 };
  const home = (id: number): Home => {
    const made = homes.get(id) ?? new Home(id);
    homes.set(id, made);
    return made;
  };
  const far = (of: Home, name: string): Far => {
    let stub = stubs.get(name);
    if (stub === undefined) stubs.set(name, (stub = class extends Far {}));
    return new stub(of, name);
  };
  const adapter: Adapter = {
    name: 'embedder',
    asks: 'objects',
    native: true,
    claims(prototype) {
      const isOurs = [Home, Far, Trail].some((type) => prototype === type.prototype || prototype instanceof type);
      if (isOurs) looks.claims++;
      return isOurs;
    },
    take(value) {
      if (value instanceof Far) return { kind: 0, header: Far.read(value), contents: [], whole: true };
      if (value instanceof Trail) return { kind: 1, header: [Trail.callOf(value)], contents: [], whole: true };
      if (!Home.is(value)) return undefined;
      return { kind: 2, header: [Home.idOf(value)], contents: [value.later], whole: true };
    },
    allocate(kind, header) {
      if (kind === 0) return far(header[0] as Home, header[1] as string);
      return kind === 1 ? new Trail(header[0] as string) : home(header[0] as number);
    },
    fill(object, kind, contents) {
      if (kind === 2) [(object as Home).later] = contents;
    },
  };
  return { world: testWorld(() => ({ adapters: [adapter] })), homes, looks, home, far };
}

describe('an adapter of native classes', () => {
  test('takes objects with private fields and of subclasses, whatever header and contents lead to', () => {
    const here = embedder();
    const [one, two] = [here.home(1), here.home(2)];
    const cart = here.far(one, 'Cart');
    one.later = { cart, map: new Map([[cart, two]]), self: one };
    const bytes = here.world.heap.write({ cart, again: cart, user: here.far(two, 'User') });
    const there = embedder();
    const read = there.world.heap.read(bytes) as { cart: Far; again: Far; user: Far };
    expect(read.again).toBe(read.cart);
    expect(Far.read(read.user)).toEqual([there.homes.get(2), 'User']);
    expect(Object.getPrototypeOf(read.user)).not.toBe(Object.getPrototypeOf(read.cart));
    const later = there.homes.get(1)?.later as { cart: Far; map: Map<Far, Home>; self: Home };
    expect(later.cart).toBe(read.cart);
    expect(later.map.get(read.cart)).toBe(there.homes.get(2));
    expect(later.self).toBe(there.homes.get(1));
  });

  test.each([false, true])('writes what stands in several pieces once (apart: %o)', (isApart) => {
    const here = embedder();
    const { promise } = here.world.ports.realm.Promise.withResolvers();
    const cart = here.far(here.home(1), 'Cart');
    const capture = here.world.heap.capture({ base: true }, { isApart });
    capture.run();
    for (const id of [1, 2, 3]) capture.add({ data: [{ id }, { id }], cart, home: here.home(id), promise });
    capture.add([cart, here.home(2), promise]);
    const there = embedder();
    type Piece = { data: object[]; cart: Far; home: Home; promise: object };
    const [, ...read] = there.world.heap.readAll(capture.finish()) as [object, Piece, Piece, Piece, object[]];
    const last = read.pop() as object[];
    const pieces = read as Piece[];
    expect(pieces.map((piece) => piece.data)).toEqual([1, 2, 3].map((id) => [{ id }, { id }]));
    for (const piece of pieces) expect([piece.cart === last[0], piece.promise === last[2]]).toEqual([true, true]);
    expect(pieces[1]!.home).toBe(last[1]);
    expect(last[2]).toBeInstanceOf(there.world.ports.realm.Promise);
  });

  test('is asked once for each class, not for each object', () => {
    const here = embedder();
    const homes = Array.from({ length: 1000 }, (_, i) => here.far(here.home(i), `Stub${i % 2}`));
    here.world.heap.write(homes);
    expect(here.looks.claims).toBe(3);
  });

  test('goes before what belongs to the host', () => {
    const blob = new Blob(['x']);
    const adapter: Adapter = {
      name: 'blobs',
      asks: 'objects',
      native: true,
      claims: (prototype) => prototype === Blob.prototype,
      take: (value) => ({ kind: 0, header: [(value as Blob).size], contents: [], whole: true }),
      allocate: (_, header) => new Blob(['y'.repeat(header[0] as number)]),
      fill: () => undefined,
    };
    const { heap } = testWorld(() => ({ adapters: [adapter] }));
    expect((heap.read(heap.write([blob])) as Blob[])[0]?.size).toBe(1);
    expect(() => testWorld().heap.write([blob])).toThrow(/Blob belongs to the host/);
  });
});

describe('contexts', () => {
  /** A callback that waits, in a context. */
  function waiting({ world }: Embedder, context: object): object {
    const { realm } = world.ports;
    const job = internals.allocate(realm, 'callbackJob');
    internals.fill(realm, job, { kind: 'callbackJob', fields: { callback: undefined, args: [], context } });
    return job;
  }

  function contextOf({ world }: Embedder, job: object): Record<string, unknown> {
    return internals.read(world.ports.realm, job)?.fields['context'] as Record<string, unknown>;
  }

  test('of two homes stay two, of one home one, in whatever pieces', () => {
    const here = embedder();
    const [one, two] = [here.home(1), here.home(2)];
    const capture = here.world.heap.capture([waiting(here, one.context)]);
    capture.run();
    capture.add([waiting(here, two.context), waiting(here, { ...one.context })]);
    capture.add(waiting(here, two.context));
    const there = embedder();
    const [[a], [b, c], d] = there.world.heap.readAll(capture.finish()) as [object[], object[], object];
    expect(contextOf(there, a as object)).toMatchObject({ home: there.homes.get(1), store: undefined });
    expect(contextOf(there, b as object)['home']).toBe(there.homes.get(2));
    expect(contextOf(there, c as object)).toBe(contextOf(there, a as object));
    expect(contextOf(there, d)).toBe(contextOf(there, b as object));
  });

  test('with different trails are different, and keep them', () => {
    const here = embedder();
    const { context } = here.home(1);
    const [first, second] = [new Trail('cart.add'), new Trail('cart.pay')];
    const jobs = [undefined, first, second, first].map((trail) => waiting(here, { ...context, trail }));
    const there = embedder();
    const read = there.world.heap.read(here.world.heap.write(jobs)) as object[];
    const contexts = read.map((job) => contextOf(there, job));
    expect(contexts.map(({ trail }) => trail && Trail.callOf(trail as Trail))).toEqual([
      undefined,
      'cart.add',
      'cart.pay',
      'cart.add',
    ]);
    expect(new Set(contexts).size).toBe(3);
    expect(contexts[3]).toBe(contexts[1]);
  });

  test("with a trail are not taken for core's own root", () => {
    const here = embedder();
    const root = contextOf(here, internals.allocate(here.world.ports.realm, 'callbackJob'));
    const jobs = [{ ...root }, { ...root, trail: new Trail('x') }].map((context) => waiting(here, context));
    const there = embedder();
    const [plain, trailed] = there.world.heap.read(here.world.heap.write(jobs)) as [object, object];
    expect(contextOf(there, plain)['trail']).toBeUndefined();
    expect(Trail.callOf(contextOf(there, trailed)['trail'] as Trail)).toBe('x');
  });
});
