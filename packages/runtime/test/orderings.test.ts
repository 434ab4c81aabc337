// Actors on several workers that send what a random plan says, under random interleavings: what arrives, in which order, and that a worker does the
// same again if it is given the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarRef } from '../src/far-ref.ts';
import {
  again,
  createWorld,
  runAlone,
  choices,
  written,
  type Here,
  type World,
  type WorldOptions,
  type WorldWorker,
} from './world.ts';

interface Step {
  /** Number of the actor it goes to. */
  readonly to: number;
  readonly how: 'tell' | 'ask' | 'later' | 'large' | 'in time' | 'tick';
  readonly then: readonly Step[];
}

interface Letter {
  readonly from: number;
  /** How many the sender has sent to this actor in this way. */
  readonly sequence: number;
  readonly way: string;
  readonly then: readonly Step[];
  readonly load?: Uint8Array | undefined;
}

interface Remote {
  receive(letter: Letter): Promise<string>;
  meet(actors: readonly Remote[]): Promise<void>;
  self(): Promise<Remote>;
  read(): Promise<string[]>;
}

class Node {
  readonly #here: Here;
  readonly #number: number;
  readonly #sent = new Map<string, number>();
  readonly log: string[] = [];
  #actors: readonly Remote[] = [];
  /** What is to be sent to others as soon as these are known: they may have heard of each other before. */
  readonly #early: Step[] = [];

  constructor(here: Here, number: number) {
    this.#here = here;
    this.#number = number;
    nodes.get(here.scheduler.index)?.push(this);
  }

