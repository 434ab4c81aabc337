// Several workers on one thread, with real rings, schedulers and snapshots, where a random source chooses the next
// step. A cluster starts with a program or with the parts of a snapshot, and ends when no worker has anything to do.
import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import type { Context } from '@turntable/core';
import type { Snapshot } from '@turntable/runtime';
import type { ActorCell } from '../../../packages/runtime/src/actors/actor-cell.ts';
import { connect, loseWorker } from '../../../packages/runtime/src/link-connection.ts';
import type { LinkData } from '../../../packages/runtime/src/control-messages.ts';
import type { ActorConstructor } from '../../../packages/runtime/src/scheduler-host.ts';
import { MessageIngest } from '../../../packages/runtime/src/messaging/receive/message-ingest.ts';
import { Scheduler } from '../../../packages/runtime/src/scheduler/scheduler.ts';
import { SnapshotCollector } from '../../../packages/runtime/src/snapshot/snapshot-collector.ts';
import { restoreWorker, reviveWorker } from '../../../packages/runtime/src/snapshot/restore-worker.ts';
import { PIECE } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { createRing } from '../../../packages/runtime/src/transport/ring.ts';
import { createBell } from '../../../packages/runtime/src/transport/bell.ts';
import type { RandomInteger } from './random.ts';
import type { ProgramPorts, ProgramNatives, SimulatedProgram, WaitingTimer } from './simulated-program.ts';

export interface SimulatedWorker {
  readonly program: SimulatedProgram;
  readonly scheduler: Scheduler;
  /** Tasks of the worker, in order. */
  readonly tasks: (() => void)[];
  /**
   * Host events that happen sooner or later: deadlines, timers, loaded classes, control messages of the main thread.
   */
  readonly hostEvents: (() => void)[];
  readonly reports: string[];
  /** Local actors that have a root. */
  readonly actors: Set<ActorCell>;
  /** Number of earlier workers with the same index. */
  readonly epoch: number;
  isAlive: boolean;
}

/** Bytes of a ring; small, so that messages often wait for space. */
const RING_BYTES = 2 ** 12;

export interface CutObserver {
  cut(worker: SimulatedWorker, phase: number): void;
}

export class SimulatedCluster {
  readonly workers: SimulatedWorker[];
  readonly #random: RandomInteger;
  readonly #observer: CutObserver;
  readonly #ports: { close(): void }[] = [];
  #phase = 0;
  readonly #collector: SnapshotCollector;
  /** Reason of the last loss, by worker index. */
  readonly #lossReasons: string[] = [];
  /** Workers that have not learned of a loss yet, or are being restored. */
  #unsettledWorkers: SimulatedWorker[] = [];
  /** Callbacks that wait until all workers agree on the losses. */
  #agreementWaiters: (() => void)[] = [];

