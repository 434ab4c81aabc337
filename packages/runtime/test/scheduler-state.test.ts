// The state of a scheduler is data. Written back between any two turns, it does not change the run, and nothing of a
// replaced state is left.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ActorCell } from '../src/actors/actor-cell.ts';
import { FarReference } from '../src/references/far-reference.ts';
import { CONSTRUCT_PENDING } from '../src/messaging/message-kinds.ts';
import { RuntimeError } from '../src/runtime-error.ts';
import type { SchedulerState } from '../src/scheduler/scheduler-state.ts';
import { RemoteTrail, ReportedTrail, DeadlineTrail } from '../src/messaging/answer/deadline-trail.ts';
import { ANY, classes, countOf, ORDERED, outOfOrder, randomDeath, randomRun, run, sum } from './random-actors.ts';
import { rewriteState } from './rewrite-state.ts';
import {
  replayWorker,
  createWorld,
  runAlone,
  ringContents,
  type WorkerContext,
  type World,
  type WorldWorker,
} from './test-world.ts';

describe('the state of a worker, read and written back', () => {
  it('does not change its output by a byte, whichever worker is lost meanwhile', () => {
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
              world.workers.map((__, to) => (from === to ? '' : ringContents(world.rings.ring(from, to)))),
            ),
          });
          const first = all(run(random, 3, seed, options, death));
          const meanwhile = (world: World, step: number): void =>
            void (when.includes(step) && rewriteState(world, who));
          expect(all(run(random, 3, seed, options, death, meanwhile))).toEqual(first);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('continues the count of rounds in the trace', () => {
    const { scheduler, trace } = createWorld(1, classes).workers[0] as WorldWorker;
    scheduler.setState({ ...scheduler.getState(), rounds: 57 });
    expect(trace.startedRounds).toBe(57);
  });

  it('loses and duplicates nothing while deadlines run and classes are loaded', () => {
    fc.assert(
      fc.property(
        randomRun([...ORDERED, 'in time']),
        fc.nat(65535),
        fc.nat(2),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 }),
        (random, seed, who, when) => {
          const meanwhile = (world: World, step: number): void =>
            void (when.includes(step) && rewriteState(world, who));
          const { world, logs } = run(random, 3, seed, { size: 2 ** 12, loads: true }, undefined, meanwhile);
          expect(outOfOrder(logs)).toEqual([]);
          const received = logs.flat(2).filter((line) => !line.startsWith('answer') && line !== 'tick').length;
          expect(received).toBe(countOf(random.steps) + random.steps.length);
          const traffic = world.workers.map(({ scheduler }) => scheduler.workerLinks.traffic);
          expect(sum(traffic.map(({ sent }) => sent))).toBe(sum(traffic.map(({ taken }) => taken)));
          expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
          expect(world.workers.flatMap(({ reports }) => reports)).toEqual([]);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('is the same in a new scheduler', () => {
    fc.assert(
      fc.property(
        randomRun(ANY),
        fc.nat(65535),
        fc.nat(2),
        fc.integer({ min: 1, max: 60 }),
        (random, seed, who, when) => {
          run(random, 3, seed, { loads: true }, undefined, (world, step) => {
            if (step !== when) return;
            const state = world.workers[who]!.scheduler.getState();
            const other = createWorld(3, classes, { loads: true }).workers[who]!.scheduler;
            other.setState(state);
            expect(other.getState()).toEqual(state);
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is complete', () => {
    const { scheduler, realm } = createWorld(3, {}).workers[0]!;
    const { eventuals } = realm.parts;
    const here = new ActorCell(64, 0, 'one');
    const there = new ActorCell(129, 1, 'other');
    const [own, root, far] = [
      new FarReference(here, 1, {}),
      new FarReference(here, 0, undefined),
      new FarReference(there, 0, undefined),
    ];
    const trail = new DeadlineTrail('here', new RemoteTrail(1, 0, 3, 2), 4);
    const waiting = { eventual: eventuals.create(), actor: here, callee: there, call: 'go' };
    const link = { epoch: 0, isOpen: true, lossReason: undefined, phase: 2, lastCallId: 5, lastEventualId: 6 };
    const toOther = scheduler.workerLinks.linkTo(there);
    const birth = { spec: undefined, isRespawn: true };
    const message = { recipient: here, call: 'go', args: [1, 'two'] };
    const failure = new RuntimeError('TT_ACTOR_FAILED', 'no disk');
    const entries = [
      { kind: 'tell', ...message },
      { kind: 'send', ...message, args: [1, 2, 3, 4], target: own, replyTo: 3, sender: there },
      { kind: 'send', ...message, call: CONSTRUCT_PENDING, args: [], target: birth, replyTo: undefined, sender: here },
    ] as const;
    const state: SchedulerState = {
      phase: 2,
      lastSpawned: 3,
      turns: 4,
      rounds: 5,
      steps: 7,
      turnsPerRound: 6,
      queue: {
        shared: [entries[0], { kind: 'parked', recipient: here }, entries[1], { kind: 'mailbox', recipient: here }],
        perRecipient: [
          { recipient: here, mailbox: [entries[1], entries[0]], parked: entries },
          { recipient: scheduler.main, mailbox: undefined, parked: [entries[0]] },
        ],
      },
      workerLinks: {
        epoch: 1,
        links: [
          {
            ...link,
            worker: 1,
            pendingCalls: [[5, waiting]],
            pendingEventuals: [[2, waiting]],
            trails: [[5, new ReportedTrail(trail)]],
          },
          {
            ...link,
            worker: 2,
            isOpen: false,
            lossReason: 'it was killed',
            pendingCalls: [],
            pendingEventuals: [],
            trails: [],
          },
        ],
        references: {
          pins: [
            [1, own, 2],
            [2, far, 1],
          ],
          unmatchedClaims: [[1, '64.7', 1]],
          exported: [
            [own, 1],
            [root, 2],
          ],
          remoteActors: [{ actor: there, held: [{ exportId: 0, counts: [[1, 2]], ref: far }] }],
          epochs: [
            [0, 1],
            [2, 3],
          ],
          orphans: [
            { incarnation: 2, pins: [[root, 1]], unclaimedBy: [1], claimedBy: [] },
            { incarnation: 66, pins: undefined, unclaimedBy: [], claimedBy: [1] },
          ],
        },
        pendingActors: {
          actors: [
            {
              actor: here,
              creation: birth,
              ref: root,
              announcement: undefined,
              messages: [{ link: toOther, kind: 1, exportId: 0, replyTo: 1, call: 'go', args: [] }],
            },
          ],
          lastOrdinals: [[1, 4]],
          closedRanges: [[2, 7, 'it was killed']],
          failed: [[65, failure]],
        },
        supervised: [{ actor: there, type: Idle as never, args: [1], mailbox: undefined, policy: 1, ref: far }],
      },
      deadlines: {
        lastNumber: 4,
        waiting: [
          {
            number: 4,
            actor: here,
            replyTo: eventuals.create(),
            call: 'go',
            trail,
            timeoutMs: 10,
            untilMs: Date.now() + 10,
            signal: undefined,
          },
        ],
      },
      trackedCalls: [{ eventual: eventuals.create(), actor: here, trail }],
      appRequests: [{ number: 3, kind: 'snapshot', actor: here, eventual: eventuals.create() }] as never,
      lastAppRequest: 3,
      census: { created: 3 },
      actorPlacement: undefined,
    };
    scheduler.setState(state);
    expect(scheduler.getState()).toEqual(state);
  });

  it('includes the watchers of an actor, here and on other workers', () => {
    const world = createWorld(2, { Idle: Idle as never });
    const tells: string[] = [];
    const { scheduler, classFor } = world.workers[0]!;
    const actors = [0, 1].map((place) => scheduler.actorApi.spawn(classFor('Idle'), [], place));
    for (const actor of actors)
      void (scheduler.actorApi.whenBroken(actor) as unknown as PromiseLike<Error>).then(({ message }) =>
        tells.push(message),
      );
    world.run(() => 0);
    for (const worker of [0, 1]) rewriteState(world, worker);
    for (const actor of actors) scheduler.actorApi.stop(actor);
    world.run(() => 0);
    expect(tells.toSorted()).toEqual([1, 2].map((i) => `Idle#${i} has been stopped; it takes no more messages`));
  });

  it('has a class found when it was, in a replay that starts while the class is being loaded', () => {
    const world = createWorld(2, { Idle: Idle as never }, { loads: true });
    const [main, { scheduler, tasks, trace }] = world.workers as [WorldWorker, WorldWorker];
    main.scheduler.actorApi.spawn(main.classFor('Idle'), [], 1);
    while (main.tasks.length > 0) main.tasks.shift()?.();
    scheduler.wakeIfInbound();
    while (tasks.length > 0) tasks.shift()?.();
    const [state, taken] = [scheduler.getState(), trace.events.length];
    world.run(() => 0);
    const left = trace.events.slice(taken);
    expect(left[0]).toMatchObject({ type: 'scheduler', kind: 'class' });

    // Where it is there at once.
    const { worker } = replayWorker(world, 1, { Idle: Idle as never });
    for (let i = 0; i < taken; i++) worker.replayTape?.take();
    worker.scheduler.setState(state);
    expect(worker.scheduler.getState()).toEqual(state);
    runAlone(worker);
    expect(worker.halts).toEqual([]);
    expect({ next: worker.replayTape?.nextEvent, turns: worker.scheduler.turns }).toEqual({
      next: undefined,
      turns: 1,
    });
  });

  it('includes messages to an actor that others have learned of before its creation', () => {
    const world = createWorld(3, { Idle: Idle as never, Teller: Teller as never }, { loads: true });
    const { scheduler, classFor, hostTasks } = world.workers[0]!;
    const teller = scheduler.actorApi.spawn(classFor('Teller'), [], 1) as unknown as Teller;
    const idle = scheduler.actorApi.spawn(classFor('Idle'), [], 2);
    const answers: string[] = [];
    void (teller.tell(idle) as PromiseLike<[string, Error]>).then(([name, { message }]) => answers.push(name, message));
    // Its class is found last.
    const isLeft = (): boolean => world.workers.some(({ tasks }) => tasks.length > 0);
    for (const each of world.workers) each.scheduler.wakeIfInbound();
    do {
      for (const { tasks } of world.workers) tasks.shift()?.();
      world.workers[1]!.hostTasks.shift()?.();
      for (const each of world.workers) each.scheduler.wakeIfInbound();
    } while (isLeft());
    expect(answers).toEqual([]);
    expect(
      world.workers[2]!.scheduler.getState().workerLinks.pendingActors.actors.map(({ messages }) => messages.length),
    ).toEqual([3]);
    rewriteState(world, 2);
    world.run(() => 0);
    expect(answers).toEqual(['idle', 'Idle#2 has been stopped; it takes no more messages']);
    expect(hostTasks).toEqual([]);
  });
});

class Idle {
  constructor(_context: WorkerContext) {}
  name(): string {
    return 'idle';
  }
}

class Teller {
  readonly #context: WorkerContext;
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  tell(idle: unknown): unknown {
    const { scheduler, realm } = this.#context;
    const name = (idle as Idle).name();
    const end = scheduler.actorApi.whenBroken(idle as FarReference);
    scheduler.actorApi.stop(idle as FarReference);
    return realm.Promise.all([name, end] as never);
  }
}
