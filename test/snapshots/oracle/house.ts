// Several workers in rooms of one thread, joined by real rings, with real schedulers and real snapshots; who has the next step is somebody's
// choice. A house begins with a program or with the parts of a snapshot, and is at its end when nobody has anything to do.
import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import type { Context } from '@turntable/core';
import type { Snapshot } from '@turntable/runtime';
import type { Actor } from '../../../packages/runtime/src/actors/actor.ts';
import { connect, lose } from '../../../packages/runtime/src/connect.ts';
import type { LinkData } from '../../../packages/runtime/src/control.ts';
import type { Class } from '../../../packages/runtime/src/host.ts';
import { Taking } from '../../../packages/runtime/src/messaging/receive/taking.ts';
import { Scheduler } from '../../../packages/runtime/src/scheduler/scheduler.ts';
import { Collector } from '../../../packages/runtime/src/snapshot/collector.ts';
import { restoreHere, reviveHere } from '../../../packages/runtime/src/snapshot/restore-here.ts';
import { PIECE } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { createRing } from '../../../packages/runtime/src/transport/ring.ts';
import { createBell } from '../../../packages/runtime/src/transport/wake-up.ts';
import type { Random } from './random.ts';
import type { Guest, Natives, Room, WaitingTimer } from './room.ts';

export interface Seat {
  readonly room: Room;
  readonly scheduler: Scheduler;
  /** What it would do next. */
  readonly tasks: (() => void)[];
  /** What the outside will do sooner or later: deadlines pass, timers fire, classes are loaded, the main thread says something. */
  readonly outside: (() => void)[];
  readonly reports: string[];
  /** Those that live there and have a root. */
  readonly actors: Set<Actor>;
  /** How many have had its place before. */
  readonly life: number;
  isAlive: boolean;
}

/** Bytes of a ring: little, so that much waits for room. */
const RING = 2 ** 12;

export interface Watcher {
  /** A worker has cut. */
  cut(seat: Seat, phase: number): void;
}

export class House {
  readonly seats: Seat[];
  readonly #random: Random;
  readonly #watcher: Watcher;
  readonly #ports: { close(): void }[] = [];
  #phase = 0;
  readonly #collector: Collector;
  /** Why the last one of a place was lost. */
  readonly #why: string[] = [];
  /** Of each loss, those who have not heard of it, or are being restored. */
  #unsettled: Seat[] = [];
  /** Who waits until all know the same of who is lost. */
  #disagreed: (() => void)[] = [];

  /** `lives`: how many have had the place of each before. */
  constructor(rooms: readonly Room[], random: Random, watcher: Watcher, lives: readonly number[] = []) {
    this.#random = random;
    this.#watcher = watcher;
    this.#collector = new Collector({ begin: () => this.#begin(), agreed: () => this.#agreed() });
    this.seats = rooms.map((room, index) => this.#seat(room, index, lives[index] ?? 0));
    for (const { scheduler, life } of this.seats) {
      if (life === 0) continue;
      const why = `worker ${scheduler.index} was lost before`;
      this.#why[scheduler.index] = why;
      scheduler.succeed(life, why);
    }
  }

  #agreed(): Promise<void> | undefined {
    return this.#areAgreed() ? undefined : new Promise((resolve) => this.#disagreed.push(resolve));
  }

