// Several workers on one thread, which of them runs next being somebody's choice: every interleaving of threads can be had, and again.
import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { createRealm, type Realm } from '@turntable/core';
import { SOURCES, type TraceSource } from '@turntable/recording';
import { connect, lose } from '../src/connect.ts';
import type { LinkData } from '../src/control.ts';
import type { Class } from '../src/host.ts';
import { RuntimeError } from '../src/runtime-error.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import { FollowingTape, type Halt } from '../src/trace/following-tape.ts';
import { RecordingTape } from '../src/trace/recording-tape.ts';
import { createRing, HEAD, HEADER, TAIL } from '../src/transport/ring.ts';
import { createBell } from '../src/transport/wake-up.ts';
import { MemorySink, MemorySource } from './trace.ts';

/** Classes whose instances are told the realm they live in. */
export type WorldClass = new (here: Here, ...args: never[]) => object;

/** What an actor's class has of the worker it lives on. */
export interface Here {
  readonly realm: Realm;
  readonly scheduler: Scheduler;
  /** Calls back when the outside says so. */
  timer(callback: () => void): void;
  /** Something that only the outside knows. */
  ask(): number;
  /** Something that Turntable is asked, and answers sooner or later. */
  app(): Promise<unknown>;
}

export interface WorldWorker extends Here {
  /** What it would do next; none if it waits. */
  readonly tasks: (() => void)[];
  /** What the outside will do sooner or later: deadlines pass, classes are loaded. */
  readonly outside: (() => void)[];
  isAlive: boolean;
  readonly reports: string[];
  readonly trace: MemorySink;
  /** In a run again: how it has come to an end, if it has. */
  readonly halts: Halt[];
  readonly following: FollowingTape | undefined;
  /** The class of that name, its instances living on this worker. */
  classHere(name: string): Class;
}

/** A ring that leads from one life of a worker to one of another. */
interface Had {
  readonly ring: SharedArrayBuffer;
  readonly lives: readonly [from: number, to: number];
}

interface Rings {
  /** From one worker to another. */
  ring(from: number, to: number): SharedArrayBuffer;
}

export interface WorldOptions {
  /** Bytes of each ring. */
  readonly size?: number;
  /** Classes are found later than they are asked for. */
  readonly loads?: boolean;
}

