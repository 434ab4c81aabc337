// Several workers on one thread, which of them runs next being somebody's choice: every interleaving of threads can be had, and again.
import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { createRealm, type Realm } from '@turntable/core';
import { connect, lose } from '../src/connect.ts';
import type { LinkData } from '../src/control.ts';
import type { Class } from '../src/host.ts';
import type { Ingest } from '../src/ingests.ts';
import { Scheduler } from '../src/scheduler.ts';
import { createRing, HEAD, HEADER, TAIL } from '../src/transport/ring.ts';
import { createBell } from '../src/transport/wake-up.ts';

/** Classes whose instances are told the realm they live in. */
export type WorldClass = new (here: Here, ...args: never[]) => object;

/** What an actor's class has of the worker it lives on. */
export interface Here {
  readonly realm: Realm;
  readonly scheduler: Scheduler;
}

export interface WorldWorker extends Here {
  /** What it would do next; none if it waits. */
  readonly tasks: (() => void)[];
  /** What the outside will do sooner or later: deadlines pass, classes are loaded. */
  readonly outside: (() => void)[];
  isAlive: boolean;
  readonly reports: string[];
  readonly ingests: Ingest[];
  /** The class of that name, its instances living on this worker. */
  classHere(name: string): Class;
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
): WorldWorker {
  const tasks: (() => void)[] = [];
  const outside: (() => void)[] = [];
  const reports: string[] = [];
  const ingests: Ingest[] = [];
  const later = (callback: () => void): void => void tasks.push(callback);
  const realm = createRealm({
    queueMicrotask: later,
    nextTick: later,
    isNativePromise: types.isPromise,
    isProxy: types.isProxy,
  });
  let clock = 0;
  const bound = new Map<string, Class>();
  const classHere = (name: string): Class => {
    let type = bound.get(name);
    if (type === undefined) {
      const base = classes[name] as new (...args: unknown[]) => object;
      type = {
        [name]: class extends base {
          constructor(...args: unknown[]) {
            super({ realm, scheduler }, ...args);
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
      now: () => (clock += 1),
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
          const { eventuals } = realm.parts;
          const found = eventuals.create();
          outside.push(() => eventuals.resolve(found, classHere(name)));
          return found as unknown as Promise<Class>;
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
  scheduler.ingests.observe({ ingest: (ingest) => void ingests.push(ingest) });
  return { realm, scheduler, tasks, outside, reports, ingests, classHere, isAlive: true };
}

export interface World {
  readonly workers: readonly WorldWorker[];
  readonly rings: Rings;
  /** A worker ends, and another one has its place unless it is not to; each of the others learns it when what this answers is called for it. */
  kill(index: number, isReplaced?: boolean): (hearer: number) => void;
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
  const rings = new Map<string, SharedArrayBuffer>();
  const endOf = (worker: number): Omit<LinkData, 'out' | 'in' | 'port'> => ({
    worker,
    life: lives[worker] as number,
    before: whys[worker],
    bell: createBell(),
  });
  const join = (a: number, b: number): [LinkData, LinkData] => {
    const [there, back] = [createRing(size), createRing(size)];
    rings.set(`${a}${b}`, there);
    rings.set(`${b}${a}`, back);
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
    rings: { ring: (from, to) => rings.get(`${from}${to}`) as SharedArrayBuffer },
    kill(index, isReplaced = true) {
      const why = `worker ${index} has ended: it was killed`;
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
            });
        });
      }
      return (hearer) => {
        const { scheduler, tasks } = workers[hearer] as WorldWorker;
        lose(scheduler, { worker: index, life, why, successor: back.get(hearer) });
        while (!scheduler.ingests.isEmpty) tasks.shift()?.();
      };
    },
    run(choose) {
      for (;;) {
        const alive = workers.filter(({ isAlive }) => isAlive);
        for (const { scheduler } of alive) scheduler.look();
        const busy = alive.flatMap(({ tasks, outside }) => [tasks, outside]).filter((queue) => queue.length > 0);
        if (busy.length === 0) return;
        busy[choose(busy.length)]!.shift()!();
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
  const worker = createWorker(index, classes, options);
  world.workers.forEach((_, other) => {
    if (other === index) return;
    const bytes = world.rings.ring(other, index);
    const copy = new SharedArrayBuffer(bytes.byteLength);
    new Uint8Array(copy).set(new Uint8Array(bytes));
    const { port1 } = new MessageChannel();
    port1.unref();
    // As it was when nothing had been read.
    const words = new Int32Array(copy);
    if ((words[TAIL] as number) >= bytes.byteLength - HEADER) throw new Error('the ring has come round');
    words[HEAD] = 0;
    const out = createRing(bytes.byteLength - HEADER);
    rings.set(`${index}${other}`, out);
    connect(worker.scheduler, {
      worker: other,
      life: 0,
      before: undefined,
      out,
      in: copy,
      port: port1,
      bell: createBell(),
    });
  });
  worker.scheduler.ingests.follow(world.workers[index]!.ingests);
  return { worker, rings: { ring: (from, to) => rings.get(`${from}${to}`) as SharedArrayBuffer } };
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
