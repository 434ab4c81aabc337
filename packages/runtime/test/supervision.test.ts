// Workers that end and are replaced, with every order in which others may learn of it: which calls are answered or
// lost, which references stay valid, and that no call waits forever.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarReference, FarReferenceClass } from '../src/references/far-reference.ts';
import type { LocalSpawnOptions } from '../src/actors/actor-api.ts';
import { createChooser, createWorld, type WorkerContext, type World } from './test-world.ts';

type Answer = PromiseLike<unknown>;
interface Remote {
  add(n: number): Answer;
  part(): PromiseLike<Remote>;
  meet(name: string, other: unknown): Answer;
  ask(name: string, n: number): Answer;
  pass(name: string, to: unknown, as: string): Answer;
  make(name: string, place: number, settings?: LocalSpawnOptions): Answer;
  later(): Answer;
  askLater(name: string): Answer;
}

/** Counts, and calls the actors that it has met. */
class PeerActor {
  readonly #context: WorkerContext;
  #sum: number;
  readonly #met = new Map<string, Remote>();
  constructor(context: WorkerContext, sum = 0) {
    if (sum === failingSum) throw new Error('no disk');
    this.#context = context;
    this.#sum = sum;
  }
  add(n: number): number {
    return (this.#sum += n);
  }
  part(): FarReference {
    return this.#context.scheduler.actorApi.far(new PeerActor(this.#context, 1000));
  }
  meet(name: string, other: Remote): void {
    this.#met.set(name, other);
  }
  ask(name: string, n: number): Answer {
    return (this.#met.get(name) as Remote).add(n);
  }
  pass(name: string, to: Remote, as: string): Answer {
    return to.meet(as, this.#met.get(name));
  }
  make(name: string, place: number, settings?: LocalSpawnOptions): void {
    const { scheduler } = this.#context;
    this.#met.set(name, scheduler.actorApi.spawn(this.constructor as never, [], place, settings) as unknown as Remote);
  }
  later(): Answer {
    return new this.#context.realm.Promise((resolve) => unanswered.push(resolve as (value: string) => void));
  }
  askLater(name: string): Answer {
    return (this.#met.get(name) as Remote).later();
  }
}
let failingSum = NaN;
const unanswered: ((value: string) => void)[] = [];

const classes = { Peer: PeerActor } as never;
const chooseFirst = (): number => 0;
const supervise = 'restart';

function createSupervisedWorld(
  count: number,
  size?: number,
): {
  world: World;
  spawn(place: number, settings?: LocalSpawnOptions, sum?: number): Remote & FarReference;
} {
  const world = createWorld(count, classes, size === undefined ? {} : { size });
  const { scheduler, classFor } = world.workers[0]!;
  return {
    world,
    spawn: (place, settings, sum) =>
      scheduler.actorApi.spawn(classFor('Peer'), sum === undefined ? [] : [sum], place, settings) as unknown as Remote &
        FarReference,
  };
}

/** Outcomes of calls in the order of their settlement. */
function createOutcomeLog(): { note(what: string, answer: Answer): void; readonly notes: string[] } {
  const notes: string[] = [];
  return {
    notes,
    note: (what, answer) =>
      void answer.then(
        (value) => notes.push(`${what}: ${String(value)}`),
        (error: unknown) => notes.push(`${what}: ${(error as { code: string }).code} ${(error as Error).message}`),
      ),
  };
}

/** Loses a worker; all others learn of it at once. */
function loseWorker(world: World, index: number, isReplaced = true): void {
  const notify = world.kill(index, isReplaced);
  world.workers.forEach((_, other) => {
    if (other === index) return;
    notify(other);
    world.settleIngests(other);
  });
}

function isQuiet(world: World): boolean {
  const traffic = world.workers.map(({ scheduler }) => scheduler.workerLinks.traffic);
  const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
  return (
    world.workers.every(({ scheduler }) => scheduler.isIdle) &&
    sum(traffic.map(({ sent }) => sent)) === sum(traffic.map(({ taken }) => taken))
  );
}

const lossReason = 'worker 1 has ended: it was killed';

describe('a supervised actor', () => {
  it('is created again with its arguments, and every reference to it stays valid', () => {
    const { world, spawn } = createSupervisedWorld(3);
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1, { supervise }, 10);
    const third = spawn(2);
    void third.meet('peer', peer);
    note('before', peer.add(1));
    note('third before', third.ask('peer', 1));
    world.run(chooseFirst);
    note('under way', peer.add(1));
    loseWorker(world, 1);
    note('after', peer.add(1));
    note('third after', third.ask('peer', 1));
    world.run(chooseFirst);
    expect(notes).toEqual([
      'before: 11',
      'third before: 12',
      `under way: TT_ACTOR_LOST Peer#1 is lost: ${lossReason}`,
      'after: 11',
      'third after: 12',
    ]);
    expect(isQuiet(world)).toBe(true);
  });

  it('is created from its arguments as they were when it was spawned', () => {
    class Kept {
      readonly #list: readonly number[];
      constructor(_here: WorkerContext, list: readonly number[]) {
        this.#list = list;
      }
      read(): string {
        return this.#list.join();
      }
    }
    const world = createWorld(2, { Kept } as never);
    const { scheduler, classFor } = world.workers[0]!;
    const { note, notes } = createOutcomeLog();
    const list = [1, 2];
    const kept = scheduler.actorApi.spawn(classFor('Kept'), [list], 1, { supervise }) as unknown as { read(): Answer };
    list.push(3);
    world.run(chooseFirst);
    loseWorker(world, 1);
    note('kept', kept.read());
    world.run(chooseFirst);
    expect(notes).toEqual(['kept: 1,2']);
  });

  it('has none of the objects of its earlier epoch', () => {
    const { world, spawn } = createSupervisedWorld(3);
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1, { supervise });
    let old: Remote | undefined;
    peer.part().then((part) => (old = part));
    world.run(chooseFirst);
    note('part', old!.add(1));
    world.run(chooseFirst);
    loseWorker(world, 1);
    note('old part', old!.add(1));
    let fresh: Remote | undefined;
    peer.part().then((part) => (fresh = part));
    world.run(chooseFirst);
    note('fresh part', fresh!.add(2));
    note('old part', old!.add(1));
    note('as an argument', peer.meet('itself', old));
    note('and used', peer.ask('itself', 1));
    world.run(chooseFirst);
    const dead = `TT_ACTOR_LOST this object belonged to an earlier epoch of Peer#1: ${lossReason}`;
    expect(notes.toSorted()).toEqual([
      `and used: ${dead}`,
      'as an argument: undefined',
      'fresh part: 1002',
      `old part: ${dead}`,
      `old part: ${dead}`,
      'part: 1001',
    ]);
  });

  it('is broken when it is stopped, not when its worker is lost', () => {
    const { world, spawn } = createSupervisedWorld(2);
    const { scheduler } = world.workers[0]!;
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1, { supervise });
    note('broken', scheduler.actorApi.whenBroken(peer) as unknown as Answer);
    world.run(chooseFirst);
    loseWorker(world, 1);
    world.run(chooseFirst);
    expect(notes).toEqual([]);
    scheduler.actorApi.stop(peer);
    world.run(chooseFirst);
    const [broken] = notes;
    expect(broken).toMatch(/Peer#1 has been stopped/);
    loseWorker(world, 1);
    note('after', peer.add(1));
    world.run(chooseFirst);
    expect(notes.at(-1)).toBe(`after: TT_ACTOR_LOST actor 1 is lost: ${lossReason}`);
  });

  it('that was stopped is not created again, even if the message was lost', () => {
    const { world, spawn } = createSupervisedWorld(2);
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1, { supervise });
    world.run(chooseFirst);
    world.workers[0]!.scheduler.actorApi.stop(peer);
    loseWorker(world, 1);
    note('after', peer.add(1));
    world.run(chooseFirst);
    expect(notes).toEqual([`after: TT_ACTOR_LOST actor 1 is lost: ${lossReason}`]);
    expect(isQuiet(world)).toBe(true);
  });

  it('whose constructor throws on restart has failed: it is reported once and not tried again', () => {
    const { world, spawn } = createSupervisedWorld(2);
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1, { supervise }, 7);
    note('broken', world.workers[0]!.scheduler.actorApi.whenBroken(peer) as unknown as Answer);
    world.run(chooseFirst);
    failingSum = 7;
    loseWorker(world, 1);
    note('after', peer.add(1));
    world.run(chooseFirst);
    failingSum = NaN;
    expect(notes).toEqual([
      expect.stringMatching(/^broken: .*Peer#1 could not be created: no disk/),
      'after: TT_ACTOR_FAILED Peer#1 could not be created: no disk',
    ]);
    expect(world.workers.flatMap(({ reports }) => reports)).toEqual([
      'Peer#1: RuntimeError: Peer#1 could not be created: no disk',
    ]);
    loseWorker(world, 1);
    note('later', peer.add(1));
    world.run(chooseFirst);
    expect(notes.at(-1)).toBe(`later: TT_ACTOR_LOST actor 1 is lost: ${lossReason}`);
  });

  it('is lost with a worker that is not replaced', () => {
    const { world, spawn } = createSupervisedWorld(2);
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1, { supervise });
    note('broken', world.workers[0]!.scheduler.actorApi.whenBroken(peer) as unknown as Answer);
    world.run(chooseFirst);
    loseWorker(world, 1, false);
    note('after', peer.add(1));
    world.run(chooseFirst);
    expect(notes).toEqual([
      `broken: ActorLostError: Peer#1 is lost: ${lossReason}`,
      `after: TT_ACTOR_LOST Peer#1 is lost: ${lossReason}`,
    ]);
  });

  it('survives the loss of its supervisor, but no further loss of its own worker', () => {
    const { world, spawn } = createSupervisedWorld(3);
    const { note, notes } = createOutcomeLog();
    const parent = spawn(1);
    const friend = spawn(0);
    void parent.make('child', 2, { supervise });
    void parent.pass('child', friend, 'child');
    world.run(chooseFirst);
    loseWorker(world, 1);
    note('without its supervisor', friend.ask('child', 5));
    world.run(chooseFirst);
    loseWorker(world, 2);
    note('lost', friend.ask('child', 5));
    world.run(chooseFirst);
    expect(notes).toEqual([
      'without its supervisor: 5',
      'lost: TT_ACTOR_LOST actor 1@1 is lost: worker 2 has ended: it was killed',
    ]);
    expect(isQuiet(world)).toBe(true);
  });
});

