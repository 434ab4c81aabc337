// What a scheduler keeps in mind is data: read and written back it goes on as if nothing had happened, at whatever moment between two turns, and
// nothing of it is left where something else was written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Actor } from '../src/actors/actor.ts';
import { FarRef } from '../src/references/far-ref.ts';
import { BEGIN } from '../src/messaging/message-kinds.ts';
import { RuntimeError } from '../src/runtime-error.ts';
import type { SchedulerState } from '../src/scheduler/scheduler-state.ts';
import { Asker, ReportedTrail, Trail } from '../src/messaging/answer/trail.ts';
import { ANY, classes, countOf, ORDERED, outOfOrder, randomDeath, randomRun, run, sum } from './letters.ts';
import { rewrite } from './rewriting.ts';
import { again, createWorld, runAlone, written, type Here, type World, type WorldWorker } from './world.ts';

describe('what a worker has in mind, read and written again', () => {
  it('changes nothing of what it does, to the byte, whoever is lost meanwhile', () => {
    fc.assert(
      fc.property(
        randomRun(ORDERED),
        fc.nat(65535),
        randomDeath,
        fc.nat(2),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 }),
        (random, seed, death, who, when) => {
          const options = { size: 2 ** 18 };
          const all = ({ world, logs }: ReturnType<typeof run>): unknown => ({
            logs,
            workers: world.workers.map(({ scheduler, reports, trace }) => ({
              turns: scheduler.turns,
              reports,
              trace: trace.events,
            })),
            bytes: world.workers.map((_, from) =>
              world.workers.map((__, to) => (from === to ? '' : written(world.rings.ring(from, to)))),
            ),
          });
          const first = all(run(random, 3, seed, options, death));
          const meanwhile = (world: World, step: number): void => void (when.includes(step) && rewrite(world, who));
          expect(all(run(random, 3, seed, options, death, meanwhile))).toEqual(first);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('loses and doubles nothing while deadlines run and classes are looked for', () => {
    fc.assert(
      fc.property(
        randomRun([...ORDERED, 'in time']),
        fc.nat(65535),
        fc.nat(2),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 }),
        (random, seed, who, when) => {
          const meanwhile = (world: World, step: number): void => void (when.includes(step) && rewrite(world, who));
          const { world, logs } = run(random, 3, seed, { size: 2 ** 12, loads: true }, undefined, meanwhile);
          expect(outOfOrder(logs)).toEqual([]);
          const received = logs.flat(2).filter((line) => !line.startsWith('answer') && line !== 'tick').length;
          expect(received).toBe(countOf(random.steps) + random.steps.length);
          const traffic = world.workers.map(({ scheduler }) => scheduler.neighbours.traffic);
          expect(sum(traffic.map(({ sent }) => sent))).toBe(sum(traffic.map(({ taken }) => taken)));
          expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
          expect(world.workers.flatMap(({ reports }) => reports)).toEqual([]);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('is the same in a scheduler that has had nothing in mind', () => {
    fc.assert(
      fc.property(
        randomRun(ANY),
        fc.nat(65535),
        fc.nat(2),
        fc.integer({ min: 1, max: 60 }),
        (random, seed, who, when) => {
          run(random, 3, seed, { loads: true }, undefined, (world, step) => {
            if (step !== when) return;
            const state = world.workers[who]!.scheduler.read();
            const other = createWorld(3, classes, { loads: true }).workers[who]!.scheduler;
            other.write(state);
            expect(other.read()).toEqual(state);
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is all of it', () => {
    const { scheduler, realm } = createWorld(3, {}).workers[0]!;
    const { eventuals } = realm.parts;
    const here = new Actor(64, 0, 'one');
    const there = new Actor(129, 1, 'other');
    const [own, root, far] = [new FarRef(here, 1, {}), new FarRef(here, 0, undefined), new FarRef(there, 0, undefined)];
    const trail = new Trail('here', new Asker(1, 0, 3, 2), 4);
    const waiting = { eventual: eventuals.create(), actor: here, asked: there, call: 'go' };
    const link = { life: 0, isOpen: true, lost: undefined, phase: 2, questions: 5, eventuals: 6 };
    const toOther = scheduler.neighbours.to(there);
    const birth = { of: undefined, isAnew: true };
    const message = { recipient: here, call: 'go', args: [1, 'two'] };
    const failure = new RuntimeError('TT_ACTOR_FAILED', 'no disk');
    const entries = [
      { what: 'told', ...message },
      { what: 'sent', ...message, args: [1, 2, 3, 4], target: own, settles: 3, sender: there },
      { what: 'sent', ...message, call: BEGIN, args: [], target: birth, settles: undefined, sender: here },
    ] as const;
    const state: SchedulerState = {
      phase: 2,
      spawned: 3,
      turns: 4,
      rounds: 5,
      steps: 7,
      round: 6,
      queue: {
        all: [entries[0], { what: 'aside', recipient: here }, entries[1], { what: 'mailbox', recipient: here }],
        apart: [
          { recipient: here, mailbox: [entries[1], entries[0]], aside: entries },
          { recipient: scheduler.main, mailbox: undefined, aside: [entries[0]] },
        ],
      },
      neighbours: {
        life: 1,
        links: [
          {
            ...link,
            worker: 1,
            asked: [[5, waiting]],
            passed: [[2, waiting]],
            trails: [[5, new ReportedTrail(trail)]],
          },
          { ...link, worker: 2, isOpen: false, lost: 'it was killed', asked: [], passed: [], trails: [] },
        ],
        references: {
          pins: [
            [1, own, 2],
            [2, far, 1],
          ],
          inVain: [[1, '64.7', 1]],
          exported: [
            [own, 1],
            [root, 2],
          ],
          strangers: [{ actor: there, held: [{ number: 0, counts: [[1, 2]], ref: far }] }],
          lives: [
            [0, 1],
            [2, 3],
          ],
          orphans: [
            { place: 2, pins: [[root, 1]], missing: [1], claimed: [] },
            { place: 66, pins: undefined, missing: [], claimed: [1] },
          ],
        },
        unborn: {
          expected: [
            {
              actor: here,
              birth,
              ref: root,
              coming: undefined,
              messages: [{ link: toOther, kind: 1, number: 0, settles: 1, call: 'go', args: [] }],
            },
          ],
          created: [[1, 4]],
          over: [[2, 7, 'it was killed']],
          failed: [[65, failure]],
        },
        supervised: [{ actor: there, type: Idle as never, args: [1], mailbox: undefined, way: 1, ref: far }],
      },
      deadlines: {
        numbers: 4,
        waiting: [
          {
            number: 4,
            actor: here,
            settles: eventuals.create(),
            call: 'go',
            trail,
            within: 10,
            until: Date.now() + 10,
            signal: undefined,
          },
        ],
      },
      tracked: [{ eventual: eventuals.create(), actor: here, trail }],
      asked: [{ number: 3, what: 'snapshot', actor: here, eventual: eventuals.create() }] as never,
      questions: 3,
      census: { born: 3 },
      places: undefined,
    };
    scheduler.write(state);
    expect(scheduler.read()).toEqual(state);
  });

  it('contains who wants to know of the end of an actor, here and elsewhere', () => {
    const world = createWorld(2, { Idle: Idle as never });
    const told: string[] = [];
    const { scheduler, classHere } = world.workers[0]!;
    const actors = [0, 1].map((place) => scheduler.program.spawn(classHere('Idle'), [], place));
    for (const actor of actors)
      void (scheduler.program.whenBroken(actor) as unknown as PromiseLike<Error>).then(({ message }) =>
        told.push(message),
      );
    world.run(() => 0);
    for (const worker of [0, 1]) rewrite(world, worker);
    for (const actor of actors) scheduler.program.stop(actor);
    world.run(() => 0);
    expect(told.toSorted()).toEqual([1, 2].map((i) => `Idle#${i} has been stopped; it takes no more messages`));
  });

  it('has a class found when it was, in a run again that goes on from where it was looked for', () => {
    const world = createWorld(2, { Idle: Idle as never }, { loads: true });
    const [main, { scheduler, tasks, trace }] = world.workers as [WorldWorker, WorldWorker];
    main.scheduler.program.spawn(main.classHere('Idle'), [], 1);
    while (main.tasks.length > 0) main.tasks.shift()?.();
    scheduler.look();
    while (tasks.length > 0) tasks.shift()?.();
    const [state, taken] = [scheduler.read(), trace.events.length];
    world.run(() => 0);
    const left = trace.events.slice(taken);
    expect(left[0]).toMatchObject({ what: 'happened', kind: 'class' });

    // Where it is there at once.
    const { worker } = again(world, 1, { Idle: Idle as never });
    for (let i = 0; i < taken; i++) worker.following?.take();
    worker.scheduler.write(state);
    expect(worker.scheduler.read()).toEqual(state);
    runAlone(worker);
    expect(worker.halts).toEqual([]);
    expect({ next: worker.following?.next, turns: worker.scheduler.turns }).toEqual({ next: undefined, turns: 1 });
  });

  it('contains what waits for an actor that others have heard of before it was here', () => {
    const world = createWorld(3, { Idle: Idle as never, Teller: Teller as never }, { loads: true });
    const { scheduler, classHere, outside } = world.workers[0]!;
    const teller = scheduler.program.spawn(classHere('Teller'), [], 1) as unknown as Teller;
    const idle = scheduler.program.spawn(classHere('Idle'), [], 2);
    const answers: string[] = [];
    void (teller.tell(idle) as PromiseLike<[string, Error]>).then(([name, { message }]) => answers.push(name, message));
    // Its class is found last.
    const isLeft = (): boolean => world.workers.some(({ tasks }) => tasks.length > 0);
    for (const each of world.workers) each.scheduler.look();
    do {
      for (const { tasks } of world.workers) tasks.shift()?.();
      world.workers[1]!.outside.shift()?.();
      for (const each of world.workers) each.scheduler.look();
    } while (isLeft());
    expect(answers).toEqual([]);
    expect(
      world.workers[2]!.scheduler.read().neighbours.unborn.expected.map(({ messages }) => messages.length),
    ).toEqual([3]);
    rewrite(world, 2);
    world.run(() => 0);
    expect(answers).toEqual(['idle', 'Idle#2 has been stopped; it takes no more messages']);
    expect(outside).toEqual([]);
  });
});

class Idle {
  constructor(_here: Here) {}
  name(): string {
    return 'idle';
  }
}

class Teller {
  readonly #here: Here;
  constructor(here: Here) {
    this.#here = here;
  }
  tell(idle: unknown): unknown {
    const { scheduler, realm } = this.#here;
    const name = (idle as Idle).name();
    const end = scheduler.program.whenBroken(idle as FarRef);
    scheduler.program.stop(idle as FarRef);
    return realm.Promise.all([name, end] as never);
  }
}