export function createWorker(
  index: number,
  classes: Readonly<Record<string, WorldClass>>,
  { loads = false }: WorldOptions = {},
  source?: TraceSource,
): WorldWorker {
  const tasks: (() => void)[] = [];
  const outside: (() => void)[] = [];
  const reports: string[] = [];
  const trace = new MemorySink();
  const halts: Halt[] = [];
  const later = (callback: () => void): void => void tasks.push(callback);
  const following =
    source && new FollowingTape(source, { later, soon: later, halted: (halt) => void halts.push(halt) });
  const tape = following ?? new RecordingTape(trace);
  const timers: (() => void)[] = [];
  following?.on(SOURCES.timer, (id) => {
    if (timers[id] === undefined) return false;
    timers[id]();
    return true;
  });
  const timer = (callback: () => void): void => {
    const id = timers.length;
    timers.push(callback);
    if (tape.isReplay) return tape.wake();
    const fire = (): void => {
      // Node calls nobody as long as ticks and jobs are left.
      if (realm.jobs.isLeft()) return void outside.push(fire);
      tape.entry(SOURCES.timer, id);
      callback();
    };
    outside.push(fire);
  };
  const ask = (): number => {
    if (tape.isReplay) return tape.outcome(SOURCES.randomness) as number;
    const answer = Math.random();
    tape.outcome(SOURCES.randomness, answer);
    return answer;
  };
  let questions = 0;
  const app = (): Promise<unknown> => {
    const number = ++questions;
    // Sooner or later, as everything outside.
    const answer = {
      then: (answered: (value: unknown) => void, failed: (reason: unknown) => void) =>
        void outside.push(() => {
          if (number % 3 === 0) failed(new RuntimeError('TT_CLOSED', 'no answer'));
          else answered(number % 3 === 1 ? [number, Math.random()] : new Map([[number, Math.random()]]));
        }),
    } as unknown as Promise<unknown>;
    return scheduler.questions.ask(() => answer) as unknown as Promise<unknown>;
  };
  const realm = createRealm({
    tape,
    queueMicrotask: later,
    nextTick: later,
    isNativePromise: types.isPromise,
    isProxy: types.isProxy,
  });
  let clock = 0;
  let looks = 0;
  const bound = new Map<string, Class>();
  const classHere = (name: string): Class => {
    let type = bound.get(name);
    if (type === undefined) {
      const base = classes[name] as new (...args: unknown[]) => object;
      type = {
        [name]: class extends base {
          constructor(...args: unknown[]) {
            super({ realm, scheduler, timer, ask, app }, ...args);
          }
        },
      }[name] as Class;
      bound.set(name, type);
    }
    return type;
  };
  const scheduler: Scheduler = new Scheduler(
    realm,
    {
      types,
      soon: later,
      later,
      // Rounds are short and long.
      now: () => (clock += ++looks % 3 === 0 ? 1.2 : 0.02),
      after(_, callback) {
        outside.push(callback);
        return () => {
          const at = outside.indexOf(callback);
          if (at >= 0) outside.splice(at, 1);
        };
      },
      report: (actor, reason) => void reports.push(`${actor}: ${String(reason)}`),
      classes: {
        keyOf: (prototype) => (prototype as { constructor: { name: string } }).constructor.name,
        addressOf: (type) => type.name,
        find(name) {
          if (!loads) return classHere(name);
          const then = (found: (type: Class) => void): void => void outside.push(() => found(classHere(name)));
          return { then } as unknown as Promise<Class>;
        },
      },
      errorClassName: () => undefined,
      errorPrototype: () => undefined,
      awaitedBy: () => ['async somebody (here)'],
      isReferenced: () => false,
      rest: () => false,
      awake() {},
    },
    index,
    { round: 3, batch: 5 },
  );
  return {
    realm,
    scheduler,
    tasks,
    outside,
    reports,
    trace,
    halts,
    following,
    timer,
    ask,
    app,
    classHere,
    isAlive: true,
  };
}

export interface World {
  readonly workers: readonly WorldWorker[];
  readonly rings: Rings;
  /** What a worker has had from another one: a ring for each life of that one which it has known, in the life of its own that is the last. */
  ringsOf(from: number, to: number): readonly Had[];
  /** A worker ends, and another one has its place unless it is not to; each of the others is told when what this answers is called for it. */
  kill(index: number, isReplaced?: boolean): (hearer: number) => void;
  /** A worker does what it has to until it has looked at what has happened. */
  look(index: number): void;
  /** Runs until nobody has anything to do; `choose` says who of those that have is next. */
  run(choose: (count: number) => number): void;
}

