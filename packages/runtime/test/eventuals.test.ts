// Eventuals between actors: made here, settled there, chained on each other, passed on before and after, under random interleavings of
// several workers. Whatever comes first, everybody learns the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarRef } from '../src/references/far-ref.ts';
import { choices, createWorld, type Here, type World } from './world.ts';

/** Whatever an actor answers, as the program has it. */
type Told<T> = PromiseLike<T>;

interface Remote {
  make(name: string): Told<{ readonly eventual: Told<unknown> }>;
  settle(name: string, how: 'resolve' | 'reject', value: unknown): Told<void>;
  chain(name: string, onto: { readonly eventual: Told<unknown> }): Told<void>;
  watch(what: { readonly eventual: Told<unknown> }): Told<void>;
  seen(): Told<string[]>;
  echo<T>(value: T): Told<T>;
  follow(path: readonly Remote[], depth: number): Told<string>;
  nest(depth: number): Told<unknown>;
  self(): Told<Remote>;
  part(): Told<Remote>;
  carry(path: readonly Remote[], what: unknown): Told<readonly unknown[]>;
  keep(what: unknown): Told<void>;
  kept(): Told<unknown>;
  compare(one: unknown, other: unknown): Told<readonly [boolean, string, string, boolean]>;
}

class Node {
  readonly #here: Here;
  readonly #settlers = new Map<string, { resolve(value: unknown): void; reject(reason: unknown): void }>();
  readonly #seen: string[] = [];
  readonly #part = { ping: (): string => 'part' };
  #kept: unknown;
  constructor(here: Here) {
    this.#here = here;
  }
  make(name: string): { eventual: unknown } {
    const { promise, resolve, reject } = this.#here.realm.Promise.withResolvers<unknown>();
    this.#settlers.set(name, { resolve, reject });
    return { eventual: promise };
  }
  settle(name: string, how: 'resolve' | 'reject', value: unknown): void {
    this.#settlers.get(name)?.[how](value);
  }
  chain(name: string, { eventual }: { eventual: unknown }): void {
    this.#settlers.get(name)?.resolve(eventual);
  }
  watch({ eventual }: { eventual: Promise<unknown> }): void {
    eventual.then(
      (value) => this.#seen.push(`value ${String(value)}`),
      (reason: Error) => this.#seen.push(`${reason.name} ${reason.message}`),
    );
  }
  seen(): string[] {
    return this.#seen;
  }
  echo(value: unknown): unknown {
    return value;
  }
  /** Asks the next of the path, so many times in all. */
  follow(path: readonly Remote[], depth: number): unknown {
    const next = path[depth % path.length] as Remote;
    return depth === 0 ? `worker ${this.#here.scheduler.index}` : next.follow(path, depth - 1);
  }
  nest(depth: number): unknown {
    const { Promise: OwnPromise } = this.#here.realm;
    let value: unknown = 'innermost';
    for (let i = 0; i < depth; i++) {
      const inner = value;
      value = i % 2 === 0 ? OwnPromise.resolve(inner) : OwnPromise.resolve().then(() => inner);
    }
    return value;
  }
  self(): FarRef {
    return this.#here.scheduler.program.far(this);
  }
  part(): FarRef {
    return this.#here.scheduler.program.far(this.#part);
  }
  /** By way of others, and what came of it. */
  carry([next, ...rest]: readonly Remote[], what: unknown): unknown {
    return next === undefined ? [what] : next.carry(rest, what);
  }
  keep(what: unknown): void {
    this.#kept = what;
  }
  kept(): unknown {
    return this.#kept;
  }
  compare(one: FarRef, other: FarRef): unknown {
    const { scheduler } = this.#here;
    const isMine = [this, this.#part].includes(scheduler.program.near(one) as never);
    return [one === other, scheduler.program.identityOf(one), scheduler.program.identityOf(other), isMine];
  }
}

const classes = { Node: Node as never };

interface Stage {
  readonly world: World;
  readonly actors: readonly Remote[];
  run(): void;
  /** What comes of it when all have done all they can. */
  outcome(asked: unknown): unknown;
}

function stage(places: readonly number[], seed: number): Stage {
  const world = createWorld(3, classes);
  const { scheduler, classHere } = world.workers[0]!;
  const actors = places.map((place) => scheduler.program.spawn(classHere('Node'), [], place) as unknown as Remote);
  const run = (): void => world.run(choices(seed));
  return {
    world,
    actors,
    run,
    outcome(asked) {
      let outcome: unknown = 'nothing';
      (asked as Promise<unknown>).then(
        (value) => (outcome = value),
        (reason: Error) => (outcome = `${reason.name} ${reason.message}`),
      );
      run();
      return outcome;
    },
  };
}

const place = fc.nat(2);
const orders = [
  ['resolve', 'chain', 'register'],
  ['resolve', 'register', 'chain'],
  ['chain', 'resolve', 'register'],
  ['chain', 'register', 'resolve'],
  ['register', 'resolve', 'chain'],
  ['register', 'chain', 'resolve'],
] as const;

describe('an eventual that another one is resolved with', () => {
  for (const order of orders)
    for (const how of ['resolve', 'reject'] as const) {
      it(`has the same ${how === 'resolve' ? 'value' : 'error'} for all, wherever they live: ${order.join(', ')}`, () => {
        fc.assert(
          fc.property(fc.tuple(place, place, place), fc.nat(65535), fc.boolean(), (places, seed, inSteps) => {
            const { world, actors, run, outcome } = stage(places, seed);
            const [maker, chained, watcher] = actors as [Remote, Remote, Remote];
            const one = outcome(maker.make('one')) as { eventual: Told<unknown> };
            const other = outcome(chained.make('other')) as { eventual: Told<unknown> };
            const value = how === 'resolve' ? 42 : new RangeError('no');
            const steps = {
              resolve: () => maker.settle('one', how, value),
              chain: () => chained.chain('other', one),
              register: () => watcher.watch(other),
            };
            for (const step of order) {
              void steps[step]();
              if (inSteps) run();
            }
            run();
            const expected = how === 'resolve' ? 'value 42' : 'RangeError no';
            expect(outcome(watcher.seen())).toEqual([expected]);
            // Here, too, where both have come by.
            expect([one, other].map(({ eventual }) => outcome(eventual))).toEqual(
              how === 'resolve' ? [42, 42] : ['RangeError no', 'RangeError no'],
            );
            expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
          }),
          { numRuns: 25 },
        );
      });
    }

  it('may be one of another worker, and that again, as often as there are', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 2, maxLength: 12 }), fc.nat(65535), (places, seed) => {
        const { actors, outcome, run } = stage(places, seed);
        const made = actors.map((actor) => outcome(actor.make('it')) as { eventual: Told<unknown> });
        const random = choices(seed);
        const links = made.slice(1).map((_, i) => i);
        while (links.length > 0) {
          const [i] = links.splice(random(links.length), 1) as [number];
          void actors[i]!.chain('it', made[i + 1]!);
          if (random(2) === 0) run();
        }
        void actors.at(-1)!.settle('it', 'resolve', 'the last one');
        expect(outcome(made[0]!.eventual)).toBe('the last one');
      }),
      { numRuns: 50 },
    );
  });

  it('is the innermost one, however deep promises of promises go', () => {
    for (const at of [0, 1])
      for (const depth of [0, 1, 2, 7, 200]) {
        const { actors, outcome } = stage([at], depth);
        expect(outcome(actors[0]!.nest(depth))).toBe('innermost');
      }
  });

  it('waits for ever if it is itself, by whichever way, and everybody comes to rest', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 5 }), fc.nat(65535), (places, seed) => {
        const { world, actors, outcome, run } = stage(places, seed);
        const made = actors.map((actor) => outcome(actor.make('it')) as { eventual: Told<unknown> });
        actors.forEach((actor, i) => void actor.chain('it', made[(i + 1) % made.length]!));
        run();
        expect(outcome(made[0]!.eventual)).toBe('nothing');
        expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('an answer', () => {
  it('comes back through as many actors as were asked, on however many workers', () => {
    const { actors, outcome } = stage([1, 2, 0, 2, 1], 5);
    for (const depth of [0, 1, 5, 500])
      expect(outcome(actors[0]!.follow(actors, depth))).toBe(depth === 0 ? 'worker 1' : 'worker 2');
  });
});

describe('an eventual in a message', () => {
  it('is one that can be kept, passed on, given back, and settled with a reference', () => {
    fc.assert(
      fc.property(fc.tuple(place, place, place), fc.nat(65535), fc.boolean(), (places, seed, isEarly) => {
        const { actors, outcome, run } = stage(places, seed);
        const [maker, keeper, third] = actors as [Remote, Remote, Remote];
        const made = outcome(maker.make('it')) as object;
        if (isEarly) void maker.settle('it', 'resolve', third);
        void keeper.keep({ list: [made, made] });
        run();
        const { list } = outcome(keeper.kept()) as { list: { eventual: Told<unknown> }[] };
        expect(list[0]).toBe(list[1]);
        const [carried] = outcome(third.carry([keeper, maker], made)) as [{ eventual: Told<unknown> }];
        if (!isEarly) void maker.settle('it', 'resolve', third);
        expect([list[0]!, carried].map(({ eventual }) => outcome(eventual) === third)).toEqual([true, true]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('two paths to one object', () => {
  it('lead to one reference on a worker, and to one identity on all', () => {
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 2, maxLength: 6 }),
        fc.array(fc.nat(5), { maxLength: 5 }),
        fc.array(fc.nat(5), { maxLength: 5 }),
        fc.boolean(),
        fc.nat(65535),
        (places, way, otherWay, isPart, seed) => {
          const { world, actors, outcome } = stage(places, seed);
          const owner = actors[0]!;
          const path = (numbers: readonly number[]): Remote[] => numbers.map((n) => actors[n % actors.length]!);
          const ask = (): unknown => outcome(isPart ? owner.part() : owner.self());
          const [one] = outcome(actors[0]!.carry(path(way), ask())) as [Remote];
          const [other] = outcome(actors[1]!.carry(path(otherWay), ask())) as [Remote];
          expect(one).toBe(other);
          if (!isPart) expect(one).toBe(owner);
          const identity = world.workers[0]!.scheduler.program.identityOf(one as never);
          for (const [i, judge] of actors.entries())
            expect(outcome(judge.compare(one, other))).toEqual([true, identity, identity, i === 0]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
