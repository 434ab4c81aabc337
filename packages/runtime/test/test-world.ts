// Several workers on one thread; the test chooses which one runs next, so every interleaving of threads can be tested
// and repeated.
import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { createRealm, type Realm } from '@turntable/core';
import { TRACE_SOURCES, type TraceSource } from '@turntable/recording';
import { connect, loseWorker } from '../src/link-connection.ts';
import type { LinkData } from '../src/control-messages.ts';
import type { ActorConstructor } from '../src/scheduler-host.ts';
import { RuntimeError } from '../src/runtime-error.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import { ReplayTape, type Halt } from '../src/trace/replay-tape.ts';
import { RecordingTape } from '../src/trace/recording-tape.ts';
import { createRing, HEAD_WORD, RING_HEADER_BYTES, TAIL_WORD } from '../src/transport/ring.ts';
import { createBell } from '../src/transport/bell.ts';
import { MemorySink, MemorySource } from './memory-trace.ts';

/** Classes whose instances know the realm of their worker. */
export type WorldClass = new (context: WorkerContext, ...args: never[]) => object;

/** The dependencies of an actor class on its worker. */
export interface WorkerContext {
  readonly realm: Realm;
  readonly scheduler: Scheduler;
  /** Calls back when the host does. */
  timer(callback: () => void): void;
  /** A value that only the host knows. */
  ask(): number;
  /** A request to Turntable, which is answered later. */
  app(): Promise<unknown>;
}

export interface WorldWorker extends WorkerContext {
  /** Its next step; undefined if it waits. */
  readonly tasks: (() => void)[];
  /** Pending host events: deadlines pass, classes are loaded. */
  readonly hostTasks: (() => void)[];
  isAlive: boolean;
  readonly reports: string[];
  readonly trace: MemorySink;
  /** In a replay: how it has stopped, if it has. */
  readonly halts: Halt[];
  readonly replayTape: ReplayTape | undefined;
  /** The class with this name, for instances on this worker. */
  classFor(name: string): ActorConstructor;
}

/** A ring between two epochs of two workers. */
interface KnownRing {
  readonly ring: SharedArrayBuffer;
  readonly epochs: readonly [from: number, to: number];
}

interface Rings {
  /** From one worker to another. */
  ring(from: number, to: number): SharedArrayBuffer;
}

export interface WorldOptions {
  /** Size of each ring in bytes. */
  readonly size?: number;
  /** Classes are found later than they are requested. */
  readonly loads?: boolean;
}

export function createWorker(
  index: number,
  classes: Readonly<Record<string, WorldClass>>,
  { loads = false }: WorldOptions = {},
  source?: TraceSource,
): WorldWorker {
  const tasks: (() => void)[] = [];
  const hostTasks: (() => void)[] = [];
  const reports: string[] = [];
  const trace = new MemorySink();
  const halts: Halt[] = [];
  const schedule = (callback: () => void): void => void tasks.push(callback);
  const replayTape =
    source &&
    new ReplayTape(source, {
      setImmediate: schedule,
      queueMicrotask: schedule,
      onHalt: (halt) => void halts.push(halt),
    });
  const tape = replayTape ?? new RecordingTape(trace);
  const timers: (() => void)[] = [];
  replayTape?.setPerformer(TRACE_SOURCES.timer, (id) => {
    if (timers[id] === undefined) return false;
    timers[id]();
    return true;
  });
  const timer = (callback: () => void): void => {
    const id = timers.length;
    timers.push(callback);
    if (tape.isReplay) return tape.wake();
    const fire = (): void => {
      // Node calls no callback while ticks and jobs are left.
      if (realm.jobs.hasWork()) return void hostTasks.push(fire);
      tape.recordEntry(TRACE_SOURCES.timer, id);
      callback();
    };
    hostTasks.push(fire);
  };
  const ask = (): number => {
    if (tape.isReplay) return tape.outcome(TRACE_SOURCES.randomness) as number;
    const answer = Math.random();
    tape.recordOutcome(TRACE_SOURCES.randomness, answer);
    return answer;
  };
  let requestCount = 0;
  const app = (): Promise<unknown> => {
    const number = ++requestCount;
    // Later, like every host event.
    const answer = {
      then: (answered: (value: unknown) => void, failed: (reason: unknown) => void) =>
        void hostTasks.push(() => {
          if (number % 3 === 0) failed(new RuntimeError('TT_CLOSED', 'no answer'));
          else answered(number % 3 === 1 ? [number, Math.random()] : new Map([[number, Math.random()]]));
        }),
    } as unknown as Promise<unknown>;
    return scheduler.appRequests.request('other', undefined, () => answer) as unknown as Promise<unknown>;
  };
  const realm = createRealm({
    tape,
    queueMicrotask: schedule,
    nextTick: schedule,
    isNativePromise: types.isPromise,
    isProxy: types.isProxy,
  });
  let clock = 0;
  let clockReads = 0;
  const boundClasses = new Map<string, ActorConstructor>();
  const classFor = (name: string): ActorConstructor => {
    let type = boundClasses.get(name);
    if (type === undefined) {
      const base = classes[name] as new (...args: unknown[]) => object;
      type = {
        [name]: class extends base {
          constructor(...args: unknown[]) {
            super({ realm, scheduler, timer, ask, app }, ...args);
          }
        },
      }[name] as ActorConstructor;
      boundClasses.set(name, type);
    }
    return type;
  };
  const scheduler: Scheduler = new Scheduler(
    realm,
    {
      types,
      queueMicrotask: schedule,
      setImmediate: schedule,
      // Rounds are short and long.
      now: () => (clock += ++clockReads % 3 === 0 ? 1.2 : 0.02),
      setTimer(_, callback) {
        hostTasks.push(callback);
        return () => {
          const at = hostTasks.indexOf(callback);
          if (at >= 0) hostTasks.splice(at, 1);
        };
      },
      report: (actor, reason) => void reports.push(`${actor}: ${String(reason)}`),
      classes: {
        keyOf: (prototype) => (prototype as { constructor: { name: string } }).constructor.name,
        addressOf: (type) => type.name,
        find(name) {
          if (!loads) return classFor(name);
          const then = (found: (type: ActorConstructor) => void): void =>
            void hostTasks.push(() => found(classFor(name)));
          return { then } as unknown as Promise<ActorConstructor>;
        },
      },
      errorClassName: () => undefined,
      errorPrototype: () => undefined,
      awaitingFrames: () => ['async caller (here)'],
      isPassedByReference: () => false,
      waitForWork: () => false,
      markAwake() {},
    },
    index,
    { turnsPerRound: 3, messagesPerBatch: 5 },
  );
  return {
    realm,
    scheduler,
    tasks,
    hostTasks,
    reports,
    trace,
    halts,
    replayTape,
    timer,
    ask,
    app,
    classFor,
    isAlive: true,
  };
}

