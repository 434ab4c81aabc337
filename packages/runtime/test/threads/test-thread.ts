// A thread of the test's program, recorded or replayed: a realm on Node's own queues, with timers and random numbers as
// sources of a tape.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { TRACE_SOURCES, type TraceSink, type TraceSource } from '@turntable/recording';
import type { ActorSystem } from '../../src/actor-system.ts';
import type { ActorConstructor } from '../../src/scheduler-host.ts';
import { Scheduler } from '../../src/scheduler/scheduler.ts';
import { ThreadHost } from '../../src/thread-host.ts';
import { ReplayTape } from '../../src/trace/replay-tape.ts';
import { RecordingTape } from '../../src/trace/recording-tape.ts';
import { LetterActor, nodes, startRun, type RandomRun } from '../random-actors.ts';
import type { WorkerContext, WorldWorker } from '../test-world.ts';

/** The trace that a thread writes, or the one that it replays. */
export type ThreadTrace = { readonly sink: TraceSink } | { readonly source: TraceSource };

export function createTestThread(worker: number, trace: ThreadTrace) {
  const tape =
    'sink' in trace
      ? new RecordingTape(trace.sink)
      : new ReplayTape(trace.source, {
          setImmediate: (callback) => void setImmediate(callback),
          queueMicrotask: (callback) => queueMicrotask(callback),
          endThread: () => {
            if (worker > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
          },
        });
  const actors: LetterActor[] = [];
  nodes.set(worker, actors);

  const timers: (() => void)[] = [];
  if (tape.isReplay)
    tape.setPerformer(TRACE_SOURCES.timer, (id) => {
      if (timers[id] === undefined) return false;
      timers[id]();
      return true;
    });
  const timer = (callback: () => void): void => {
    const id = timers.length;
    timers.push(callback);
    if (tape.isReplay) return tape.wake();
    setTimeout(() => {
      tape.recordEntry(TRACE_SOURCES.timer, id);
      callback();
    }, Math.random() * 3);
  };
  const ask = (): number => {
    if (tape.isReplay) return tape.outcome(TRACE_SOURCES.randomness) as number;
    const answer = Math.random();
    tape.recordOutcome(TRACE_SOURCES.randomness, answer);
    return answer;
  };
  const realm = createRealm({
    tape,
    queueMicrotask: (callback) => queueMicrotask(callback),
    nextTick: (callback) => process.nextTick(callback),
    isNativePromise: types.isPromise,
    isProxy: types.isProxy,
  });
  // Not a native promise, so that a simulated thread does not depend on the host's job queue.
  const answer = {
    then: (answered: (value: unknown) => void) => void setTimeout(() => answered([Math.random()]), Math.random() * 3),
  } as unknown as Promise<unknown>;
  const app = (): Promise<unknown> =>
    scheduler.appRequests.request('other', undefined, () => answer) as unknown as Promise<unknown>;
  class Bound extends (LetterActor as unknown as new (...args: unknown[]) => object) {
    constructor(...args: unknown[]) {
      super({ realm, scheduler, timer, ask, app } satisfies WorkerContext, ...args);
    }
  }
  Object.defineProperty(Bound, 'name', { value: 'Node' });
  const type = Bound as unknown as ActorConstructor;
  const host = new ThreadHost({
    classes: {
      keyOf: (prototype) => (prototype as { constructor: { name: string } }).constructor.name,
      addressOf: ({ name }) => name,
      find: () => type,
    },
    errorClassName: () => undefined,
    errorPrototype: () => undefined,
    awaitingFrames: () => [],
    isPassedByReference: () => false,
    report() {},
    warnNotRestored() {},
    hostCallbacks: undefined,
  });
  const scheduler: Scheduler = new Scheduler(realm, host, worker, { turnsPerRound: 4, messagesPerBatch: 3 });
  const readLogs = (): string[][] => actors.map(({ log }) => [...log]);
  /** Runs the main program's part of a run. The app places its actors. */
  const startProgram = (app: ActorSystem, plannedRun: RandomRun): void => {
    const { actorApi } = scheduler;
    const placed = {
      spawn: (_: unknown, args: unknown[], place: number, settings: object) =>
        actorApi.spawn(type, args, app.placeActor(place), settings),
      tell: (ref: object) => actorApi.tell(ref),
    };
    startRun({ scheduler: { actorApi: placed }, classFor: () => type } as unknown as WorldWorker, plannedRun);
  };
  return { scheduler, host, tape, readLogs, startProgram };
}