  meet(actors: readonly Remote[]): void {
    this.#actors = actors;
    for (const step of this.#early) this.#send(step);
  }
  self(): FarRef {
    return this.#here.scheduler.far(this);
  }
  read(): string[] {
    return this.log;
  }

  receive({ from, sequence, way, then, load }: Letter): string {
    this.log.push(`${from} ${way} ${sequence}${load === undefined ? '' : ` ${load.length}`}`);
    for (const step of then) this.#send(step);
    return `${this.#number} got ${sequence} of ${from}`;
  }

  #send(step: Step): void {
    const { to, how, then } = step;
    if (this.#actors.length === 0) return void this.#early.push(step);
    const { scheduler } = this.#here;
    const actor = this.#actors[to % this.#actors.length] as Remote;
    // What goes by an eventual may come after what is sent directly later.
    const way = how === 'later' ? 'later' : 'directly';
    const key = `${to % this.#actors.length} ${way}`;
    const sequence = (this.#sent.get(key) ?? 0) + 1;
    this.#sent.set(key, sequence);
    const letter = { from: this.#number, sequence, way, then };
    const note = (answer: unknown): void => void this.log.push(`answer: ${String(answer)}`);
    if (how === 'tell') void (scheduler.tell(actor as never) as Remote).receive(letter);
    else if (how === 'large')
      void (scheduler.tell(actor as never) as Remote).receive({ ...letter, load: new Uint8Array(70_000 + sequence) });
    else if (how === 'ask') void actor.receive(letter).then(note, note);
    else if (how === 'in time')
      void (scheduler.sendWith({ deadline: 5 }, actor as never) as Remote).receive(letter).then(note, note);
    else if (how === 'tick')
      this.#here.realm.nextTick(() => {
        this.log.push('tick');
        void (scheduler.tell(actor as never) as Remote).receive(letter);
      });
    else void (scheduler.send(actor.self()) as Remote).receive(letter).then(note, note);
  }
}

const classes = { Node: Node as never };
/** Of the worker with that number, in the order of their births. */
const nodes = new Map<number, Node[]>();

type Ways = readonly Step['how'][];
const ORDERED: Ways = ['tell', 'tell', 'ask', 'later', 'large'];
const ANY: Ways = ['tell', 'tell', 'ask', 'later', 'in time', 'tick'];

function plan(depth: number, ways: Ways): fc.Arbitrary<readonly Step[]> {
  const how = fc.constantFrom(...ways);
  const step = fc.record({
    to: fc.nat(20),
    how,
    then: depth === 0 ? fc.constant([]) : plan(depth - 1, ways),
  });
  return fc.array(step, { maxLength: depth === 3 ? 12 : 4 });
}

interface Run {
  readonly places: readonly number[];
  /** How many messages may wait for each before their senders are held. */
  readonly mark: number;
  readonly steps: readonly Step[];
}

/** What the main program does, once. */
function begin({ scheduler, classHere }: WorldWorker, { places, mark, steps }: Run): void {
  const actors = places.map((place, number) =>
    scheduler.spawn(classHere('Node'), [number], place, {
      mailbox: { mark },
      supervise: number % 2 === 0 ? 'restart' : undefined,
    }),
  ) as unknown as Remote[];
  for (const actor of actors) void (scheduler.tell(actor as never) as Remote).meet(actors);
  steps.forEach((step, i) => {
    const letter = { from: -1, sequence: i, way: 'directly', then: [step] };
    void (actors[i % actors.length] as Remote).receive(letter);
  });
}

/** A worker that ends after so many steps of all. */
interface Death {
  readonly worker: number;
  readonly after: number;
  /** Whether another one takes its place. */
  readonly isReplaced: boolean;
}

function run(random: Run, workers: number, seed: number, options: WorldOptions, death?: Death) {
  nodes.clear();
  for (let i = 0; i < workers; i++) nodes.set(i, []);
  const world = createWorld(workers, classes, options);
  begin(world.workers[0] as WorldWorker, random);
  const choose = choices(seed);
  let steps = 0;
  world.run((count) => {
    if (death !== undefined && ++steps === death.after) kill(world, death);
    return choose(count);
  });
  return { world, logs: [...nodes.values()].map((each) => each.map(({ log }) => log)) };
}

function kill(world: World, { worker, isReplaced }: Death): void {
  const hear = world.kill(worker, isReplaced);
  // What it has made is not what the other one makes.
  nodes.set(worker, []);
  for (const { scheduler } of world.workers) if (scheduler.index !== worker) hear(scheduler.index);
}

const randomRun = (ways: Ways): fc.Arbitrary<Run> =>
  fc.record({
    places: fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
    mark: fc.constantFrom(2, 10_000),
    steps: plan(3, ways),
  });
const randomDeath = fc.option(
  fc.record({
    worker: fc.integer({ min: 1, max: 2 }),
    after: fc.integer({ min: 1, max: 80 }),
    isReplaced: fc.boolean(),
  }),
  {
    nil: undefined,
  },
);

describe('whatever actors send each other, wherever they live, whoever runs next', () => {
  it('arrives once, in the order in which one sends to another, large or small', () => {
    fc.assert(
      fc.property(randomRun(ORDERED), fc.nat(65535), fc.boolean(), (random, seed, loads) => {
        const { world, logs } = run(random, 3, seed, { size: 2 ** 12, loads });
        const last = new Map<string, number>();
        logs.forEach((onWorker, worker) =>
          onWorker.forEach((log, place) => {
            for (const line of log) {
              const [from, way, sequence] = line.split(' ');
              if (from === 'answer:' || from === '-1') continue;
              const key = `${worker} ${place} ${from} ${way}`;
              expect(Number(sequence)).toBe((last.get(key) ?? 0) + 1);
              last.set(key, Number(sequence));
            }
          }),
        );
        const received = logs.flat(2).filter((line) => !line.startsWith('answer')).length;
        expect(received).toBe(countOf(random.steps) + random.steps.length);
        const traffic = world.workers.map(({ scheduler }) => scheduler.neighbours.traffic);
        expect(sum(traffic.map(({ sent }) => sent))).toBe(sum(traffic.map(({ taken }) => taken)));
        expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
        expect(world.workers.flatMap(({ reports }) => reports)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('is the same again for a worker that is given the same after the same turns', () => {
    fc.assert(
      fc.property(randomRun(ANY), fc.nat(65535), fc.boolean(), randomDeath, (random, seed, loads, death) => {
        const options = { size: 2 ** 18, loads };
        const { world, logs } = run(random, 3, seed, options, death);
        world.workers.forEach(({ scheduler, reports, isAlive }, index) => {
          // Nobody knows what it would have done.
          if (!isAlive) return;
          nodes.set(index, []);
          const { worker, rings } = again(world, index, classes, options);
          if (index === 0) begin(worker, random);
          runAlone(worker);
          expect((nodes.get(index) as Node[]).map(({ log }) => log)).toEqual(logs[index]);
          expect(worker.reports).toEqual(reports);
          expect(worker.scheduler.turns).toBe(scheduler.turns);
          world.workers.forEach((_, other) => {
            if (other !== index)
              expect(written(rings.ring(index, other))).toEqual(written(world.rings.ring(index, other)));
          });
        });
      }),
      { numRuns: 200 },
    );
  });
});

function countOf(steps: readonly Step[]): number {
  return sum(steps.map(({ then }) => 1 + countOf(then)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
