// A random program: actors on several workers send each other letters by a plan, in all ways of sending, and note
// arrivals.
import fc from 'fast-check';
import type { FarReference } from '../src/references/far-reference.ts';
import {
  createChooser,
  createWorld,
  type WorkerContext,
  type World,
  type WorldOptions,
  type WorldWorker,
} from './test-world.ts';

interface PlannedSend {
  /** Number of the recipient. */
  readonly to: number;
  readonly how: 'tell' | 'ask' | 'later' | 'large' | 'in time' | 'tick' | 'timer' | 'chance' | 'app';
  readonly then: readonly PlannedSend[];
}

interface Letter {
  readonly from: number;
  /** Number of letters that the sender has sent to this recipient in this way. */
  readonly sequence: number;
  readonly way: string;
  readonly then: readonly PlannedSend[];
  readonly load?: Uint8Array | undefined;
}

interface Remote {
  receive(letter: Letter): Promise<string>;
  meet(actors: readonly Remote[]): Promise<void>;
  self(): Promise<Remote>;
  read(): Promise<string[]>;
}

export class LetterActor {
  readonly #context: WorkerContext;
  readonly #number: number;
  readonly #sent = new Map<string, number>();
  readonly log: string[] = [];
  #actors: readonly Remote[] = [];
  /** Letters that are sent when their recipients are known; the recipients may know each other before. */
  readonly #beforeMeet: PlannedSend[] = [];

  constructor(context: WorkerContext, number: number) {
    this.#context = context;
    this.#number = number;
    nodes.get(context.scheduler.index)?.push(this);
  }

  meet(actors: readonly Remote[]): void {
    this.#actors = actors;
    for (const step of this.#beforeMeet) this.#send(step);
  }
  self(): FarReference {
    return this.#context.scheduler.actorApi.far(this);
  }
  read(): string[] {
    return this.log;
  }

  receive({ from, sequence, way, then, load }: Letter): string {
    this.log.push(`${from} ${way} ${sequence}${load === undefined ? '' : ` ${load.length}`}`);
    for (const step of then) this.#send(step);
    return `${this.#number} got ${sequence} of ${from}`;
  }

  #send(step: PlannedSend): void {
    const { to, how, then } = step;
    if (this.#actors.length === 0) return void this.#beforeMeet.push(step);
    const { scheduler } = this.#context;
    const actor = this.#actors[to % this.#actors.length] as Remote;
    // A message to an eventual may arrive after ones that are sent to the reference later.
    const way = how === 'later' ? 'later' : 'directly';
    const key = `${to % this.#actors.length} ${way}`;
    const sequence = (this.#sent.get(key) ?? 0) + 1;
    this.#sent.set(key, sequence);
    const letter = { from: this.#number, sequence, way, then };
    const note = (answer: unknown): void => void this.log.push(`answer: ${String(answer)}`);
    if (how === 'tell') void (scheduler.actorApi.tell(actor as never) as Remote).receive(letter);
    else if (how === 'large')
      void (scheduler.actorApi.tell(actor as never) as Remote).receive({
        ...letter,
        load: new Uint8Array(70_000 + sequence),
      });
    else if (how === 'ask') void actor.receive(letter).then(note, note);
    else if (how === 'in time')
      void (scheduler.actorApi.sendWith({ deadline: 5 }, actor as never) as Remote).receive(letter).then(note, note);
    else if (how === 'tick')
      this.#context.realm.nextTick(() => {
        this.log.push('tick');
        void (scheduler.actorApi.tell(actor as never) as Remote).receive(letter);
      });
    else if (how === 'timer')
      this.#context.timer(() => {
        this.log.push('timer');
        void this.#context.realm.Promise.resolve().then(() => this.log.push('after the timer'));
        this.#context.realm.nextTick(() => this.log.push('tick of the timer'));
        void (scheduler.actorApi.tell(actor as never) as Remote).receive(letter);
      });
    else if (how === 'chance') {
      this.log.push(`chance: ${this.#context.ask()}`);
      void (scheduler.actorApi.tell(actor as never) as Remote).receive(letter);
    } else if (how === 'app') {
      const noteAnswer = (answer: unknown): void => note(JSON.stringify(answer instanceof Map ? [...answer] : answer));
      void this.#context.app().then(noteAnswer, note);
    } else void (scheduler.actorApi.send(actor.self()) as Remote).receive(letter).then(note, note);
  }
}

