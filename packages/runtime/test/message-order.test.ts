// E-order: messages from one actor to another arrive in send order, over any references, large ones among small ones;
// messages to an eventual arrive in send order after it is fulfilled with a reference. Random topologies on real rings
// and ports, under random interleavings.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarReference } from '../src/references/far-reference.ts';
import { createChooser, createWorld, type WorkerContext } from './test-world.ts';

interface Letter {
  readonly from: number;
  readonly way: 'reference' | 'eventual';
  readonly sequence: number;
  readonly load: Uint8Array | string | undefined;
}

interface Remote {
  meet(self: number, known: readonly Remote[]): PromiseLike<void>;
  self(): PromiseLike<Remote>;
  pass(what: Remote): PromiseLike<{ readonly found: Map<string, Remote> }>;
  promise(key: string): PromiseLike<Remote>;
  settle(key: string, ref: Remote): PromiseLike<void>;
  send(step: Step): PromiseLike<void>;
  receive(letter: Letter): PromiseLike<void>;
  log(): PromiseLike<Letter[]>;
}

const SEND_KINDS = ['met', 'asked', 'passed', 'eventual', 'when known'] as const;

interface Step {
  readonly who: number;
  readonly to: number;
  readonly how: (typeof SEND_KINDS)[number];
  readonly bytes: number;
  /** Number of messages in one turn. */
  readonly times: number;
  /** Whether other workers run before the next step. */
  readonly rests: boolean;
  /** The eventual that is settled then. */
  readonly settled: number | undefined;
}

class OrderActor {
  readonly #context: WorkerContext;
  #number = -1;
  #known: readonly Remote[] = [];
  readonly #askedReferences = new Map<number, Remote>();
  readonly #passedReferences = new Map<number, Remote>();
  readonly #eventuals = new Map<number, PromiseLike<Remote>>();
  readonly #settlers = new Map<string, (ref: Remote) => void>();
  readonly #sent = new Map<string, number>();
  readonly #log: Letter[] = [];
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  /** References that came three ways, and unsettled eventuals. */
  meet(self: number, known: readonly Remote[]): void {
    this.#number = self;
    this.#known = known;
    known.forEach((each, i) => {
      void each.self().then((ref) => this.#askedReferences.set(i, ref));
      const third = known[(self + i + 1) % known.length] as Remote;
      void third.pass(each).then(({ found }) => this.#passedReferences.set(i, found.get('it') as Remote));
      const notary = known[(self + i) % known.length] as Remote;
      this.#eventuals.set(i, notary.promise(`${self} ${i}`));
    });
  }
  self(): FarReference {
    return this.#context.scheduler.actorApi.far(this);
  }
  pass(what: Remote): { found: Map<string, Remote> } {
    return { found: new Map([['it', what]]) };
  }
  promise(key: string): PromiseLike<Remote> {
    const { promise, resolve } = this.#context.realm.Promise.withResolvers<Remote>();
    this.#settlers.set(key, resolve);
    return promise;
  }
  settle(key: string, ref: Remote): void {
    this.#settlers.get(key)?.(ref);
  }
  send(step: Step): void {
    // Small messages would find room where large ones do not.
    for (let i = 0; i < step.times; i++) this.#send(i % 3 === 2 ? { ...step, bytes: i } : step);
  }
  #send({ to, how, bytes }: Step): void {
    const { scheduler } = this.#context;
    const eventual = this.#eventuals.get(to) as PromiseLike<Remote>;
    const letter = this.#letter(to, how === 'eventual' || how === 'when known' ? 'eventual' : 'reference', bytes);
    const tell = (target: object): void =>
      (scheduler.actorApi.tell(target) as { receive(letter: Letter): void }).receive(letter);
    if (how === 'eventual') tell(eventual);
    // Reactions to a reference run in the order in which they were added, messages included.
    else if (how === 'when known') void eventual.then((ref) => tell(ref));
    else if (how === 'passed') tell(this.#passedReferences.get(to) as Remote);
    else tell(how === 'asked' ? (this.#askedReferences.get(to) as Remote) : (this.#known[to] as Remote));
  }
  #letter(to: number, way: Letter['way'], bytes: number): Letter {
    const key = `${to} ${way}`;
    const sequence = (this.#sent.get(key) ?? 0) + 1;
    this.#sent.set(key, sequence);
    const load = bytes % 2 === 0 ? new Uint8Array(bytes).fill(sequence) : 'é'.repeat(bytes >> 1);
    return { from: this.#number, way, sequence, load: bytes === 0 ? undefined : load };
  }
  receive(letter: Letter): void {
    this.#log.push(letter);
  }
  log(): Letter[] {
    return this.#log.map(({ load, ...rest }) => ({
      ...rest,
      load: typeof load === 'string' ? load : load?.slice(0, 1),
    }));
  }
}

const classes = { Node: OrderActor as never };

const step: fc.Arbitrary<Step> = fc.record({
  who: fc.nat(5),
  to: fc.nat(5),
  how: fc.constantFrom(...SEND_KINDS),
  // Empty, small, a large part of the ring, or big enough for the port.
  bytes: fc.oneof(
    { weight: 6, arbitrary: fc.nat(40) },
    { weight: 2, arbitrary: fc.integer({ min: 300, max: 900 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1000, max: 5000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 80_000 }) },
  ),
  // Sometimes more than the ring can hold.
  times: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 20 }) }),
  rests: fc.boolean(),
  settled: fc.option(fc.nat(35), { nil: undefined }),
});

describe('messages in any topology', () => {
  it('arrive once, unchanged, in the order of each path', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2), { minLength: 1, maxLength: 6 }),
        fc.array(step, { maxLength: 60 }),
        fc.nat(65535),
        (places, steps, seed) => {
          const world = createWorld(3, classes, { size: 2 ** 12 });
          const { scheduler, classFor } = world.workers[0]!;
          const actors = places.map((at) => scheduler.actorApi.spawn(classFor('Node'), [], at) as unknown as Remote);
          const run = (): void => world.run(createChooser(seed));
          const count = actors.length;
          actors.forEach((actor, i) => void actor.meet(i, actors));
          run();
          const settle = (pair: number): void => {
            const [self, i] = [Math.floor(pair / count) % count, pair % count];
            void actors[(self + i) % count]!.settle(`${self} ${i}`, actors[i]!);
          };
          for (const each of steps) {
            void actors[each.who % count]!.send({ ...each, to: each.to % count });
            if (each.settled !== undefined) settle(each.settled);
            if (each.rests) run();
          }
          for (let pair = 0; pair < count * count; pair++) settle(pair);
          run();
          let received = 0;
          actors.forEach((actor) => {
            let log: Letter[] = [];
            void actor.log().then((letters) => (log = letters));
            run();
            received += log.length;
            const last = new Map<string, number>();
            for (const { from, way, sequence, load } of log) {
              expect(sequence).toBe((last.get(`${from} ${way}`) ?? 0) + 1);
              last.set(`${from} ${way}`, sequence);
              if (load instanceof Uint8Array) expect(load[0]).toBe(sequence & 255);
            }
          });
          expect(received).toBe(steps.reduce((sum, { times }) => sum + times, 0));
          expect(world.workers.flatMap(({ reports }) => reports)).toEqual([]);
        },
      ),
      { numRuns: 120 },
    );
  });
});