  /** @param epochs numbers of earlier workers, by index */
  constructor(
    programs: readonly SimulatedProgram[],
    random: RandomInteger,
    observer: CutObserver,
    epochs: readonly number[] = [],
  ) {
    this.#random = random;
    this.#observer = observer;
    this.#collector = new SnapshotCollector({
      startPhase: () => this.#beginPhase(),
      whenLossesSeen: () => this.#whenAgreed(),
    });
    this.workers = programs.map((program, index) => this.#createWorker(program, index, epochs[index] ?? 0));
    for (const { scheduler, epoch } of this.workers) {
      if (epoch === 0) continue;
      const reason = `worker ${scheduler.index} was lost before`;
      this.#lossReasons[scheduler.index] = reason;
      scheduler.startEpoch(epoch, reason);
    }
  }

  #whenAgreed(): Promise<void> | undefined {
    return this.#areAgreed() ? undefined : new Promise((resolve) => this.#agreementWaiters.push(resolve));
  }

  #areAgreed(): boolean {
    return (
      this.#unsettledWorkers.length === 0 && this.workers.every(({ scheduler }) => !scheduler.workerLinks.hasRevivable)
    );
  }

  #createWorker(program: SimulatedProgram, index: number, epoch: number): SimulatedWorker {
    const tasks: (() => void)[] = [];
    const hostEvents: (() => void)[] = [];
    const reports: string[] = [];
    const actors = new Set<ActorCell>();
    const report = (owner: string, reason: unknown): void => void reports.push(`${owner}: ${String(reason)}`);
    const later = (callback: () => void): void => void tasks.push(callback);
    let onEnter: ((home: never) => void) | undefined;
    let clock = 0;
    const { realm } = program;
    const loadsAsync = this.#random(2) === 0;
    const scheduler: Scheduler = new Scheduler(
      realm,
      {
        types,
        queueMicrotask: later,
        setImmediate: later,
        // Rounds are short or long, and little or much is written between two of them.
        now: () => (clock += this.#random(3) === 0 ? 1.2 : 0.02),
        setTimer(_, callback) {
          hostEvents.push(callback);
          return () => {
            const at = hostEvents.indexOf(callback);
            if (at >= 0) hostEvents.splice(at, 1);
          };
        },
        report,
        classes: {
          keyOf: (prototype) => (prototype as { constructor: { name: string } }).constructor.name,
          addressOf: (type) => type.name,
          find(name) {
            const type = program.exports[name] as ActorConstructor;
            if (!loadsAsync) return type;
            const { eventuals } = realm.parts;
            const found = eventuals.create();
            hostEvents.push(() => eventuals.resolve(found, type));
            return found as unknown as Promise<ActorConstructor>;
          },
        },
        errorClassName: () => undefined,
        errorPrototype: () => undefined,
        awaitingFrames: () => [],
        isPassedByReference: () => false,
        waitForWork: () => false,
        markAwake() {},
        hostCallbacks: {
          isEnabled: false,
          onEnabled() {},
          contextOf: () => (fn, target, kind, value) => fn(target, kind, value),
          watchEntries: (observer) => void (onEnter = observer as never),
          setIdle() {},
          clearTimersOf() {},
          enter() {},
        },
      },
      index,
      { turnsPerRound: 3, messagesPerBatch: 5 },
    );
    const addTimer = (timer: WaitingTimer): void => {
      program.timers.push(timer);
      hostEvents.push(() => {
        program.timers.splice(program.timers.indexOf(timer), 1);
        const { context } = realm.current;
        onEnter?.(timer.context.home as never);
        realm.current.context = timer.context;
        try {
          timer.callback();
        } finally {
          realm.current.context = context;
        }
      });
    };
    const natives: ProgramNatives = {
      far: (object) => scheduler.actorApi.far(object),
      near: (ref) => scheduler.actorApi.near(ref),
      spawn: (type: ActorConstructor, args: unknown[], place?: number, settings?: object) =>
        scheduler.actorApi.spawn(type, args, place, settings),
      tell: (target) => scheduler.actorApi.tell(target),
      send: (target) => scheduler.actorApi.send(target),
      sendWith: (options, target) => scheduler.actorApi.sendWith(options, target),
      stop: (ref) => scheduler.actorApi.stop(ref),
      release: (ref) => scheduler.actorApi.release(ref),
      whenBroken: (ref) => scheduler.actorApi.whenBroken(ref),
      nextTick: (callback: () => void) => realm.nextTick(callback),
      setTimeout: (callback: () => void) => addTimer({ callback, context: realm.current.context as Context }),
      hello: () => void actors.add(realm.current.context.home as ActorCell),
    };
    // Rare enough that snapshots are not always given up.
    const hasChanged = (): boolean => this.#random(64) === 0;
    program.enter({ later, natives, addTimer, report, hasChanged } satisfies ProgramPorts);
    const worker: SimulatedWorker = { program, scheduler, tasks, hostEvents, reports, actors, epoch, isAlive: true };
    scheduler.observe({ cut: (phase) => this.#observer.cut(worker, phase) });
    const chunks = new Map<number, Uint8Array[]>();
    const random = this.#random;
    scheduler.startSnapshots({
      capturer: program,
      sink: {
        add: (phase, bytes) => void chunks.set(phase, [...(chunks.get(phase) ?? []), bytes]),
        // The disk sometimes falls behind.
        get pending() {
          return random(8) === 0 ? Infinity : 0;
        },
      },
      onCut: (phase) => {
        if (index === 0)
          this.#collector.mainThreadCut(
            phase,
            this.workers.map((_, worker) => worker),
          );
      },
      deliver: (delivery) => {
        if (!worker.isAlive) return;
        const bytes = Buffer.concat(chunks.get(delivery.phase) ?? []);
        this.#collector.addPart({ ...delivery, bytes, worker: index, epoch });
      },
      onFailed: (phase, reason, again) =>
        void (worker.isAlive && this.#collector.partFailed(index, phase, reason, again)),
    });
    return worker;
  }

  /** Begins a phase. Workers learn of it sooner or later, the main thread between two rounds. */
  #beginPhase(): number {
    const phase = ++this.#phase;
    this.workers.forEach(({ scheduler, hostEvents }, index) => {
      if (index === 0) scheduler.startPhase(phase);
      else hostEvents.push(() => scheduler.startPhase(phase));
    });
    return phase;
  }

  #connectAll(): void {
    for (const [a, one] of this.workers.entries()) {
      for (const [b, other] of this.workers.entries()) {
        if (b <= a) continue;
        const [ownLink, peerLink] = this.#createLinks(one, other);
        connect(one.scheduler, ownLink);
        connect(other.scheduler, peerLink);
      }
    }
  }

  /** Links in both directions. */
  #createLinks(one: SimulatedWorker, other: SimulatedWorker): [LinkData, LinkData] {
    const [out, back] = [createRing(RING_BYTES), createRing(RING_BYTES)];
    const { port1, port2 } = new MessageChannel();
    this.#ports.push(port1, port2);
    const end = ({
      scheduler: { index },
      epoch,
    }: SimulatedWorker): Pick<LinkData, 'worker' | 'epoch' | 'lossReason' | 'bell'> => ({
      worker: index,
      epoch,
      lossReason: this.#lossReasons[index],
      bell: createBell(),
    });
    return [
      { ...end(other), out, in: back, port: port1 },
      { ...end(one), out: back, in: out, port: port2 },
    ];
  }

  /**
   * Replaces a worker with a successor that starts from a snapshot, if there is one. The other workers learn of the loss
   * sooner or later, and the successor starts sooner or later. `inspect` sees it before it does anything.
   */
  replaceWorker(
    index: number,
    program: SimulatedProgram,
    snapshot: Snapshot | undefined,
    inspect: (worker: SimulatedWorker) => void,
  ): void {
    const lost = this.workers[index] as SimulatedWorker;
    lost.isAlive = false;
    lost.tasks.length = lost.hostEvents.length = 0;
    const reason = `worker ${index} was lost in epoch ${lost.epoch}`;
    this.#lossReasons[index] = reason;
    this.#collector.workerLost(index);
    this.#unsettledWorkers = this.#unsettledWorkers.filter((each) => each !== lost);
    const worker = this.#createWorker(program, index, lost.epoch + 1);
    this.workers[index] = worker;
    const { scheduler, hostEvents } = worker;
    scheduler.startEpoch(worker.epoch, reason);
    scheduler.pause();
    const bytes = snapshot?.parts.find(({ worker }) => worker === index)?.bytes;
    for (const other of this.workers) {
      if (other === worker) continue;
      const [ownLink, successor] = this.#createLinks(worker, other);
      connect(scheduler, ownLink);
      const loss = { worker: index, epoch: lost.epoch, reason, successor, isRestored: true };
      this.#unsettledWorkers.push(other);
      other.hostEvents.push(() => {
        loseWorker(other.scheduler, loss);
        this.#settleWhenEmpty(other);
      });
    }
    scheduler.startInPhase((this.workers[0] as SimulatedWorker).scheduler.phase);
    this.#unsettledWorkers.push(worker);
    hostEvents.push(() => {
      if (bytes === undefined) {
        program.load();
        scheduler.workerLinks.endClaims();
        scheduler.resume();
        return this.#markSettled(worker);
      }
      // Everything it does is done in jobs of Node.
      void reviveWorker(scheduler, program, bytes).then(() => {
        inspect(worker);
        this.#markSettled(worker);
      });
    });
  }

  #markSettled(worker: SimulatedWorker): void {
    const at = this.#unsettledWorkers.indexOf(worker);
    if (at >= 0) this.#unsettledWorkers.splice(at, 1);
  }

  /** Marks a worker settled once it has taken all messages. */
  #settleWhenEmpty(worker: SimulatedWorker): void {
    if (worker.scheduler.ingests.isEmpty) this.#markSettled(worker);
    else worker.hostEvents.push(() => this.#settleWhenEmpty(worker));
  }

  /** Starts the program. */
  load(plan: unknown): void {
    this.#connectAll();
    for (const { program } of this.workers) program.load();
    const { program } = this.workers[0] as SimulatedWorker;
    (program.exports['main'] as (plan: unknown) => void)(plan);
  }

  /**
   * Restores all workers and returns a function that resumes them. `inspect` sees each worker in its state at the cut,
   * before messages in flight are delivered.
   */
  async restore({ phase, parts }: Snapshot, inspect: (worker: SimulatedWorker) => void): Promise<() => void> {
    this.#phase = phase;
    for (const { scheduler } of this.workers) scheduler.pause();
    this.#connectAll();
    const resumers: (() => Promise<void>)[] = [];
    for (const [index, worker] of this.workers.entries()) {
      const { program, scheduler, actors } = worker;
      const { messageIngest } = scheduler.workerLinks;
      let isInspected = false;
      const inspectOnce = (): void => {
        if (isInspected) return;
        isInspected = true;
        for (const { piece, actor, root } of program.roots as { piece: number; actor: ActorCell; root: unknown }[])
          if (piece === PIECE.actor && root !== undefined) actors.add(actor);
        inspect(worker);
      };
      messageIngest.takeInFlight = (message) => {
        inspectOnce();
        Reflect.apply(MessageIngest.prototype.takeInFlight, messageIngest, [message]);
      };
      scheduler.startInPhase(phase);
      const part = parts.find(({ worker }) => worker === index);
      if (part === undefined) throw new Error(`worker ${index} has no part`);
      resumers.push(await restoreWorker(scheduler, program, part.bytes as Uint8Array));
      inspectOnce();
    }
    return () => {
      for (const resume of resumers) void resume();
    };
  }

  takeSnapshot(): Promise<Snapshot> {
    return this.#collector.take();
  }

  /**
   * Runs until no worker has anything to do and returns the number of steps. `beforeStep` is called before each. Everything
   * happens in one job of Node, because garbage collections in between would make runs irreproducible.
   */
  run(beforeStep: () => void, maxSteps = 200_000): number {
    for (let steps = 0; ; steps++) {
      if (steps > maxSteps) throw new Error(`the cluster is not idle after ${maxSteps} steps`);
      if (!this.step(beforeStep)) return steps;
    }
  }

  /** Runs one step of a random worker. Returns false if there is nothing to do. */
  step(beforeStep: () => void): boolean {
    for (const { scheduler } of this.workers) scheduler.wakeIfInbound();
    if (this.#agreementWaiters.length > 0 && this.#areAgreed())
      for (const resolve of this.#agreementWaiters.splice(0)) resolve();
    const busy = this.workers.flatMap(({ tasks, hostEvents }) =>
      [tasks, hostEvents].filter(({ length }) => length > 0),
    );
    if (busy.length === 0) return false;
    beforeStep();
    const next = busy[this.#random(busy.length)]?.shift();
    next?.();
    return true;
  }

  close(): void {
    for (const port of this.#ports) port.close();
  }
}
