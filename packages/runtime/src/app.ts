// The program on its threads, as the main thread sees it: starts workers when the first actor needs one, connects each with each other, puts
// another in the place of one that has ended, and ends them all when nothing is left to do or the program says so.

import { once } from 'node:events';
import {
  MessageChannel,
  receiveMessageOnPort,
  Worker,
  type MessagePort,
  type ResourceLimits,
} from 'node:worker_threads';
import { hostClock } from '@turntable/core';
import { MOST_WORKERS } from './actor.ts';
import { connect, lose } from './connect.ts';
import type {
  Answers,
  AppStats,
  Before,
  WorkerStats,
  LinkData,
  Loss,
  Question,
  Quiet,
  SnapshotPlace,
  ThreadData,
  ToMain,
  ToWorker,
} from './control.ts';
import { Places, type Placement } from './placement.ts';
import { own } from './own-listener.ts';
import { Replaying, standing, type Replayed } from './replaying.ts';
import { Collector, type Part, type Snapshot, type StoredSnapshot } from './snapshot/collector.ts';
import { keepPace, type Pace } from './snapshot/due.ts';
import { restoreHere } from './snapshot/restore-here.ts';
import type { PartSink } from './snapshot/snapshots.ts';
import { damaged } from './snapshot/restored.ts';
import type { StateRoom } from '@turntable/heap';
import { RuntimeError } from './runtime-error.ts';
import type { Scheduler } from './scheduler.ts';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';
import type { FollowingTape } from './trace/following-tape.ts';
import { createRing } from './transport/ring.ts';
import { createBell } from './transport/wake-up.ts';

export interface AppOptions {
  /** Threads beside the main one. */
  readonly workers: number;
  readonly placement?: Exclude<Placement, (...args: never) => unknown>;
  /** What a worker runs: it calls `serve`. */
  readonly entry: URL;
  readonly resourceLimits?: ResourceLimits;
  /** What the entry of workers is told besides, as `workerData`; to be cloned. */
  readonly workerData?: Readonly<Record<string, unknown>>;
  /** Where this thread's program is written down; without it there are no snapshots. */
  readonly room?: StateRoom;
  /** Where parts of snapshots go, of this thread; without it they are delivered whole. */
  readonly sink?: PartSink;
  /** What a worker that is about to be started is given to make one of. */
  feed?(): { readonly data: unknown; readonly transfer: readonly MessagePort[] } | undefined;
  /** The same, to make a trace of, which begins with that phase. */
  trace?(
    worker: number,
    life: number,
    phase: number,
  ): { readonly data: unknown; readonly transfer: readonly MessagePort[] } | undefined;
  /** This program runs again: what leads workers to their traces, to be cloned, and who is told of what becomes of it. */
  readonly replay?: unknown;
  readonly replayed?: Replayed;
  /** There will be no snapshot of that phase; parts of it may have gone to sinks. */
  abandoned?(phase: number): void;
  /** All is done; the threads end when it has answered. */
  ending?(): Promise<void>;
  /** How often the process has gone on in place. */
  readonly epoch?: number;
  /** A worker has ended with actors that everybody goes back with: answers only if that cannot be, and it is to be made do without. */
  rollback?(why: string): Promise<void>;
  /** Where the last snapshot is, for a worker that has the place of one that is in it; or why there is none. */
  lastSnapshot?(): SnapshotPlace | string;
  /** A worker has ended without being told to, and another one has its place, or none has. */
  onLost?(worker: number, why: string, isReplaced: boolean): void;
}

interface Thread {
  readonly index: number;
  readonly life: number;
  readonly bell: SharedArrayBuffer;
  readonly worker: Worker;
  readonly port: MessagePort;
  isLost: boolean;
  /** Why it is about to end, if it has said so. */
  failure: string | undefined;
  /** Why it could not be what it was in a snapshot, if it has said so. */
  notRestored: string | undefined;
}

/** One end of a link. */
type End = Pick<LinkData, 'worker' | 'life' | 'before' | 'bell'>;

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout, setImmediate: nativeSetImmediate } = globalThis;
/** Milliseconds that a worker has to end by itself. */
const PATIENCE = 2000;
/** A worker that has been lost more often than so many times, within so many milliseconds, is not replaced any more. */
const MOST_LOSSES = 3;
const LOSSES_WITHIN = 10_000;