export function createWorld(
  count: number,
  classes: Readonly<Record<string, WorldClass>>,
  options: WorldOptions = {},
): World {
  const { size } = options;
  const workers = Array.from({ length: count }, (_, index) => createWorker(index, classes, options));
  const lives = workers.map(() => 0);
  const whys: string[] = [];
  const rings = new Map<string, Had[]>();
  const had = (from: number, to: number, ring: SharedArrayBuffer): void => {
    const all = rings.get(`${from}${to}`) ?? [];
    all.push({ ring, lives: [lives[from] as number, lives[to] as number] });
    rings.set(`${from}${to}`, all);
  };
  const ringsOf = (from: number, to: number): Had[] =>
    (rings.get(`${from}${to}`) ?? []).filter((each) => each.lives[1] === lives[to]);
  const endOf = (worker: number): Omit<LinkData, 'out' | 'in' | 'port'> => ({
    worker,
    life: lives[worker] as number,
    before: whys[worker],
    bell: createBell(),
  });
  const join = (a: number, b: number): [LinkData, LinkData] => {
    const [there, back] = [createRing(size), createRing(size)];
    had(a, b, there);
    had(b, a, back);
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    port2.unref();
    return [
      { ...endOf(b), out: there, in: back, port: port1 },
      { ...endOf(a), out: back, in: there, port: port2 },
    ];
  };
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const [there, back] = join(a, b);
      connect(workers[a]!.scheduler, there);
      connect(workers[b]!.scheduler, back);
    }
  }
  return {
    workers,
    rings: { ring: (from, to) => rings.get(`${from}${to}`)?.at(-1)?.ring as SharedArrayBuffer },
    ringsOf,
    kill(index, isReplaced = true) {
      const why = whyOf(index);
      whys[index] = why;
      const life = lives[index] as number;
      const back = new Map<number, LinkData>();
      workers[index]!.isAlive = false;
      if (isReplaced) {
        lives[index] = life + 1;
        const successor = (workers[index] = createWorker(index, classes, options));
        successor.scheduler.succeed(life + 1, why);
        workers.forEach((_, other) => {
          if (other === index) return;
          const [there, toIt] = join(index, other);
          connect(successor.scheduler, there);
          if (workers[other]!.isAlive) back.set(other, toIt);
          else
            lose(successor.scheduler, {
              worker: other,
              life: lives[other] as number,
              why: whys[other] as string,
              successor: undefined,
              isRestored: false,
            });
        });
      }
      return (hearer) => {
        const successor = back.get(hearer);
        lose(workers[hearer]!.scheduler, { worker: index, life, why, successor, isRestored: false });
      };
    },
    look(index) {
      const { scheduler, tasks } = workers[index] as WorldWorker;
      while (!scheduler.ingests.isEmpty) tasks.shift()?.();
    },
    run(choose) {
      for (;;) {
        const alive = workers.filter(({ isAlive }) => isAlive);
        for (const { scheduler } of alive) scheduler.look();
        const busy = alive.flatMap((worker) =>
          [worker.tasks, worker.outside].filter((queue) => queue.length > 0).map((queue) => ({ worker, queue })),
        );
        if (busy.length === 0) return;
        const { worker, queue } = busy[choose(busy.length)]!;
        // It may have been chosen to end.
        if (worker.isAlive) queue.shift()!();
      }
    },
  };
}

/** A worker alone, given again what it has taken from outside. */
export function again(
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
  const life = world.ringsOf(others[0] as number, index)[0]?.lives[1] ?? 0;
  if (life > 0) scheduler.succeed(life, whyOf(index));
  const linkTo = (worker: number, { ring, lives: [life] }: Had): LinkData => {
    const out = createRing(ring.byteLength - HEADER);
    rings.set(`${index}${worker}`, out);
    const { port1: port } = new MessageChannel();
    const before = life === 0 ? undefined : whyOf(worker);
    return { worker, life, before, out, in: unread(ring), port, bell: createBell() };
  };
  for (const other of others) connect(scheduler, linkTo(other, world.ringsOf(other, index)[0] as Had));
  // What will have happened, when it had.
  for (const other of others) {
    const all = world.ringsOf(other, index);
    for (let i = 1; i < all.length; i++) {
      const { lives } = all[i - 1] as Had;
      const successor = linkTo(other, all[i] as Had);
      lose(scheduler, { worker: other, life: lives[0], why: whyOf(other), successor, isRestored: false });
    }
  }
  return { worker, rings: { ring: (from, to) => rings.get(`${from}${to}`) as SharedArrayBuffer } };
}

function whyOf(worker: number): string {
  return `worker ${worker} has ended: it was killed`;
}

/** A ring as it was when nothing had been read. */
function unread(ring: SharedArrayBuffer): SharedArrayBuffer {
  const copy = new SharedArrayBuffer(ring.byteLength);
  new Uint8Array(copy).set(new Uint8Array(ring));
  const words = new Int32Array(copy);
  if ((words[TAIL] as number) >= ring.byteLength - HEADER) throw new Error('the ring has come round');
  words[HEAD] = 0;
  return copy;
}

/** Somebody's choice, by a number. */
export function choices(seed: number): (count: number) => number {
  let state = seed;
  return (count) => (state = (state * 1309 + 13849) & 65535) % count;
}

/** What a worker does if nobody else does anything. */
export function runAlone({ tasks, outside }: WorldWorker): void {
  for (let next = tasks.shift() ?? outside.shift(); next !== undefined; next = tasks.shift() ?? outside.shift()) next();
}

/** What has gone through a ring that has not come round. */
export function written(ring: SharedArrayBuffer): string {
  const tail = new Int32Array(ring)[TAIL] as number;
  return Buffer.from(ring, HEADER, tail).toString('hex');
}