describe('actors that roll the program back', () => {
  it('are counted on their worker until they are stopped, even if that worker spawned them', () => {
    const { world, spawn } = createSupervisedWorld(2);
    const counts: number[] = [];
    const [main, scheduler] = world.workers.map((each) => each.scheduler) as [
      WorkerContext['scheduler'],
      WorkerContext['scheduler'],
    ];
    scheduler.watchRollbackCount((count) => counts.push(count));
    const rollback = { supervise: 'rollback' } as const;
    const one = spawn(1, rollback);
    const other = spawn(1, { supervise });
    void one.make('mine', 1, rollback);
    world.run(chooseFirst);
    expect(counts).toEqual([1, 2]);
    main.actorApi.stop(other);
    world.run(chooseFirst);
    main.actorApi.stop(one);
    world.run(chooseFirst);
    expect(counts).toEqual([1, 2, 1]);
  });

  it('are restarted like others if there is no rollback', () => {
    const { world, spawn } = createSupervisedWorld(2);
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1, { supervise: 'rollback' }, 10);
    note('before', peer.add(1));
    world.run(chooseFirst);
    loseWorker(world, 1);
    note('after', peer.add(2));
    world.run(chooseFirst);
    expect(notes).toEqual(['before: 11', 'after: 12']);
  });

  it('may live on the main thread, which is lost only with the process', () => {
    const { world, spawn } = createSupervisedWorld(1);
    const counts: number[] = [];
    world.workers[0]!.scheduler.watchRollbackCount((count) => counts.push(count));
    spawn(0, { supervise: 'rollback' });
    world.run(chooseFirst);
    expect(counts).toEqual([]);
  });
});

