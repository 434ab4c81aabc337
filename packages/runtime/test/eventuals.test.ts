// Eventuals between actors: created and settled on different workers, chained, and passed on before and after, under
// random interleavings. In every order, all actors see the same outcome.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarReference } from '../src/references/far-reference.ts';
import { createChooser, createWorld, type WorkerContext, type World } from './test-world.ts';

/** An answer as the program has it. */
type Answered<T> = PromiseLike<T>;

interface Remote {
  make(name: string): Answered<{ readonly eventual: Answered<unknown> }>;
  settle(name: string, how: 'resolve' | 'reject', value: unknown): Answered<void>;
  chain(name: string, onto: { readonly eventual: Answered<unknown> }): Answered<void>;
  watch(what: { readonly eventual: Answered<unknown> }): Answered<void>;
  seen(): Answered<string[]>;
  echo<T>(value: T): Answered<T>;
  follow(path: readonly Remote[], depth: number): Answered<string>;
  nest(depth: number): Answered<unknown>;
  self(): Answered<Remote>;
  part(): Answered<Remote>;
  carry(path: readonly Remote[], what: unknown): Answered<readonly unknown[]>;
  keep(what: unknown): Answered<void>;
  kept(): Answered<unknown>;
  compare(one: unknown, other: unknown): Answered<readonly [boolean, string, string, boolean]>;
}