export const classes = { Node: LetterActor as never };
/** The actors of a worker, in the order of creation. */
export const nodes = new Map<number, LetterActor[]>();

export type SendKinds = readonly PlannedSend['how'][];
export const ORDERED: SendKinds = ['tell', 'tell', 'ask', 'later', 'large'];
export const ANY: SendKinds = ['tell', 'tell', 'ask', 'later', 'in time', 'tick', 'timer', 'chance', 'app'];

function plan(depth: number, kinds: SendKinds): fc.Arbitrary<readonly PlannedSend[]> {
  const how = fc.constantFrom(...kinds);
  const step = fc.record({
    to: fc.nat(20),
    how,
    then: depth === 0 ? fc.constant([]) : plan(depth - 1, kinds),
  });
  return fc.array(step, { maxLength: depth === 3 ? 12 : 4 });
}

export interface RandomRun {
  readonly places: readonly number[];
  /** The mark of each actor. */
  readonly mark: number;
  readonly steps: readonly PlannedSend[];
}

/** Runs the main program's part once. */
export function startRun({ scheduler, classFor }: WorldWorker, { places, mark, steps }: RandomRun): void {
  const actors = places.map((place, number) =>
    scheduler.actorApi.spawn(classFor('Node'), [number], place, {
      mailbox: { mark },
      supervise: number % 2 === 0 ? 'restart' : undefined,
    }),
  ) as unknown as Remote[];
  for (const actor of actors) void (scheduler.actorApi.tell(actor as never) as Remote).meet(actors);
  steps.forEach((step, i) => {
    const letter = { from: -1, sequence: i, way: 'directly', then: [step] };
    void (actors[i % actors.length] as Remote).receive(letter);
  });
}

/** A worker that is lost after a number of steps of all workers. */
export interface WorkerDeath {
  readonly worker: number;
  readonly after: number;
  /** Whether it has a successor. */
  readonly isReplaced: boolean;
}

/** `meanwhile` runs before each step of all workers, with its number. */
export function run(
  plannedRun: RandomRun,
  workers: number,
  seed: number,
  options: WorldOptions,
  death?: WorkerDeath,
  beforeStep?: (world: World, step: number) => void,
) {
  nodes.clear();
  for (let i = 0; i < workers; i++) nodes.set(i, []);
  const world = createWorld(workers, classes, options);
  startRun(world.workers[0] as WorldWorker, plannedRun);
  const choose = createChooser(seed);
  let steps = 0;
  world.run((count) => {
    steps++;
    if (death !== undefined && steps === death.after) kill(world, death);
    beforeStep?.(world, steps);
    return choose(count);
  });
  return { world, logs: [...nodes.values()].map((each) => each.map(({ log }) => log)) };
}

function kill(world: World, { worker, isReplaced }: WorkerDeath): void {
  const notify = world.kill(worker, isReplaced);
  // The two programs do not share created actors.
  nodes.set(worker, []);
  for (const { scheduler } of world.workers) if (scheduler.index !== worker) notify(scheduler.index);
}

export const randomRun = (kinds: SendKinds): fc.Arbitrary<RandomRun> =>
  fc.record({
    places: fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
    mark: fc.constantFrom(2, 10_000),
    steps: plan(3, kinds),
  });
export const randomDeath = fc.option(
  fc.record({
    worker: fc.integer({ min: 1, max: 2 }),
    after: fc.integer({ min: 1, max: 80 }),
    isReplaced: fc.boolean(),
  }),
  {
    nil: undefined,
  },
);

/** Letters that overtook others or arrived twice, of those from one actor to another in the same way. */
export function outOfOrder(logs: readonly (readonly (readonly string[])[])[]): string[] {
  const last = new Map<string, number>();
  return logs.flatMap((onWorker, worker) =>
    onWorker.flatMap((log, place) =>
      log.filter((line) => {
        const [from, way, sequence] = line.split(' ');
        if (from === 'answer:' || from === 'tick' || from === '-1') return false;
        const key = `${worker} ${place} ${from} ${way}`;
        const isNext = Number(sequence) === (last.get(key) ?? 0) + 1;
        last.set(key, Number(sequence));
        return !isNext;
      }),
    ),
  );
}

export function countOf(steps: readonly PlannedSend[]): number {
  return sum(steps.map(({ then }) => 1 + countOf(then)));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