describe('an unsupervised actor', () => {
  it('is lost with its worker for every holder of a reference, whenever the reference arrives', () => {
    const { world, spawn } = createSupervisedWorld(4);
    const { note, notes } = createOutcomeLog();
    const peer = spawn(1);
    const [two, three] = [spawn(2), spawn(3)];
    void two.meet('peer', peer);
    world.run(chooseFirst);
    const hear = world.kill(1);
    for (const hearer of [0, 2]) {
      hear(hearer);
      world.settleIngests(hearer);
    }
    // The third worker knows neither of the loss nor of the actor.
    note('met', three.meet('late', peer));
    note('third', three.ask('late', 1));
    world.run(chooseFirst);
    hear(3);
    note('first', peer.add(1));
    note('second', two.ask('peer', 1));
    note('third again', three.ask('late', 1));
    world.run(chooseFirst);
    const lost = 'TT_ACTOR_LOST';
    expect(notes.map((each) => each.split(' ').slice(0, -1).join(' ').split(' is lost')[0])).toEqual(
      expect.arrayContaining([`first: ${lost} Peer#1`, `second: ${lost} Peer#1`]),
    );
    expect(notes.filter((each) => each.includes(lost)).length).toBe(4);
    expect(isQuiet(world)).toBe(true);
  });

  it('is lost before the replacement learns of the spawn: no message waits for an actor that will never exist', () => {
    const { world, spawn } = createSupervisedWorld(3);
    const { note, notes } = createOutcomeLog();
    const gone = spawn(1);
    const kept = spawn(1, { supervise });
    const third = spawn(2);
    void third.meet('gone', gone);
    void third.meet('kept', kept);
    world.run(chooseFirst);
    const hear = world.kill(1);
    hear(2);
    world.settleIngests(2);
    // A third worker forwards an earlier reference, which arrives before the first worker reports its spawns.
    const fresh = world.workers[2]!;
    const own = fresh.scheduler.actorApi.spawn(fresh.classFor('Peer'), [], 1) as unknown as Remote;
    note('gone', third.ask('gone', 1));
    note('kept', third.ask('kept', 1));
    world.run(chooseFirst);
    note('fresh', own.add(3));
    hear(0);
    world.run(chooseFirst);
    expect(notes.toSorted()).toEqual(['fresh: 3', expect.stringContaining('gone: TT_ACTOR_LOST'), 'kept: 1']);
    expect(isQuiet(world)).toBe(true);
  });

  it('is not waited for if its creator has ended before it could report the spawn', () => {
    const { world, spawn } = createSupervisedWorld(3);
    const { note, notes } = createOutcomeLog();
    const { scheduler, classFor, tasks } = world.workers[1]!;
    // Its messages to the actor of the third worker are published, those to its own actor's worker are not.
    const child = scheduler.actorApi.spawn(classFor('Peer'), [], 2);
    const holder = spawn(0);
    world.run((count) => count - 1);
    expect(tasks).toEqual([]);
    const ghost = scheduler.actorApi.spawn(classFor('Peer'), [], 2);
    expect(scheduler.actorApi.identityOf(ghost)).not.toBe(scheduler.actorApi.identityOf(child));
    const number = Number(scheduler.actorApi.identityOf(ghost));
    // Its reference, as a third worker would have received it.
    const { references } = world.workers[0]!.scheduler.workerLinks;
    const type = (holder as unknown as { constructor: FarReferenceClass }).constructor;
    const known = references.receive(1, 2, 0, number, 0, type) as unknown as Remote;
    note('ghost', known.add(1));
    world.workers[0]!.scheduler.wakeIfInbound();
    while (world.workers[0]!.tasks.length > 0) world.workers[0]!.tasks.shift()!();
    loseWorker(world, 1);
    world.run(chooseFirst);
    expect(notes).toEqual([`ghost: TT_ACTOR_LOST actor 2@1 is lost: ${lossReason}`]);
    expect(isQuiet(world)).toBe(true);
  });
});

