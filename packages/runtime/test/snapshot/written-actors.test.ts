// Actors are written while the program runs on, but each as it was at the cut.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { IncrementalCapture, ObjectAdapter, StateCapturer } from '@turntable/heap';
import type { RuntimeError } from '../../src/runtime-error.ts';
import type { ActorPiece } from '../../src/snapshot/worker-snapshot.ts';
import {
  createChooser,
  createWorld,
  replayWorker,
  runAlone,
  type WorkerContext,
  type WorldWorker,
} from '../test-world.ts';

interface RemoteSpawner {
  spawn(ring: readonly RemoteSpawner[], seed: number): void;
  stop(): void;
}

/** Spawns actors on all workers and calls some of them, or stops, or lets another actor do this. */
class Spawner {
  readonly #context: WorkerContext;
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  spawn(ring: readonly RemoteSpawner[], seed: number): void {
    if (seed < 2) return;
    const { scheduler } = this.#context;
    const { actorApi } = scheduler;
    const type = this.constructor as { readonly prototype: object } & (new () => object) as never;
    const child = actorApi.spawn(type, [], seed % 3) as unknown as RemoteSpawner;
    const next = ring[seed % ring.length] as RemoteSpawner;
    const rest = seed >> 1;
    (actorApi.tell(next) as RemoteSpawner).spawn([child, ...ring.slice(0, 2)], rest);
    if (seed % 5 === 0) actorApi.stop(next as never);
    else (actorApi.tell(child) as RemoteSpawner).spawn(ring, rest - 1);
  }
}

const classes = { Spawner: Spawner as never };

/** Takes the runtime's objects apart, as a capture does, so that all actors they mention are written. */
function visit(value: unknown, adapters: readonly ObjectAdapter[], seen: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  const prototype = Reflect.getPrototypeOf(value);
  const adapter = adapters.find((each) => each.matchesPrototype?.(prototype));
  const contents = adapter === undefined ? Object.values(value) : (adapter.takeApart(value)?.contents ?? []);
  for (const each of contents) visit(each, adapters, seen);
}

type WrittenActor = Pick<ActorPiece, 'name' | 'mailbox' | 'exportCount' | 'turns'> & { readonly failure: unknown };

/** Writes the fields of actors; returns them by phase and id. */
function watchPieces({ scheduler }: WorldWorker): Map<string, WrittenActor> {
  const written = new Map<string, WrittenActor>();
  let phase = 0;
  let adapters: readonly ObjectAdapter[] = [];
  const capture: IncrementalCapture = {
    timers: [],
    pendingEventuals: [],
    hostObjects: [],
    size: 0,
    add(root) {
      visit(root, adapters, new Set());
      const { actor, name, mailbox, failure, exportCount, turns } = root as ActorPiece;
      if (actor === undefined || turns === undefined) return;
      const failureText = failure instanceof Error ? (failure as RuntimeError).message : failure;
      written.set(`${phase} ${actor.id}`, { name, mailbox, exportCount, turns, failure: failureText });
    },
    confirm: () => 'same',
    finish: () => new Uint8Array(),
  };
  const capturer: Partial<StateCapturer> = {
    startCapture(options) {
      phase = scheduler.phase;
      adapters = options.adapters;
      return capture;
    },
  };
  scheduler.startSnapshots({
    capturer: capturer as StateCapturer,
    deliver: () => undefined,
    onFailed: (_, reason) => {
      throw reason;
    },
  });
  return written;
}

function startSpawners({ scheduler, classFor }: WorldWorker, seed: number): void {
  const { actorApi } = scheduler;
  const ring = [0, 1, 2].map((place) => actorApi.spawn(classFor('Spawner'), [], place)) as unknown as RemoteSpawner[];
  for (const each of ring) (actorApi.tell(each) as RemoteSpawner).spawn(ring, seed);
}

it('writes the same fields of each actor as a replay, which writes them at once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 2 ** 8 }),
      fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 3 }),
      fc.nat(65535),
      (load, triggers, seed) => {
        const world = createWorld(3, classes, { loads: true, size: 2 ** 18 });
        const written = world.workers.map((worker) => watchPieces(worker));
        startSpawners(world.workers[0]!, load);
        const choose = createChooser(seed);
        let steps = 0;
        let phase = 0;
        world.run((count) => {
          if (triggers.includes(++steps)) world.workers[steps % 3]!.scheduler.startPhase(++phase);
          return choose(count);
        });
        world.workers.forEach((_, index) => {
          const { worker } = replayWorker(world, index, classes, { loads: true });
          const replayed = watchPieces(worker);
          if (index === 0) startSpawners(worker, load);
          runAlone(worker);
          // Without the program's state, snapshots mention few actors. The recorded run also writes all that change.
          expect([...replayed.keys()].map((key) => [key, written[index]!.get(key)])).toEqual([...replayed]);
        });
      },
    ),
    { numRuns: 200 },
  );
});
