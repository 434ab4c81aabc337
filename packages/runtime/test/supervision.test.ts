// Workers that end and are replaced, in every order in which others may hear of it: what is answered and what is lost, what lives on under which
// reference, and that nothing waits for ever.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarRef, FarRefClass } from '../src/references/far-ref.ts';
import type { SpawnSettings } from '../src/actors/program.ts';
import { choices, createWorld, type Here, type World } from './world.ts';

type Asked = PromiseLike<unknown>;
interface Remote {
  add(n: number): Asked;
  part(): PromiseLike<Remote>;
  meet(name: string, other: unknown): Asked;
  ask(name: string, n: number): Asked;
  pass(name: string, to: unknown, as: string): Asked;
  make(name: string, place: number, settings?: SpawnSettings): Asked;
  later(): Asked;
  askLater(name: string): Asked;
}

/** Counts, and talks with whom it has met. */
class Peer {
  readonly #here: Here;
  #sum: number;
  readonly #met = new Map<string, Remote>();
  constructor(here: Here, sum = 0) {
    if (sum === failing) throw new Error('no disk');
    this.#here = here;
    this.#sum = sum;
  }
  add(n: number): number {
    return (this.#sum += n);
  }
  part(): FarRef {
    return this.#here.scheduler.program.far(new Peer(this.#here, 1000));
  }
  meet(name: string, other: Remote): void {
    this.#met.set(name, other);
  }
  ask(name: string, n: number): Asked {
    return (this.#met.get(name) as Remote).add(n);
  }
  pass(name: string, to: Remote, as: string): Asked {
    return to.meet(as, this.#met.get(name));
  }
  make(name: string, place: number, settings?: SpawnSettings): void {
    const { scheduler } = this.#here;
    this.#met.set(name, scheduler.program.spawn(this.constructor as never, [], place, settings) as unknown as Remote);
  }
  later(): Asked {
    return new this.#here.realm.Promise((resolve) => unanswered.push(resolve as (value: string) => void));
  }
  askLater(name: string): Asked {
    return (this.#met.get(name) as Remote).later();
  }
}
let failing = NaN;
const unanswered: ((value: string) => void)[] = [];

const classes = { Peer } as never;
const first = (): number => 0;
const supervise = 'restart';

function start(
  count: number,
  size?: number,
): {
  world: World;
  spawn(place: number, settings?: SpawnSettings, sum?: number): Remote & FarRef;
} {
  const world = createWorld(count, classes, size === undefined ? {} : { size });
  const { scheduler, classHere } = world.workers[0]!;
  return {
    world,
    spawn: (place, settings, sum) =>
      scheduler.program.spawn(classHere('Peer'), sum === undefined ? [] : [sum], place, settings) as unknown as Remote &
        FarRef,
  };
}

/** What comes of what is asked, in the order in which it is settled. */
function noting(): { note(what: string, asked: Asked): void; readonly notes: string[] } {
  const notes: string[] = [];
  return {
    notes,
    note: (what, asked) =>
      void asked.then(
        (value) => notes.push(`${what}: ${String(value)}`),
        (error: unknown) => notes.push(`${what}: ${(error as { code: string }).code} ${(error as Error).message}`),
      ),
  };
}

/** A worker is lost, and everybody hears of it at once. */
function lose(world: World, index: number, isReplaced = true): void {
  const hear = world.kill(index, isReplaced);
  world.workers.forEach((_, other) => {
    if (other === index) return;
    hear(other);
    world.look(other);
  });
}

function isQuiet(world: World): boolean {
  const traffic = world.workers.map(({ scheduler }) => scheduler.neighbours.traffic);
  const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
  return (
    world.workers.every(({ scheduler }) => scheduler.isIdle) &&
    sum(traffic.map(({ sent }) => sent)) === sum(traffic.map(({ taken }) => taken))
  );
}

const why = 'worker 1 has ended: it was killed';

describe('an actor that is supervised', () => {
  it('is made anew with its arguments, and every reference to it goes on', () => {
    const { world, spawn } = start(3);
    const { note, notes } = noting();
    const peer = spawn(1, { supervise }, 10);
    const third = spawn(2);
    void third.meet('peer', peer);
    note('before', peer.add(1));
    note('third before', third.ask('peer', 1));
    world.run(first);
    note('under way', peer.add(1));
    lose(world, 1);
    note('after', peer.add(1));
    note('third after', third.ask('peer', 1));
    world.run(first);
    expect(notes).toEqual([
      'before: 11',
      'third before: 12',
      `under way: TT_ACTOR_LOST Peer#1 is lost: ${why}`,
      'after: 11',
      'third after: 12',
    ]);
    expect(isQuiet(world)).toBe(true);
  });

  it('is made of its arguments as they were', () => {
    class Kept {
      readonly #list: readonly number[];
      constructor(_here: Here, list: readonly number[]) {
        this.#list = list;
      }
      read(): string {
        return this.#list.join();
      }
    }
    const world = createWorld(2, { Kept } as never);
    const { scheduler, classHere } = world.workers[0]!;
    const { note, notes } = noting();
    const list = [1, 2];
    const kept = scheduler.program.spawn(classHere('Kept'), [list], 1, { supervise }) as unknown as { read(): Asked };
    list.push(3);
    world.run(first);
    lose(world, 1);
    note('kept', kept.read());
    world.run(first);
    expect(notes).toEqual(['kept: 1,2']);
  });

  it('has none of the objects of its earlier life', () => {
    const { world, spawn } = start(3);
    const { note, notes } = noting();
    const peer = spawn(1, { supervise });
    let old: Remote | undefined;
    peer.part().then((part) => (old = part));
    world.run(first);
    note('part', old!.add(1));
    world.run(first);
    lose(world, 1);
    note('old part', old!.add(1));
    let fresh: Remote | undefined;
    peer.part().then((part) => (fresh = part));
    world.run(first);
    note('fresh part', fresh!.add(2));
    note('old part', old!.add(1));
    note('as an argument', peer.meet('itself', old));
    note('and used', peer.ask('itself', 1));
    world.run(first);
    const dead = `TT_ACTOR_LOST this object belonged to an earlier life of Peer#1: ${why}`;
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
    const { world, spawn } = start(2);
    const { scheduler } = world.workers[0]!;
    const { note, notes } = noting();
    const peer = spawn(1, { supervise });
    note('broken', scheduler.program.whenBroken(peer) as unknown as Asked);
    world.run(first);
    lose(world, 1);
    world.run(first);
    expect(notes).toEqual([]);
    scheduler.program.stop(peer);
    world.run(first);
    const [broken] = notes;
    expect(broken).toMatch(/Peer#1 has been stopped/);
    lose(world, 1);
    note('after', peer.add(1));
    world.run(first);
    expect(notes.at(-1)).toBe(`after: TT_ACTOR_LOST actor 1 is lost: ${why}`);
  });

  it('that was told to stop is not made anew, though nobody may have heard it', () => {
    const { world, spawn } = start(2);
    const { note, notes } = noting();
    const peer = spawn(1, { supervise });
    world.run(first);
    world.workers[0]!.scheduler.program.stop(peer);
    lose(world, 1);
    note('after', peer.add(1));
    world.run(first);
    expect(notes).toEqual([`after: TT_ACTOR_LOST actor 1 is lost: ${why}`]);
    expect(isQuiet(world)).toBe(true);
  });

  it('whose constructor throws then has failed: that is reported once, and it is not tried again', () => {
    const { world, spawn } = start(2);
    const { note, notes } = noting();
    const peer = spawn(1, { supervise }, 7);
    note('broken', world.workers[0]!.scheduler.program.whenBroken(peer) as unknown as Asked);
    world.run(first);
    failing = 7;
    lose(world, 1);
    note('after', peer.add(1));
    world.run(first);
    failing = NaN;
    expect(notes).toEqual([
      expect.stringMatching(/^broken: .*Peer#1 could not be made: no disk/),
      'after: TT_ACTOR_FAILED Peer#1 could not be made: no disk',
    ]);
    expect(world.workers.flatMap(({ reports }) => reports)).toEqual([
      'Peer#1: RuntimeError: Peer#1 could not be made: no disk',
    ]);
    lose(world, 1);
    note('later', peer.add(1));
    world.run(first);
    expect(notes.at(-1)).toBe(`later: TT_ACTOR_LOST actor 1 is lost: ${why}`);
  });

  it('is lost with a worker that is not replaced any more', () => {
    const { world, spawn } = start(2);
    const { note, notes } = noting();
    const peer = spawn(1, { supervise });
    note('broken', world.workers[0]!.scheduler.program.whenBroken(peer) as unknown as Asked);
    world.run(first);
    lose(world, 1, false);
    note('after', peer.add(1));
    world.run(first);
    expect(notes).toEqual([
      `broken: ActorLostError: Peer#1 is lost: ${why}`,
      `after: TT_ACTOR_LOST Peer#1 is lost: ${why}`,
    ]);
  });

  it('lives on without its supervisor, but not another time', () => {
    const { world, spawn } = start(3);
    const { note, notes } = noting();
    const parent = spawn(1);
    const friend = spawn(0);
    void parent.make('child', 2, { supervise });
    void parent.pass('child', friend, 'child');
    world.run(first);
    lose(world, 1);
    note('without its supervisor', friend.ask('child', 5));
    world.run(first);
    lose(world, 2);
    note('lost', friend.ask('child', 5));
    world.run(first);
    expect(notes).toEqual([
      'without its supervisor: 5',
      'lost: TT_ACTOR_LOST actor 1@1 is lost: worker 2 has ended: it was killed',
    ]);
    expect(isQuiet(world)).toBe(true);
  });
});

describe("actors that everybody goes back with ('rollback')", () => {
  it('are counted where they live, those that a worker spawns for itself too, until they are stopped', () => {
    const { world, spawn } = start(2);
    const counts: number[] = [];
    const [main, scheduler] = world.workers.map((each) => each.scheduler) as [Here['scheduler'], Here['scheduler']];
    scheduler.watchRollbacks((count) => counts.push(count));
    const rollback = { supervise: 'rollback' } as const;
    const one = spawn(1, rollback);
    const other = spawn(1, { supervise });
    void one.make('mine', 1, rollback);
    world.run(first);
    expect(counts).toEqual([1, 2]);
    main.program.stop(other);
    world.run(first);
    main.program.stop(one);
    world.run(first);
    expect(counts).toEqual([1, 2, 1]);
  });

  it('are made anew like others, where nobody goes back', () => {
    const { world, spawn } = start(2);
    const { note, notes } = noting();
    const peer = spawn(1, { supervise: 'rollback' }, 10);
    note('before', peer.add(1));
    world.run(first);
    lose(world, 1);
    note('after', peer.add(2));
    world.run(first);
    expect(notes).toEqual(['before: 11', 'after: 12']);
  });

  it('may live on the main thread, which is not lost but with the process', () => {
    const { world, spawn } = start(1);
    const counts: number[] = [];
    world.workers[0]!.scheduler.watchRollbacks((count) => counts.push(count));
    spawn(0, { supervise: 'rollback' });
    world.run(first);
    expect(counts).toEqual([]);
  });
});

describe('an actor that is not supervised', () => {
  it('is lost with its worker, for whoever has a reference, and whenever that comes', () => {
    const { world, spawn } = start(4);
    const { note, notes } = noting();
    const peer = spawn(1);
    const [two, three] = [spawn(2), spawn(3)];
    void two.meet('peer', peer);
    world.run(first);
    const hear = world.kill(1);
    for (const hearer of [0, 2]) {
      hear(hearer);
      world.look(hearer);
    }
    // The third has neither heard of the loss nor of the actor.
    note('met', three.meet('late', peer));
    note('third', three.ask('late', 1));
    world.run(first);
    hear(3);
    note('first', peer.add(1));
    note('second', two.ask('peer', 1));
    note('third again', three.ask('late', 1));
    world.run(first);
    const lost = 'TT_ACTOR_LOST';
    expect(notes.map((each) => each.split(' ').slice(0, -1).join(' ').split(' is lost')[0])).toEqual(
      expect.arrayContaining([`first: ${lost} Peer#1`, `second: ${lost} Peer#1`]),
    );
    expect(notes.filter((each) => each.includes(lost)).length).toBe(4);
    expect(isQuiet(world)).toBe(true);
  });

  it('is lost before the one in its place hears of what was spawned: no message waits for one that will never be', () => {
    const { world, spawn } = start(3);
    const { note, notes } = noting();
    const gone = spawn(1);
    const kept = spawn(1, { supervise });
    const third = spawn(2);
    void third.meet('gone', gone);
    void third.meet('kept', kept);
    world.run(first);
    const hear = world.kill(1);
    hear(2);
    world.look(2);
    // A third worker passes on what it has from before: it arrives before the first says what it has spawned there.
    const fresh = world.workers[2]!;
    const own = fresh.scheduler.program.spawn(fresh.classHere('Peer'), [], 1) as unknown as Remote;
    note('gone', third.ask('gone', 1));
    note('kept', third.ask('kept', 1));
    world.run(first);
    note('fresh', own.add(3));
    hear(0);
    world.run(first);
    expect(notes.toSorted()).toEqual(['fresh: 3', expect.stringContaining('gone: TT_ACTOR_LOST'), 'kept: 1']);
    expect(isQuiet(world)).toBe(true);
  });

  it('is not waited for if its creator has ended before it could say so', () => {
    const { world, spawn } = start(3);
    const { note, notes } = noting();
    const { scheduler, classHere, tasks } = world.workers[1]!;
    // What it has told the third worker of its actor there is published, what it has told that actor's worker is not.
    const child = scheduler.program.spawn(classHere('Peer'), [], 2);
    const holder = spawn(0);
    world.run((count) => count - 1);
    expect(tasks).toEqual([]);
    const ghost = scheduler.program.spawn(classHere('Peer'), [], 2);
    expect(scheduler.program.identityOf(ghost)).not.toBe(scheduler.program.identityOf(child));
    const number = Number(scheduler.program.identityOf(ghost));
    // Its reference, as a third worker would have been given it.
    const { references } = world.workers[0]!.scheduler.neighbours;
    const type = (holder as unknown as { constructor: FarRefClass }).constructor;
    const known = references.take(1, 2, 0, number, 0, type) as unknown as Remote;
    note('ghost', known.add(1));
    world.workers[0]!.scheduler.look();
    while (world.workers[0]!.tasks.length > 0) world.workers[0]!.tasks.shift()!();
    lose(world, 1);
    world.run(first);
    expect(notes).toEqual([`ghost: TT_ACTOR_LOST actor 2@1 is lost: ${why}`]);
    expect(isQuiet(world)).toBe(true);
  });
});

describe('the one in the place of a lost worker', () => {
  it('gives no id that the lost one has given', () => {
    const { world } = start(2);
    const { scheduler, classHere } = world.workers[1]!;
    const before = scheduler.program.spawn(classHere('Peer'), []);
    const old = scheduler.program.identityOf(before);
    lose(world, 1);
    const { scheduler: fresh, classHere: freshClass } = world.workers[1]!;
    const after = fresh.program.spawn(freshClass('Peer'), []);
    expect(fresh.program.identityOf(after)).not.toBe(old);
  });

  it('gets no answer to what the lost one has asked', () => {
    const { world, spawn } = start(2);
    const { note, notes } = noting();
    const slow = spawn(0);
    const peer = spawn(1, { supervise });
    unanswered.length = 0;
    void peer.meet('slow', slow);
    void peer.askLater('slow');
    world.run(first);
    lose(world, 1);
    void peer.meet('slow', slow);
    note('asked anew', peer.askLater('slow'));
    world.run(first);
    const [old, fresh] = unanswered;
    old?.('to the lost one');
    world.run(first);
    expect(notes).toEqual([]);
    fresh?.('to the one in its place');
    world.run(first);
    expect(notes).toEqual(['asked anew: to the one in its place']);
  });
});

describe('whenever workers are lost, and whoever hears of it when', () => {
  it('everything that was asked is settled, and nothing is left', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('make' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('run' as const), a: fc.nat(9), b: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), a: fc.nat(9), b: fc.nat(9) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(65535), (steps, seed) => {
        const choose = choices(seed);
        const { world, spawn } = start(4, 2 ** 14);
        const peers = [1, 2, 3, 0, 1, 2].map((place, i) => spawn(place, i < 3 ? { supervise } : undefined));
        peers.forEach((peer, i) => peers.forEach((other, j) => i !== j && void peer.meet(`m${j}`, other)));
        let asked = 0;
        let settled = 0;
        const ask = (what: Asked): void => {
          asked++;
          const done = (): void => void settled++;
          void what.then(done, done);
        };
        const some = (at: number): Remote => peers[at % peers.length] as Remote;
        /** Who has still to hear of a loss, in the order of the losses. */
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
              for (const { scheduler } of world.workers) scheduler.look();
              const busy = world.workers.filter(({ tasks }) => tasks.length > 0);
              if (busy.length > 0) busy[choose(busy.length)]!.tasks.shift()!();
            }
            unheard[each.b % 4]!.splice(0).forEach((hear) => hear());
          } else {
            const lost = 1 + (each.a % 3);
            // The main thread hears of it first, and a worker that is lost hears nothing more.
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