describe('the replacement of a lost worker', () => {
  it('gives no id that the lost worker has given', () => {
    const { world } = createSupervisedWorld(2);
    const { scheduler, classFor } = world.workers[1]!;
    const before = scheduler.actorApi.spawn(classFor('Peer'), []);
    const old = scheduler.actorApi.identityOf(before);
    loseWorker(world, 1);
    const { scheduler: fresh, classFor: freshClass } = world.workers[1]!;
    const after = fresh.actorApi.spawn(freshClass('Peer'), []);
    expect(fresh.actorApi.identityOf(after)).not.toBe(old);
  });

  it('gets no answer to calls of the lost worker', () => {
    const { world, spawn } = createSupervisedWorld(2);
    const { note, notes } = createOutcomeLog();
    const slow = spawn(0);
    const peer = spawn(1, { supervise });
    unanswered.length = 0;
    void peer.meet('slow', slow);
    void peer.askLater('slow');
    world.run(chooseFirst);
    loseWorker(world, 1);
    void peer.meet('slow', slow);
    note('asked again', peer.askLater('slow'));
    world.run(chooseFirst);
    const [old, fresh] = unanswered;
    old?.('to the lost one');
    world.run(chooseFirst);
    expect(notes).toEqual([]);
    fresh?.('to the one in its place');
    world.run(chooseFirst);
    expect(notes).toEqual(['asked again: to the one in its place']);
  });
});