export class App {
  readonly places: Places;
  readonly #scheduler: Scheduler;
  readonly #host: ThreadHost;
  readonly #options: AppOptions;
  /** By their numbers; of one that was replaced, the last. */
  readonly #threads = new Map<number, Thread>();
  readonly #bell = createBell();
  /** How many have ended; shared with all. */
  readonly #losses = new SharedArrayBuffer(4);
  /** Of each worker, how many actors it has with which everybody goes back; shared with all. */
  readonly #rollbacks = new SharedArrayBuffer(4 * MOST_WORKERS);
  /** When the workers of a number have ended lately. */
  readonly #lossesOf: number[][] = [];
  /** Why the last one of a number has ended. */
  readonly #why: string[] = [];
  /** Those that have, or have had, actors that are to be what they were in a snapshot. */
  readonly #toBeRestored = new Set<number>();
  /** In which life each is started, where the program goes on. */
  readonly #lives: number[] = [];
  readonly #questions = new Map<number, (worker: number, answer: unknown) => void>();
  #asked = 0;
  /** What was sent and taken in all when nothing was left to do the last time. */
  #before: Quiet | undefined;
  #phase = 0;
  readonly #snapshots = new Collector({
    begin: () => this.advance(),
    agreed: () => this.#agreed,
    abandoned: (phase) => this.#options.abandoned?.(phase),
  });
  /** The parts of workers that are about to be started. */
  #restoring: ReadonlyMap<number, Uint8Array> | undefined;
  readonly #restored = new Map<
    number,
    (failure: { readonly code: string; readonly message: string } | undefined) => void
  >();
  #whenDue: { readonly pace: Pace; readonly callback: () => void } | undefined;
  /** Answers when all know the same of who has ended. */
  #agreed: Promise<void> | undefined;
  #isStarted = false;
  #isClosing = false;
  /** The program has said that it spawns no more actors. */
  #isFull = false;
  /** If the program runs again. */
  readonly #replaying: Replaying | undefined;
  /** Nothing is to happen any more. */
  #isStill = false;

  constructor(scheduler: Scheduler, host: ThreadHost, options: AppOptions) {
    const { workers, placement = 'least-loaded' } = options;
    if (!Number.isInteger(workers) || workers < 0 || workers >= MOST_WORKERS)
      throw new RuntimeError('TT_PLACEMENT', `workers: a number from 0 to ${MOST_WORKERS - 1}, not ${workers}`);
    this.#scheduler = scheduler;
    this.#host = host;
    this.#options = options;
    this.places = new Places(0, workers, placement);
    scheduler.neighbours.onLost = (worker, isReplaced) => this.places.lost(worker, isReplaced);
    if (options.room !== undefined)
      scheduler.keepSnapshots({
        room: options.room,
        sink: options.sink,
        cut: (phase) => this.#snapshots.cut(phase, [0, ...this.#alive().map(({ index }) => index)]),
        deliver: (delivery) => this.#part({ ...delivery, worker: 0, life: 0 }),
        failed: (phase, reason) => this.#snapshots.failed(0, phase, reason),
      });
    process.on(
      'beforeExit',
      own(() => this.#nothingLeft()),
    );
    const { following } = scheduler.ingests;
    if (following === undefined || options.replayed === undefined) return;
    this.#replaying = new Replaying(options.replayed, {
      taken: () => following.progress.events,
      isStanding: () => scheduler.isStanding,
      rest: () => host.rests?.(),
      ask: async () => void (await this.#ask('standing')),
      next: (worker) => void this.#threads.get(worker)?.worker.terminate(),
    });
    this.#replaying.started(0, 0);
    following.onHalt((halt) => this.#replaying?.stopped({ ...halt, worker: 0, life: 0 }));
    // When nothing is left to do here, Node says so only if it does not wait for workers.
    host.rests = () => {
      this.#keep(false);
      nativeSetImmediate(() => {});
    };
  }

  /** Where an actor is to live; starts the workers if it is one of them. */
  place(placement: Placement | undefined): number {
    if (this.#isClosing || this.#isFull)
      throw new RuntimeError('TT_CLOSED', 'the app is closing; it spawns no more actors');
    const worker = this.places.choose(placement);
    if (worker !== 0) this.#start();
    return worker;
  }

  // ── Threads ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { workers } = this.places;
    const bells = Array.from({ length: workers + 1 }, (_, index) => (index === 0 ? this.#bell : createBell()));
    const links: LinkData[][] = bells.map(() => []);
    for (let a = 0; a <= workers; a++) {
      for (let b = a + 1; b <= workers; b++) {
        const [there, back] = pair(
          this.#endOf(a, bells[a] as SharedArrayBuffer, this.#lives[a]),
          this.#endOf(b, bells[b] as SharedArrayBuffer, this.#lives[b]),
        );
        (links[a] as LinkData[]).push(there);
        (links[b] as LinkData[]).push(back);
      }
    }
    this.#host.sleepBy(this.#bell);
    for (const link of links[0] as LinkData[]) connect(this.#scheduler, link);
    for (let index = 1; index <= workers; index++)
      this.#startThread(
        this.#endOf(index, bells[index] as SharedArrayBuffer, this.#lives[index]),
        links[index] as LinkData[],
        [],
        this.#beforeOf(index),
      );
  }

  /** Of one that is started in a later life than the first. */
  #beforeOf(index: number): Before | undefined {
    const why = this.#why[index];
    return why === undefined ? undefined : { why, snapshot: undefined, whyForgotten: '' };
  }

  /** The same, for the one that takes the place of a worker that has just ended. */
  #goneOn({ index, notRestored }: Thread, why: string): Before {
    // In a run again the worker itself knows what it was.
    const wanted = this.#toBeRestored.has(index) || this.#replaying !== undefined;
    const last = notRestored ?? (wanted ? this.#options.lastSnapshot?.() : undefined) ?? 'no snapshot was asked for';
    return typeof last === 'string'
      ? { why, snapshot: undefined, whyForgotten: last }
      : { why, snapshot: last, whyForgotten: '' };
  }

  /** A worker as others are told of it. */
  #endOf(worker: number, bell: SharedArrayBuffer, life = 0): End {
    return { worker, life, before: this.#why[worker], bell };
  }

  #startThread(
    { worker: index, life, bell }: Omit<End, 'before'>,
    links: readonly LinkData[],
    lost: readonly Loss[],
    before: Before | undefined,
  ): void {
    const { entry, placement = 'least-loaded', resourceLimits, workerData = {} } = this.#options;
    const { workers } = this.places;
    const { port1, port2 } = new MessageChannel();
    const feed = this.#options.feed?.();
    const trace = this.#options.trace?.(index, life, this.#scheduler.phase);
    this.#replaying?.started(index, life);
    const data: ThreadData = {
      index,
      life,
      before,
      workers,
      placement,
      links,
      bell,
      phase: this.#scheduler.phase,
      control: port2,
      losses: this.#losses,
      heardOf: Atomics.load(new Int32Array(this.#losses), 0),
      lost,
      rollbacks: this.#rollbacks,
      isSnapshotted: this.#options.room !== undefined,
      feed: feed?.data,
      restored: this.#restoring?.get(index),
      pace: this.#whenDue?.pace,
      trace: trace?.data,
      replay: this.#options.replay,
    };
    const worker = new Worker(entry, {
      name: `turntable worker ${index}`,
      workerData: { ...workerData, turntable: data },
      transferList: [port2, ...links.map(({ port }) => port), ...(feed?.transfer ?? []), ...(trace?.transfer ?? [])],
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    const thread: Thread = {
      index,
      life,
      bell,
      worker,
      port: port1,
      isLost: false,
      failure: undefined,
      notRestored: undefined,
    };
    this.#threads.set(index, thread);
    worker.unref();
    worker.on('error', (error: unknown) => (thread.failure = whyOf(error)));
    worker.on('exit', (code) => this.#ended(thread, code));
    port1.on('message', (message: ToMain) => this.#hear(thread, message));
    port1.unref();
  }

  #ended(thread: Thread, code: number): void {
    const { index } = thread;
    thread.isLost = true;
    // What it has said last.
    for (let last = receiveMessageOnPort(thread.port); last !== undefined; last = receiveMessageOnPort(thread.port))
      this.#hear(thread, last.message as ToMain);
    thread.port.close();
    for (const answer of this.#questions.values()) answer(index, undefined);
    this.#snapshots.lost(index);
    if (this.#isClosing || this.#isStill) return;
    if (this.#replaying !== undefined) return this.#endedAgain(thread, this.#replaying);
    const why = `worker ${index} has ended: ${thread.failure ?? `process.exit(${code})`}`;
    this.#why[index] = why;
    // Once it is restored, nobody hears of that.
    this.#restored.get(index)?.({ code: 'TT_ACTOR_LOST', message: why });
    const rollbacks = Atomics.exchange(new Int32Array(this.#rollbacks), index, 0);
    const goesBack = rollbacks > 0 ? this.#options.rollback?.(why) : undefined;
    if (goesBack === undefined) this.#goOnWithout(thread, why);
    else void goesBack.then(() => this.#goOnWithout(thread, why));
  }

  /** In a run again: another one takes its place if one did. */
  #endedAgain(thread: Thread, replaying: Replaying): void {
    const { index: worker, life, failure } = thread;
    const isFollowed = replaying.isFollowed(worker, life);
    // It has not said so itself: it was out of memory, say.
    replaying.stopped({
      worker,
      life,
      why: isFollowed ? 'cut off' : 'failed',
      events: 0,
      messages: 0,
      turns: 0,
      failure,
    });
    if (isFollowed) this.#replace(thread, `worker ${worker} has ended`);
  }

  #goOnWithout(thread: Thread, why: string): void {
    const { index } = thread;
    const isReplaced = thread.notRestored !== undefined || !this.#isLostTooOften(index);
    if (isReplaced) this.#replace(thread, why);
    else {
      const loss = { worker: index, life: thread.life, why, successor: undefined, isRestored: false };
      this.#tell({ what: 'lost', ...loss });
      Atomics.add(new Int32Array(this.#losses), 0, 1);
      lose(this.#scheduler, loss);
    }
    const agreed = this.#agree().then(() => {
      if (this.#agreed === agreed) this.#agreed = undefined;
    });
    this.#agreed = agreed;
    this.#options.onLost?.(index, why, isReplaced);
  }

  async #agree(): Promise<void> {
    await this.#ask('heard');
    while (!this.#scheduler.ingests.isEmpty) await new Promise<void>((resolve) => nativeSetImmediate(resolve));
  }

  #isLostTooOften(index: number): boolean {
    const now = hostClock.now();
    const lately = (this.#lossesOf[index] ?? []).filter((moment) => now - moment < LOSSES_WITHIN);
    lately.push(now);
    this.#lossesOf[index] = lately;
    return lately.length > MOST_LOSSES;
  }

  /** Everybody is told before anybody can know of what lives on the new one. */
  #replace(thread: Thread, why: string): void {
    const { index, life } = thread;
    const before = this.#goneOn(thread, why);
    const end = this.#endOf(index, createBell(), life + 1);
    const links: LinkData[] = [];
    const lost: Loss[] = [];
    const loss = { worker: index, life, why, isRestored: before.snapshot !== undefined };
    const connected = (other: End): LinkData => {
      const [there, back] = pair(end, other);
      links.push(there);
      return back;
    };
    for (const other of this.#threads.values()) {
      if (other.index === index) continue;
      const successor = connected(this.#endOf(other.index, other.bell, other.life));
      if (other.isLost)
        lost.push({
          worker: other.index,
          life: other.life,
          why: this.#why[other.index] as string,
          successor: undefined,
          isRestored: false,
        });
      else other.port.postMessage({ what: 'lost', ...loss, successor } satisfies ToWorker, [successor.port]);
    }
    Atomics.add(new Int32Array(this.#losses), 0, 1);
    const back = connected(this.#endOf(0, this.#bell));
    this.#startThread(end, links, lost, before);
    lose(this.#scheduler, { ...loss, successor: back });
  }

  #tell(message: ToWorker): void {
    for (const { port } of this.#alive()) port.postMessage(message);
  }

  #hear(thread: Thread, message: ToMain): void {
    const { index } = thread;
    switch (message.what) {
      case 'answer':
        return this.#questions.get(message.question)?.(index, message.answer);
      case 'due':
        return this.#whenDue?.callback();
      case 'stands':
        return this.#replaying?.stands(message);
      case 'stopped':
        // It answers nothing any more.
        for (const answer of this.#questions.values()) answer(index, undefined);
        return this.#replaying?.stopped(message);
      case 'part':
        return this.#part(message.part);
      case 'no part':
        return this.#snapshots.failed(index, message.phase, message.reason);
      case 'to be restored':
        return void this.#toBeRestored.add(index);
      case 'not restored':
        thread.notRestored = message.why;
        thread.failure = `it could not be restored: ${message.why}`;
        return;
      case 'restored':
        return this.#restored.get(index)?.(message.failure);
    }
  }

  /** Asks every worker and waits for all answers; of one that ends meanwhile there is none. Until then the process does not end. */
  async #ask<W extends Question>(what: W): Promise<Answers[W][]> {
    const question = ++this.#asked;
    const missing = new Set(
      this.#alive().flatMap(({ index }) => (this.#replaying?.isOver(index) === true ? [] : index)),
    );
    const answers: Answers[W][] = [];
    if (missing.size === 0) return answers;
    // The worker too: if it ends instead of answering, its port is the first to close.
    this.#keep(true);
    this.#tell({ what, question });
    await new Promise<void>((resolve) => {
      this.#questions.set(question, (worker, answer) => {
        if (answer !== undefined) answers.push(answer as Answers[W]);
        if (missing.delete(worker) && missing.size === 0) resolve();
      });
    });
    this.#questions.delete(question);
    if (this.#questions.size === 0 && this.#replaying === undefined) this.#keep(false);
    return answers;
  }

  /** Whether the process goes on as long as the workers do. */
  #keep(isKept: boolean): void {
    for (const each of this.#alive().flatMap(({ port, worker }) => [port, worker])) {
      if (isKept) each.ref();
      else each.unref();
    }
  }

  // ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #alive(): Thread[] {
    return [...this.#threads.values()].filter(({ isLost }) => !isLost);
  }

  /** Node has nothing left to do here. Workers may have; if not, this is the end. */
  #nothingLeft(): void {
    const { following } = this.#scheduler.ingests;
    if (following !== undefined) return this.#judge(following);
    if (!this.#isStarted || this.#isClosing || this.#alive().length === 0) return;
    void this.#isAllDone().then((isAllDone) => (isAllDone ? this.#end() : undefined));
  }

  /** In a run again: nothing is left to do here. What is waited for may come as long as there are workers. */
  #judge(following: FollowingTape): void {
    const event = following.judge();
    this.#keep(true);
    if (event !== undefined) this.#replaying?.stands({ worker: 0, life: 0, ...standing(following, event) });
  }

  /**
   * Each worker answers when it has nothing left to do, and says how much it has sent and taken. If together they have taken all that was sent, and
   * the next time it is as much, nothing is under way and nobody will do anything any more.
   */
  async #isAllDone(): Promise<boolean> {
    const answers = await this.#ask('quiet');
    let { sent, taken } = this.#scheduler.neighbours.traffic;
    for (const each of answers) {
      sent += each.sent;
      taken += each.taken;
    }
    const isQuiet = this.#scheduler.isIdle && sent === taken;
    const isSame = this.#before?.sent === sent && this.#before.taken === taken;
    this.#before = isQuiet ? { sent, taken } : undefined;
    return isQuiet && isSame;
  }

  /** The program spawns no more actors. */
  closing(): void {
    this.#isFull = true;
  }

  /** Ends when nothing is left to do between actors, or after so many milliseconds. Answers whether all was done. */
  async close(deadline = Infinity): Promise<boolean> {
    if (this.#isClosing) return true;
    this.#isClosing = true;
    const limit = new AbortController();
    const timer = deadline === Infinity ? undefined : nativeSetTimeout(() => limit.abort(), deadline);
    const late = once(limit.signal, 'abort').then(() => false);
    let isAllDone = !this.#isStarted;
    while (!isAllDone && !limit.signal.aborted) {
      isAllDone = await Promise.race([this.#isAllDone(), late]);
      if (!isAllDone) await new Promise<void>((resolve) => nativeSetTimeout(resolve, 1));
    }
    nativeClearTimeout(timer);
    await this.#end();
    this.#scheduler.neighbours.close();
    return isAllDone;
  }

  /** Every thread ends by itself; one that does not is ended. */
  async #end(): Promise<void> {
    this.#isClosing = true;
    // What is still to be done needs them, and the process.
    this.#keep(true);
    await this.#options.ending?.();
    const ends = this.#alive().map(async ({ worker, port }) => {
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.ref();
      port.postMessage({ what: 'end' } satisfies ToWorker);
      const timer = nativeSetTimeout(() => void worker.terminate(), PATIENCE);
      await ended;
      nativeClearTimeout(timer);
    });
    await Promise.all(ends);
  }

  /** Nothing happens between actors any more, for good: answers when what workers have written is on its way, if they still answer. */
  async still(): Promise<void> {
    this.#isStill = true;
    this.#scheduler.hold();
    await this.#ask('still');
  }

  // ── Phases ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A new phase begins, on each thread as soon as it has the time; answers its number. */
  advance(): number {
    this.#phase++;
    this.#scheduler.begin(this.#phase);
    this.#tell({ what: 'phase', phase: this.#phase });
    return this.#phase;
  }

  // ── Snapshots ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #part(part: Part): void {
    if (this.#replaying === undefined) this.#snapshots.part(part);
    else this.#replaying.part(part);
  }

  /** Calls back when a thread has done so much since its last snapshot. */
  whenDue(pace: Pace, callback: () => void): void {
    this.#whenDue = { pace, callback };
    keepPace(this.#scheduler, this.#host, pace, callback);
  }

  /** One of the whole program, when it is whole. */
  snapshot(): Promise<Snapshot> {
    if (this.#options.room === undefined)
      throw new RuntimeError(
        'TT_NO_SNAPSHOT',
        'this program is not recorded, so nothing is known of what it has changed; start it with --recordings DIR',
      );
    return this.#snapshots.take();
  }

  /**
   * Goes on from a snapshot, which whoever has asked for one is told of as `taken`, in a process in which no program has been loaded: answers when all workers are as they were; nothing has run until the
   * answer is called, which answers at the end of the entry point.
   */
  async restore({ phase, parts }: StoredSnapshot, taken: unknown): Promise<() => Promise<void>> {
    const { room } = this.#options;
    const main = parts.find(({ worker }) => worker === 0);
    if (room === undefined || main === undefined) throw damaged('it has no part of the main thread');
    this.#phase = phase;
    this.#scheduler.hold();
    this.#scheduler.bornIn(phase);
    for (const { worker, life } of parts) {
      this.#lives[worker] = life;
      if (life > 0) this.#why[worker] = `worker ${worker} has ended`;
    }
    this.#restoring = new Map(parts.map(({ worker, bytes }) => [worker, bytes]));
    const others = [...this.#restoring.keys()].filter((worker) => worker > 0);
    const all = others.map(
      (worker) =>
        new Promise<void>((resolve, reject) =>
          this.#restored.set(worker, (failure) => {
            if (failure === undefined) resolve();
            else reject(new RuntimeError(failure.code as never, `worker ${worker}: ${failure.message}`));
          }),
        ),
    );
    if (others.length > 0) this.#start();
    this.#restoring = undefined;
    this.#keep(true);
    const [goOn] = await Promise.all([restoreHere(this.#scheduler, room, main.bytes), ...all]);
    return () => {
      this.#keep(false);
      this.#tell({ what: 'go on' });
      this.#scheduler.questions.answerAll(taken);
      return goOn();
    };
  }

  // ── What it is doing ─────────────────────────────────────────────────────────────────────────────────────────────────

  async stats(withActors: boolean): Promise<AppStats> {
    const workers: WorkerStats[] = await this.#ask(withActors ? 'stats of actors' : 'stats');
    workers.push(threadStats(this.#scheduler, this.#host, withActors));
    return { epoch: this.#options.epoch ?? 0, workers: workers.toSorted((a, b) => a.worker - b.worker) };
  }
}

/** What leads from one to the other, and back. */
function pair(one: End, other: End): [LinkData, LinkData] {
  const { port1, port2 } = new MessageChannel();
  const [there, back] = [createRing(), createRing()];
  return [
    { ...other, out: there, in: back, port: port1 },
    { ...one, out: back, in: there, port: port2 },
  ];
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it was out of memory' : error.message;
}