  #areAgreed(): boolean {
    return this.#unsettled.length === 0 && this.seats.every(({ scheduler }) => !scheduler.neighbours.areRevivable);
  }

  #seat(room: Room, index: number, life: number): Seat {
    const tasks: (() => void)[] = [];
    const outside: (() => void)[] = [];
    const reports: string[] = [];
    const actors = new Set<Actor>();
    const report = (whose: string, reason: unknown): void => void reports.push(`${whose}: ${String(reason)}`);
    const later = (callback: () => void): void => void tasks.push(callback);
    let entered: ((home: never) => void) | undefined;
    let clock = 0;
    const { realm } = room;
    const loads = this.#random(2) === 0;
    const scheduler: Scheduler = new Scheduler(
      realm,
      {
        types,
        soon: later,
        later,
        // Rounds are short and long, and much or little is written between two of them.
        now: () => (clock += this.#random(3) === 0 ? 1.2 : 0.02),
        after(_, callback) {
          outside.push(callback);
          return () => {
            const at = outside.indexOf(callback);
            if (at >= 0) outside.splice(at, 1);
          };
        },
        report,
        classes: {
          keyOf: (prototype) => (prototype as { constructor: { name: string } }).constructor.name,
          addressOf: (type) => type.name,
          find(name) {
            const type = room.exports[name] as Class;
            if (!loads) return type;
            const { eventuals } = realm.parts;
            const found = eventuals.create();
            outside.push(() => eventuals.resolve(found, type));
            return found as unknown as Promise<Class>;
          },
        },
        errorClassName: () => undefined,
        errorPrototype: () => undefined,
        awaitedBy: () => [],
        isReferenced: () => false,
        rest: () => false,
        awake() {},
        outside: {
          isReached: false,
          whenReached() {},
          contextOf: () => (fn, target, kind, value) => fn(target, kind, value),
          watchEntries: (watcher) => void (entered = watcher as never),
          rest() {},
          enter() {},
        },
      },
      index,
      { round: 3, batch: 5 },
    );
    const wait = (timer: WaitingTimer): void => {
      room.timers.push(timer);
      outside.push(() => {
        room.timers.splice(room.timers.indexOf(timer), 1);
        const { context } = realm.now;
        entered?.(timer.context.home as never);
        realm.now.context = timer.context;
        try {
          timer.callback();
        } finally {
          realm.now.context = context;
        }
      });
    };
    const natives: Natives = {
      far: (object) => scheduler.program.far(object),
      near: (ref) => scheduler.program.near(ref),
      spawn: (type: Class, args: unknown[], place?: number, settings?: object) =>
        scheduler.program.spawn(type, args, place, settings),
      tell: (target) => scheduler.program.tell(target),
      send: (target) => scheduler.program.send(target),
      sendWith: (options, target) => scheduler.program.sendWith(options, target),
      stop: (ref) => scheduler.program.stop(ref),
      release: (ref) => scheduler.program.release(ref),
      whenBroken: (ref) => scheduler.program.whenBroken(ref),
      nextTick: (callback: () => void) => realm.nextTick(callback),
      setTimeout: (callback: () => void) => wait({ callback, context: realm.now.context as Context }),
      hello: () => void actors.add(realm.now.context.home as Actor),
    };
    // So seldom that no snapshot is given up as often as it is begun.
    const changes = (): boolean => this.#random(64) === 0;
    room.enter({ later, natives, wait, report, changes } satisfies Guest);
    const seat: Seat = { room, scheduler, tasks, outside, reports, actors, life, isAlive: true };
    scheduler.watch({ cut: (phase) => this.#watcher.cut(seat, phase) });
    const chunks = new Map<number, Uint8Array[]>();
    const random = this.#random;
    scheduler.keepSnapshots({
      room,
      sink: {
        add: (phase, bytes) => void chunks.set(phase, [...(chunks.get(phase) ?? []), bytes]),
        // The disk keeps up, or does not.
        get pending() {
          return random(8) === 0 ? Infinity : 0;
        },
      },
      cut: (phase) => {
        if (index === 0)
          this.#collector.cut(
            phase,
            this.seats.map((_, worker) => worker),
          );
      },
      deliver: (delivery) => {
        if (!seat.isAlive) return;
        const bytes = Buffer.concat(chunks.get(delivery.phase) ?? []);
        this.#collector.part({ ...delivery, bytes, worker: index, life });
      },
      failed: (phase, reason, again) => void (seat.isAlive && this.#collector.failed(index, phase, reason, again)),
    });
    return seat;
  }

  /** Each worker is told, sooner or later; the main thread between two rounds. */
  #begin(): number {
    const phase = ++this.#phase;
    this.seats.forEach(({ scheduler, outside }, index) => {
      if (index === 0) scheduler.begin(phase);
      else outside.push(() => scheduler.begin(phase));
    });
    return phase;
  }

  #join(): void {
    for (const [a, one] of this.seats.entries()) {
      for (const [b, other] of this.seats.entries()) {
        if (b <= a) continue;
        const [there, back] = this.#pair(one, other);
        connect(one.scheduler, there);
        connect(other.scheduler, back);
      }
    }
  }

  /** What leads from one to the other, and back. */
  #pair(one: Seat, other: Seat): [LinkData, LinkData] {
    const [out, back] = [createRing(RING), createRing(RING)];
    const { port1, port2 } = new MessageChannel();
    this.#ports.push(port1, port2);
    const end = ({ scheduler: { index }, life }: Seat): Pick<LinkData, 'worker' | 'life' | 'before' | 'bell'> => ({
      worker: index,
      life,
      before: this.#why[index],
      bell: createBell(),
    });
    return [
      { ...end(other), out, in: back, port: port1 },
      { ...end(one), out: back, in: out, port: port2 },
    ];
  }

  /**
   * A worker is lost, and another one has its place: what it was in a snapshot, if there is any. The others hear of it sooner or later, and it is
   * there sooner or later. `look` at it before it does anything.
   */
  lose(index: number, room: Room, snapshot: Snapshot | undefined, look: (seat: Seat) => void): void {
    const before = this.seats[index] as Seat;
    before.isAlive = false;
    before.tasks.length = before.outside.length = 0;
    const why = `worker ${index} was lost in its life ${before.life}`;
    this.#why[index] = why;
    this.#collector.lost(index);
    this.#unsettled = this.#unsettled.filter((each) => each !== before);
    const seat = this.#seat(room, index, before.life + 1);
    this.seats[index] = seat;
    const { scheduler, outside } = seat;
    scheduler.succeed(seat.life, why);
    scheduler.hold();
    const bytes = snapshot?.parts.find(({ worker }) => worker === index)?.bytes;
    for (const other of this.seats) {
      if (other === seat) continue;
      const [there, successor] = this.#pair(seat, other);
      connect(scheduler, there);
      const loss = { worker: index, life: before.life, why, successor, isRestored: true };
      this.#unsettled.push(other);
      other.outside.push(() => {
        lose(other.scheduler, loss);
        this.#whenEmpty(other);
      });
    }
    scheduler.bornIn((this.seats[0] as Seat).scheduler.phase);
    this.#unsettled.push(seat);
    outside.push(() => {
      if (bytes === undefined) {
        room.load();
        scheduler.neighbours.claimNoMore();
        scheduler.letGo();
        return this.#settled(seat);
      }
      // It is all of what is done in jobs of Node's.
      void reviveHere(scheduler, room, bytes).then(() => {
        look(seat);
        this.#settled(seat);
      });
    });
  }

  #settled(seat: Seat): void {
    const at = this.#unsettled.indexOf(seat);
    if (at >= 0) this.#unsettled.splice(at, 1);
  }

  /** It has heard what it was told of. */
  #whenEmpty(seat: Seat): void {
    if (seat.scheduler.ingests.isEmpty) this.#settled(seat);
    else seat.outside.push(() => this.#whenEmpty(seat));
  }

  /** The program begins. */
  load(plan: unknown): void {
    this.#join();
    for (const { room } of this.seats) room.load();
    const { room } = this.seats[0] as Seat;
    (room.exports['main'] as (plan: unknown) => void)(plan);
  }

  /**
   * Everything is as it was; answers how to go on. `look` at each worker when it is as it was at the cut, before it takes again what was under
   * way.
   */
  async restore({ phase, parts }: Snapshot, look: (seat: Seat) => void): Promise<() => void> {
    this.#phase = phase;
    for (const { scheduler } of this.seats) scheduler.hold();
    this.#join();
    const goOns: (() => Promise<void>)[] = [];
    for (const [index, seat] of this.seats.entries()) {
      const { room, scheduler, actors } = seat;
      const { taking } = scheduler.neighbours;
      let isLookedAt = false;
      const lookOnce = (): void => {
        if (isLookedAt) return;
        isLookedAt = true;
        for (const { piece, actor, root } of room.roots as { piece: number; actor: Actor; root: unknown }[])
          if (piece === PIECE.actor && root !== undefined) actors.add(actor);
        look(seat);
      };
      taking.takeUnderWay = (message) => {
        lookOnce();
        Reflect.apply(Taking.prototype.takeUnderWay, taking, [message]);
      };
      scheduler.bornIn(phase);
      const part = parts.find(({ worker }) => worker === index);
      if (part === undefined) throw new Error(`worker ${index} has no part`);
      goOns.push(await restoreHere(scheduler, room, part.bytes as Uint8Array));
      lookOnce();
    }
    return () => {
      for (const goOn of goOns) void goOn();
    };
  }

  take(): Promise<Snapshot> {
    return this.#collector.take();
  }

  /**
   * Until nobody has anything to do; answers how many steps that took. `meanwhile` before each. All in one job of Node's: no collector comes
   * between, which could come at another moment the next time.
   */
  run(meanwhile: () => void, most = 200_000): number {
    for (let steps = 0; ; steps++) {
      if (steps > most) throw new Error(`it has not come to an end after ${most} steps`);
      if (!this.step(meanwhile)) return steps;
    }
  }

  /** Somebody has a step; whether anybody had anything to do. */
  step(meanwhile: () => void): boolean {
    for (const { scheduler } of this.seats) scheduler.look();
    if (this.#disagreed.length > 0 && this.#areAgreed()) for (const resolve of this.#disagreed.splice(0)) resolve();
    const busy = this.seats.flatMap(({ tasks, outside }) => [tasks, outside].filter(({ length }) => length > 0));
    if (busy.length === 0) return false;
    meanwhile();
    const next = busy[this.#random(busy.length)]?.shift();
    next?.();
    return true;
  }

  end(): void {
    for (const port of this.#ports) port.close();
  }
}