export interface World {
  readonly workers: readonly WorldWorker[];
  readonly rings: Rings;
  /** Messages of a worker from another one: a ring for each known epoch of the other, in its own last epoch. */
  ringsBetween(from: number, to: number): readonly KnownRing[];
  /** Ends a worker, by default replacing it; calling the result for another worker reports the loss to it. */
  kill(index: number, isReplaced?: boolean): (listener: number) => void;
  /** Runs a worker until it has taken its pending events. */
  settleIngests(index: number): void;
  /** Runs until no worker has work left; `choose` selects the next one. */
  run(choose: (count: number) => number): void;
}

export function createWorld(
  count: number,
  classes: Readonly<Record<string, WorldClass>>,
  options: WorldOptions = {},
): World {
  const { size } = options;
  const workers = Array.from({ length: count }, (_, index) => createWorker(index, classes, options));
  const epochs = workers.map(() => 0);
  const lossReasons: string[] = [];
  const rings = new Map<string, KnownRing[]>();
  const addRing = (from: number, to: number, ring: SharedArrayBuffer): void => {
    const all = rings.get(`${from}${to}`) ?? [];
    all.push({ ring, epochs: [epochs[from] as number, epochs[to] as number] });
    rings.set(`${from}${to}`, all);
  };
  const ringsBetween = (from: number, to: number): KnownRing[] =>
    (rings.get(`${from}${to}`) ?? []).filter((each) => each.epochs[1] === epochs[to]);
  const linkEnd = (worker: number): Omit<LinkData, 'out' | 'in' | 'port'> => ({
    worker,
    epoch: epochs[worker] as number,
    lossReason: lossReasons[worker],
    bell: createBell(),
  });
  const link = (a: number, b: number): [LinkData, LinkData] => {
    const [forward, backward] = [createRing(size), createRing(size)];
    addRing(a, b, forward);
    addRing(b, a, backward);
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    return [
      { ...linkEnd(b), out: forward, in: backward, port: port1 },
      { ...linkEnd(a), out: backward, in: forward, port: port2 },
    ];
  };
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const [forward, backward] = link(a, b);
      connect(workers[a]!.scheduler, forward);
      connect(workers[b]!.scheduler, backward);
    }
  }
  return {
    workers,
    rings: { ring: (from, to) => rings.get(`${from}${to}`)?.at(-1)?.ring as SharedArrayBuffer },
    ringsBetween,
    kill(index, isReplaced = true) {
      const reason = lossReasonOf(index);
      lossReasons[index] = reason;
      const epoch = epochs[index] as number;
      const inboundLinks = new Map<number, LinkData>();
      workers[index]!.isAlive = false;
      if (isReplaced) {
        epochs[index] = epoch + 1;
        const successor = (workers[index] = createWorker(index, classes, options));
        successor.scheduler.startEpoch(epoch + 1, reason);
        workers.forEach((_, other) => {
          if (other === index) return;
          const [forward, inbound] = link(index, other);
          connect(successor.scheduler, forward);
          if (workers[other]!.isAlive) inboundLinks.set(other, inbound);
          else
            loseWorker(successor.scheduler, {
              worker: other,
              epoch: epochs[other] as number,
              reason: lossReasons[other] as string,
              successor: undefined,
              isRestored: false,
            });
        });
      }
      return (listener) => {
        const successor = inboundLinks.get(listener);
        loseWorker(workers[listener]!.scheduler, { worker: index, epoch, reason, successor, isRestored: false });
      };
    },
    settleIngests(index) {
      const { scheduler, tasks } = workers[index] as WorldWorker;
      while (!scheduler.ingests.isEmpty) tasks.shift()?.();
    },
    run(choose) {
      for (;;) {
        const alive = workers.filter(({ isAlive }) => isAlive);
        for (const { scheduler } of alive) scheduler.wakeIfInbound();
        const busy = alive.flatMap((worker) =>
          [worker.tasks, worker.hostTasks].filter((queue) => queue.length > 0).map((queue) => ({ worker, queue })),
        );
        if (busy.length === 0) return;
        const { worker, queue } = busy[choose(busy.length)]!;
        // It may have been chosen to end.
        if (worker.isAlive) queue.shift()!();
      }
    },
  };
}