class EventualActor {
  readonly #context: WorkerContext;
  readonly #settlers = new Map<string, { resolve(value: unknown): void; reject(reason: unknown): void }>();
  readonly #seen: string[] = [];
  readonly #part = { ping: (): string => 'part' };
  #keptValue: unknown;
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  make(name: string): { eventual: unknown } {
    const { promise, resolve, reject } = this.#context.realm.Promise.withResolvers<unknown>();
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
  /** Calls the next actor of the path, up to a number of calls. */
  follow(path: readonly Remote[], depth: number): unknown {
    const next = path[depth % path.length] as Remote;
    return depth === 0 ? `worker ${this.#context.scheduler.index}` : next.follow(path, depth - 1);
  }
  nest(depth: number): unknown {
    const { Promise: OwnPromise } = this.#context.realm;
    let value: unknown = 'innermost';
    for (let i = 0; i < depth; i++) {
      const inner = value;
      value = i % 2 === 0 ? OwnPromise.resolve(inner) : OwnPromise.resolve().then(() => inner);
    }
    return value;
  }
  self(): FarReference {
    return this.#context.scheduler.actorApi.far(this);
  }
  part(): FarReference {
    return this.#context.scheduler.actorApi.far(this.#part);
  }
  /** Passes an eventual through others and returns its outcome. */
  carry([next, ...rest]: readonly Remote[], what: unknown): unknown {
    return next === undefined ? [what] : next.carry(rest, what);
  }
  keep(what: unknown): void {
    this.#keptValue = what;
  }
  kept(): unknown {
    return this.#keptValue;
  }
  compare(one: FarReference, other: FarReference): unknown {
    const { scheduler } = this.#context;
    const isMine = [this, this.#part].includes(scheduler.actorApi.near(one) as never);
    return [one === other, scheduler.actorApi.identityOf(one), scheduler.actorApi.identityOf(other), isMine];
  }
}

const classes = { Node: EventualActor as never };

interface TestStage {
  readonly world: World;
  readonly actors: readonly Remote[];
  run(): void;
  /** Runs until no work is left and returns the outcome. */
  outcome(asked: unknown): unknown;
}

function createStage(places: readonly number[], seed: number): TestStage {
  const world = createWorld(3, classes);
  const { scheduler, classFor } = world.workers[0]!;
  const actors = places.map((place) => scheduler.actorApi.spawn(classFor('Node'), [], place) as unknown as Remote);
  const run = (): void => world.run(createChooser(seed));
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

describe('eventual that is resolved with another one', () => {
  for (const order of orders)
    for (const how of ['resolve', 'reject'] as const) {
      it(`has the same ${how === 'resolve' ? 'value' : 'error'} on all workers: ${order.join(', ')}`, () => {
        fc.assert(
          fc.property(fc.tuple(place, place, place), fc.nat(65535), fc.boolean(), (places, seed, inSteps) => {
            const { world, actors, run, outcome } = createStage(places, seed);
            const [maker, chained, watcher] = actors as [Remote, Remote, Remote];
            const one = outcome(maker.make('one')) as { eventual: Answered<unknown> };
            const other = outcome(chained.make('other')) as { eventual: Answered<unknown> };
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
            // Also on the worker that both passed.
            expect([one, other].map(({ eventual }) => outcome(eventual))).toEqual(
              how === 'resolve' ? [42, 42] : ['RangeError no', 'RangeError no'],
            );
            expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
          }),
          { numRuns: 25 },
        );
      });
    }

  it('can be chained across any number of workers', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 2, maxLength: 12 }), fc.nat(65535), (places, seed) => {
        const { actors, outcome, run } = createStage(places, seed);
        const made = actors.map((actor) => outcome(actor.make('it')) as { eventual: Answered<unknown> });
        const random = createChooser(seed);
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

  it('unwraps promises of promises at any depth', () => {
    for (const at of [0, 1])
      for (const depth of [0, 1, 2, 7, 200]) {
        const { actors, outcome } = createStage([at], depth);
        expect(outcome(actors[0]!.nest(depth))).toBe('innermost');
      }
  });

  it('stays pending when it is resolved with itself in any way, and all workers become idle', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 5 }), fc.nat(65535), (places, seed) => {
        const { world, actors, outcome, run } = createStage(places, seed);
        const made = actors.map((actor) => outcome(actor.make('it')) as { eventual: Answered<unknown> });
        actors.forEach((actor, i) => void actor.chain('it', made[(i + 1) % made.length]!));
        run();
        expect(outcome(made[0]!.eventual)).toBe('nothing');
        expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('answer', () => {
  it('returns through all actors that were called, on all workers', () => {
    const { actors, outcome } = createStage([1, 2, 0, 2, 1], 5);
    for (const depth of [0, 1, 5, 500])
      expect(outcome(actors[0]!.follow(actors, depth))).toBe(depth === 0 ? 'worker 1' : 'worker 2');
  });
});

describe('eventual in a message', () => {
  it('can be kept, passed on, returned, and fulfilled with a reference', () => {
    fc.assert(
      fc.property(fc.tuple(place, place, place), fc.nat(65535), fc.boolean(), (places, seed, isEarly) => {
        const { actors, outcome, run } = createStage(places, seed);
        const [maker, keeper, third] = actors as [Remote, Remote, Remote];
        const made = outcome(maker.make('it')) as object;
        if (isEarly) void maker.settle('it', 'resolve', third);
        void keeper.keep({ list: [made, made] });
        run();
        const { list } = outcome(keeper.kept()) as { list: { eventual: Answered<unknown> }[] };
        expect(list[0]).toBe(list[1]);
        const [carried] = outcome(third.carry([keeper, maker], made)) as [{ eventual: Answered<unknown> }];
        if (!isEarly) void maker.settle('it', 'resolve', third);
        expect([list[0]!, carried].map(({ eventual }) => outcome(eventual) === third)).toEqual([true, true]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('two paths to one object', () => {
  it('give one reference per worker, and one identity on all workers', () => {
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 2, maxLength: 6 }),
        fc.array(fc.nat(5), { maxLength: 5 }),
        fc.array(fc.nat(5), { maxLength: 5 }),
        fc.boolean(),
        fc.nat(65535),
        (places, way, otherWay, isPart, seed) => {
          const { world, actors, outcome } = createStage(places, seed);
          const owner = actors[0]!;
          const path = (numbers: readonly number[]): Remote[] => numbers.map((n) => actors[n % actors.length]!);
          const ask = (): unknown => outcome(isPart ? owner.part() : owner.self());
          const [one] = outcome(actors[0]!.carry(path(way), ask())) as [Remote];
          const [other] = outcome(actors[1]!.carry(path(otherWay), ask())) as [Remote];
          expect(one).toBe(other);
          if (!isPart) expect(one).toBe(owner);
          const identity = world.workers[0]!.scheduler.actorApi.identityOf(one as never);
          for (const [i, judge] of actors.entries())
            expect(outcome(judge.compare(one, other))).toEqual([true, identity, identity, i === 0]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