describe('with losses at any moment, learned of in any order', () => {
  it('every call is settled, and nothing is left', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('make' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('run' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), a: fc.nat(9), b: fc.nat(9) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(65535), (steps, seed) => {
        const choose = createChooser(seed);
        const { world, spawn } = createSupervisedWorld(4, 2 ** 14);
        const peers = [1, 2, 3, 0, 1, 2].map((place, i) => spawn(place, i < 3 ? { supervise } : undefined));
        peers.forEach((peer, i) => peers.forEach((other, j) => i !== j && void peer.meet(`m${j}`, other)));
        let asked = 0;
        let settled = 0;
        const ask = (what: Answer): void => {
          asked++;
          const done = (): void => void settled++;
          void what.then(done, done);
        };
        const some = (at: number): Remote => peers[at % peers.length] as Remote;
        /** Workers that have not learned of a loss, in the order of the losses. */
        let unheard: (() => void)[][] = [[], [], [], []];
        const hearAll = (): void => {
          for (const each of unheard.flat()) each();
          unheard = [[], [], [], []];
        };
        for (const each of steps) {
          if (each.do === 'ask') ask(some(each.a).ask(`m${each.b % peers.length}`, 1));
          else if (each.do === 'pass') ask(some(each.a).pass(`m${each.b % peers.length}`, some(each.b + 1), 'm0'));
          else if (each.do === 'make') ask(some(each.a).make('m1', each.b % 4, each.a > 4 ? { supervise } : undefined));
          else if (each.do === 'run') {
            for (let i = 0; i <= each.a; i++) {
              for (const { scheduler } of world.workers) scheduler.wakeIfInbound();
              const busy = world.workers.filter(({ tasks }) => tasks.length > 0);
              if (busy.length > 0) busy[choose(busy.length)]!.tasks.shift()!();
            }
            unheard[each.b % 4]!.splice(0).forEach((hear) => hear());
          } else {
            const lost = 1 + (each.a % 3);
            // The main thread learns of it first; a lost worker learns nothing more.
            hearAll();
            const hear = world.kill(lost);
            hear(0);
            [1, 2, 3].forEach((other) => other !== lost && unheard[other]!.push(() => hear(other)));
          }
        }
        hearAll();
        world.run(choose);
        for (const peer of peers.slice(0, 4)) ask(peer.add(1));
        world.run(choose);
        expect(settled).toBe(asked);
        expect(isQuiet(world)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