/** A single worker that replays its recorded input. */
export function replayWorker(
  world: World,
  index: number,
  classes: Readonly<Record<string, WorldClass>>,
  options: WorldOptions = {},
): { worker: WorldWorker; rings: Rings } {
  const rings = new Map<string, SharedArrayBuffer>();
  const source = new MemorySource(world.workers[index]!.trace.events);
  const worker = createWorker(index, classes, options, source);
  const { scheduler } = worker;
  const others = world.workers.flatMap((_, other) => (other === index ? [] : [other]));
  const epoch = world.ringsBetween(others[0] as number, index)[0]?.epochs[1] ?? 0;
  if (epoch > 0) scheduler.startEpoch(epoch, lossReasonOf(index));
  const linkTo = (worker: number, { ring, epochs: [epoch] }: KnownRing): LinkData => {
    const out = createRing(ring.byteLength - RING_HEADER_BYTES);
    rings.set(`${index}${worker}`, out);
    const { port1: port } = new MessageChannel();
    const lossReason = epoch === 0 ? undefined : lossReasonOf(worker);
    return { worker, epoch, lossReason, out, in: rewindRing(ring), port, bell: createBell() };
  };
  for (const other of others) connect(scheduler, linkTo(other, world.ringsBetween(other, index)[0] as KnownRing));
  // Events that will happen at their recorded positions.
  for (const other of others) {
    const all = world.ringsBetween(other, index);
    for (let i = 1; i < all.length; i++) {
      const { epochs } = all[i - 1] as KnownRing;
      const successor = linkTo(other, all[i] as KnownRing);
      loseWorker(scheduler, {
        worker: other,
        epoch: epochs[0],
        reason: lossReasonOf(other),
        successor,
        isRestored: false,
      });
    }
  }
  return { worker, rings: { ring: (from, to) => rings.get(`${from}${to}`) as SharedArrayBuffer } };
}

function lossReasonOf(worker: number): string {
  return `worker ${worker} has ended: it was killed`;
}

/** A copy of a ring with nothing read. */
function rewindRing(ring: SharedArrayBuffer): SharedArrayBuffer {
  const copy = new SharedArrayBuffer(ring.byteLength);
  new Uint8Array(copy).set(new Uint8Array(ring));
  const words = new Int32Array(copy);
  if ((words[TAIL_WORD] as number) >= ring.byteLength - RING_HEADER_BYTES) throw new Error('the ring has come round');
  words[HEAD_WORD] = 0;
  return copy;
}

/** Choices determined by a seed. */
export function createChooser(seed: number): (count: number) => number {
  let state = seed;
  return (count) => (state = (state * 1309 + 13849) & 65535) % count;
}

/** Runs a worker while all others are paused. */
export function runAlone({ tasks, hostTasks }: WorldWorker): void {
  for (let next = tasks.shift() ?? hostTasks.shift(); next !== undefined; next = tasks.shift() ?? hostTasks.shift())
    next();
}

/** The bytes that have gone through a ring that has not wrapped. */
export function ringContents(ring: SharedArrayBuffer): string {
  const tail = new Int32Array(ring)[TAIL_WORD] as number;
  return Buffer.from(ring, RING_HEADER_BYTES, tail).toString('hex');
}
