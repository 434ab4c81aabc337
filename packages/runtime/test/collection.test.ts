// Unreferenced objects are collected, on every worker and whichever way references took; referenced ones are not.
import { setFlagsFromString, queryObjects } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { FarReference } from '../src/references/far-reference.ts';
import {
  replayWorker,
  createWorld,
  runAlone,
  ringContents,
  type WorkerContext,
  type World,
  type WorldWorker,
} from './test-world.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

class Leaf {
  readonly #context: WorkerContext;
  readonly bulk = new Array<number>(100).fill(0);
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  ping(): string {
    return `on ${this.#context.scheduler.index}`;
  }
  /** Creates an object for other actors. */
  part(): FarReference {
    return this.#context.scheduler.actorApi.far(new Part());
  }
}

class Part {
  ping(): string {
    return 'part';
  }
}

interface RemoteHolder {
  take(leaf: unknown): Promise<void>;
  give(to: unknown): Promise<void>;
  ask(): Promise<string>;
  drop(): Promise<void>;
}

class Holder {
  #leaf: { ping(): Promise<string> } | undefined;
  constructor(_context: WorkerContext) {}
  take(leaf: { ping(): Promise<string> }): void {
    this.#leaf = leaf;
  }
  give(to: { take(leaf: unknown): void }): void {
    to.take(this.#leaf);
    this.#leaf = undefined;
  }
  ask(): unknown {
    return this.#leaf?.ping();
  }
  drop(): void {
    this.#leaf = undefined;
  }
}

const classes = { Leaf, Holder } as never;
const chooseFirst = (): number => 0;

/** Collects until nothing changes: an object dropped here may have kept an object on another worker. */
async function collectUntilQuiet(world: World): Promise<void> {
  for (let i = 0; i < 12; i++) {
    world.run(chooseFirst);
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  world.run(chooseFirst);
}

function counts(world: World): { exported: number; held: number }[] {
  return world.workers.map(
    ({
      scheduler: {
        workerLinks: { references },
      },
    }) => ({
      exported: references.exported,
      held: references.held,
    }),
  );
}

describe('unreferenced actors', () => {
  it('are collected, ten thousand of them, on their own and on other workers', async () => {
    const world = createWorld(2, classes);
    const { scheduler, classFor } = world.workers[0]!;
    // The prototypes of classes are objects, too.
    for (const each of world.workers) each.classFor('Leaf');
    const before = queryObjects(Leaf, { format: 'count' }) as unknown as number;
    for (let i = 0; i < 10_000; i++)
      (scheduler.actorApi.tell(scheduler.actorApi.spawn(classFor('Leaf'), [], i % 2)) as Leaf).ping();
    world.run(chooseFirst);
    await collectUntilQuiet(world);
    expect(counts(world)).toEqual([0, 1].map(() => ({ exported: 0, held: 0 })));
    expect(queryObjects(Leaf, { format: 'count' })).toBe(before);
  });

  it('stay while any worker has a reference, even the third one that it reached', async () => {
    const world = createWorld(4, classes);
    const { scheduler, classFor, realm } = world.workers[0]!;
    const holders = [2, 3].map(
      (place) => scheduler.actorApi.spawn(classFor('Holder'), [], place) as unknown as RemoteHolder,
    );
    const [one, other] = holders as [RemoteHolder, RemoteHolder];
    (() => {
      void one.take(scheduler.actorApi.spawn(classFor('Leaf'), [], 1));
    })();
    await collectUntilQuiet(world);
    expect(counts(world)[1]).toEqual({ exported: 1, held: 0 });
    void one.give(other);
    await collectUntilQuiet(world);
    expect(counts(world)[2]?.held).toBe(1); // the holder it was given to, which it still knows
    const answers: string[] = [];
    void (other.ask() as unknown as PromiseLike<string>).then((answer) => answers.push(answer));
    await collectUntilQuiet(world);
    expect(answers).toEqual(['on 1']);
    void other.drop();
    await collectUntilQuiet(world);
    expect(counts(world)[1]).toEqual({ exported: 0, held: 0 });
    expect(realm).toBeDefined();
  });

  it('release the objects that other actors held of them', async () => {
    const world = createWorld(2, classes);
    const { scheduler, classFor } = world.workers[0]!;
    await (async () => {
      const leaf = scheduler.actorApi.spawn(classFor('Leaf'), [], 1) as unknown as {
        part(): PromiseLike<{ ping(): PromiseLike<string> }>;
      };
      let text = '';
      leaf.part().then((part) => part.ping().then((answer) => (text = answer)));
      world.run(chooseFirst);
      expect(text).toBe('part');
      expect(counts(world)[1]).toEqual({ exported: 2, held: 0 });
    })();
    await collectUntilQuiet(world);
    expect(counts(world)[1]).toEqual({ exported: 0, held: 0 });
    expect(queryObjects(Part, { format: 'count' })).toBe(0);
  });

  it('still receive a message in flight', async () => {
    const world = createWorld(3, classes);
    const { scheduler, classFor } = world.workers[0]!;
    const answers: string[] = [];
    (() => {
      for (let i = 0; i < 50; i++) {
        const leaf = scheduler.actorApi.spawn(classFor('Leaf'), [], 1 + (i % 2)) as unknown as {
          ping(): PromiseLike<string>;
        };
        leaf.ping().then((answer) => answers.push(answer));
      }
    })();
    collectGarbage();
    await collectUntilQuiet(world);
    expect(answers.length).toBe(50);
  });
});

describe('collected references', () => {
  it('are dropped at the same position in a replay', async () => {
    const begin = ({ scheduler, classFor }: WorldWorker): RemoteHolder => {
      const holder = scheduler.actorApi.spawn(classFor('Holder'), [], 1) as unknown as RemoteHolder;
      for (let i = 0; i < 5; i++) void holder.take(scheduler.actorApi.spawn(classFor('Leaf'), [], 1));
      return holder;
    };
    const world = createWorld(2, classes);
    const kept = begin(world.workers[0]!);
    await collectUntilQuiet(world);
    const { events } = world.workers[0]!.trace;
    expect(events.filter((event) => event.type === 'scheduler' && event.kind === 'dropped').length).toBe(5);
    const { worker, rings } = replayWorker(world, 0, classes);
    const keptAgain = begin(worker);
    runAlone(worker);
    expect(ringContents(rings.ring(0, 1))).toBe(ringContents(world.rings.ring(0, 1)));
    expect([kept, keptAgain]).toHaveLength(2);
  });
});

describe('refused message', () => {
  it('leaves no trace, even if another message was sent while it was written', async () => {
    const world = createWorld(2, classes);
    const { scheduler, classFor } = world.workers[0]!;
    const holder = scheduler.actorApi.spawn(classFor('Holder'), [], 1);
    const other = scheduler.actorApi.spawn(classFor('Holder'), [], 1);
    const tell = (to: object): RemoteHolder => scheduler.actorApi.tell(to) as RemoteHolder;
    const leaf = (): FarReference => scheduler.actorApi.spawn(classFor('Leaf'), []);
    const before = leaf();
    const within = leaf();
    expect(() =>
      tell(holder).take({
        before,
        get within() {
          void tell(other).take(within);
          return () => 1;
        },
      }),
    ).toThrow(/args\[0\] of Holder#1\.take/);
    void tell(holder).take(before);
    world.run(chooseFirst);
    expect(counts(world)[0]).toMatchObject({ exported: 2 });
    const answers: string[] = [];
    for (const each of [holder, other])
      void (scheduler.actorApi.send(each) as RemoteHolder).ask().then((answer) => answers.push(answer));
    world.run(chooseFirst);
    expect(answers).toEqual(['on 0', 'on 0']);
    for (const each of [holder, other]) void tell(each).drop();
    await collectUntilQuiet(world);
    expect(counts(world)[0]).toMatchObject({ exported: 0 });
  });
});

/** Loses a worker and connects its successor, on all workers at once. */
function loseWorker(world: World, index: number): void {
  const notify = world.kill(index);
  world.workers.forEach((_, other) => {
    if (other === index) return;
    notify(other);
    world.settleIngests(other);
  });
}

describe('references that a lost worker has passed on', () => {
  it('keep their object on its worker while any worker has one', async () => {
    const world = createWorld(3, classes);
    const { scheduler, classFor } = world.workers[0]!;
    const answers: string[] = [];
    const [from, to] = [1, 0].map(
      (place) => scheduler.actorApi.spawn(classFor('Holder'), [], place) as unknown as RemoteHolder,
    );
    const there = world.workers[1]!;
    (() => {
      const leaf = there.scheduler.actorApi.spawn(there.classFor('Leaf'), [], 2);
      const holder = scheduler.actorApi.tell(from as never) as RemoteHolder;
      world.run(chooseFirst);
      void (there.scheduler.actorApi.tell(leaf) as Leaf).ping();
      void holder.take(leaf);
    })();
    void from!.give(to);
    await collectUntilQuiet(world);
    loseWorker(world, 1);
    await collectUntilQuiet(world);
    void (to!.ask() as unknown as PromiseLike<string>).then((answer) => answers.push(answer));
    await collectUntilQuiet(world);
    expect(answers).toEqual(['on 2']);
    void to!.drop();
    await collectUntilQuiet(world);
    expect(counts(world)[2]).toEqual({ exported: 0, held: 0 });
  });

  it('are dropped once, though they came from the lost worker and from its successor', async () => {
    const world = createWorld(3, classes);
    const { scheduler, classFor } = world.workers[0]!;
    const leaf = scheduler.actorApi.spawn(classFor('Leaf'), [], 1, { supervise: 'restart' });
    const [one, other] = [2, 2].map(
      (place) => scheduler.actorApi.spawn(classFor('Holder'), [], place) as unknown as RemoteHolder,
    );
    const between = scheduler.actorApi.spawn(classFor('Holder'), [], 1, {
      supervise: 'restart',
    }) as unknown as RemoteHolder;
    void between.take(leaf);
    void between.give(one);
    await collectUntilQuiet(world);
    loseWorker(world, 1);
    void between.take(leaf);
    void between.give(other);
    void one!.drop();
    await collectUntilQuiet(world);
    const answers: string[] = [];
    void (other!.ask() as unknown as PromiseLike<string>).then((answer) => answers.push(answer));
    await collectUntilQuiet(world);
    expect(answers).toEqual(['on 1']);
    void other!.drop();
    await collectUntilQuiet(world);
    expect(counts(world)[2]?.held).toBe(0);
    scheduler.actorApi.stop(leaf);
    scheduler.actorApi.stop(between as never);
    await collectUntilQuiet(world);
    // The main program still knows their references.
    expect(counts(world)[1]?.exported).toBeLessThanOrEqual(2);
  });
});

/** Sends a message and drops the reference. */
class Flooder {
  readonly #context: WorkerContext;
  #to: FarReference | undefined;
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  flood(to: FarReference): void {
    this.#to = to;
    for (let i = 0; i < 100; i++) this.more();
  }
  more(): void {
    (this.#context.scheduler.actorApi.tell(this.#to as FarReference) as Leaf).ping();
  }
  forget(): string {
    this.more();
    this.#to = undefined;
    return 'forgotten';
  }
  hello(): string {
    return 'has a turn';
  }
}

it('releases senders that an actor held when the actor is forgotten', async () => {
  const world = createWorld(2, { Leaf, Flooder } as never);
  const [here, there] = world.workers as [WorldWorker, WorldWorker];
  const { scheduler, classFor, tasks } = here;
  const flooder = scheduler.actorApi.spawn(classFor('Flooder'), []) as unknown as Flooder;
  (() => {
    const leaf = scheduler.actorApi.spawn(classFor('Leaf'), [], 1, { mailbox: { mark: 2 } });
    (scheduler.actorApi.tell(flooder) as Flooder).flood(leaf);
  })();
  while (tasks.length > 0) tasks.shift()?.();
  // The actor has reported that it is over its mark, which is true.
  there.scheduler.wakeIfInbound();
  there.tasks.shift()?.();
  scheduler.wakeIfInbound();
  expect(there.scheduler.waiting).toBeGreaterThan(2);
  const answers: unknown[] = [];
  void (flooder.forget() as unknown as PromiseLike<string>).then((answer) => answers.push(answer));
  while (tasks.length > 0) tasks.shift()?.();
  expect(answers).toEqual(['forgotten']);
  for (let i = 0; i < 12 && scheduler.workerLinks.references.held > 0; i++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
    while (tasks.length > 0) tasks.shift()?.();
  }
  expect(scheduler.workerLinks.references.held).toBe(0);
  expect(there.scheduler.waiting).toBeGreaterThan(0);
  void (flooder.hello() as unknown as PromiseLike<string>).then((answer) => answers.push(answer));
  await collectUntilQuiet(world);
  expect(answers).toEqual(['forgotten', 'has a turn']);
});
