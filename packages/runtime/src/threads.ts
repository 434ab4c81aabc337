// The threads of the program beside the main one, as that one has them: starts them, connects each with each, puts another in the place of one
// that has ended, and says which of them are left. What they are asked and what they answer is the app's.

import { MessageChannel, receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';
import { hostClock } from '@turntable/core';
import { MOST_WORKERS } from './actors/actor.ts';
import type { AppOptions } from './app-options.ts';
import { beginThread } from './begun-thread.ts';
import { connect, lose } from './connect.ts';
import type { Before, LinkData, Loss, ThreadData, ToMain, ToWorker } from './control.ts';
import type { Places } from './actors/placement.ts';
import type { Replaying } from './replaying.ts';
import { RuntimeError } from './runtime-error.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import type { StoredSnapshot } from './snapshot/collector.ts';
import type { Pace } from './snapshot/due.ts';
import type { ThreadHost } from './thread-host.ts';
import { createRing } from './transport/ring.ts';
import { createBell } from './transport/wake-up.ts';

export interface Thread {
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

/** Of what a worker says, what is not about its own life. */
export type Said = Exclude<ToMain, { readonly what: 'to be restored' | 'not restored' | 'restored' }>;

export interface ThreadsPorts {
  readonly scheduler: Scheduler;
  readonly host: ThreadHost;
  readonly options: AppOptions;
  readonly places: Places;
  /** When a worker says that a snapshot is due. */
  pace(): Pace | undefined;
  /** If the program runs again. */
  replaying(): Replaying | undefined;
  /** Whether it is no matter who ends. */
  isOver(): boolean;
  hear(worker: number, said: Said): void;
  /** A worker answers nothing any more. */
  gone(worker: number): void;
  /** All are being told that it has ended. */
  lost(worker: number, why: string, isReplaced: boolean): void;
}

type End = Pick<LinkData, 'worker' | 'life' | 'before' | 'bell'>;
type Failure = { readonly code: string; readonly message: string };

/** A worker that has been lost more often than so many times, within so many milliseconds, is not replaced any more. */
const MOST_LOSSES = 3;
const LOSSES_WITHIN = 10_000;

export class Threads {
  readonly #ports: ThreadsPorts;
  readonly #scheduler: Scheduler;
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
  /** The parts of workers that are about to be started. */
  #restoring: ReadonlyMap<number, Uint8Array> | undefined;
  readonly #restored = new Map<number, (failure: Failure | undefined) => void>();
  #areStarted = false;
  /** In a run again: those that have ended, and whose places others will take. */
  readonly #toBeFollowed = new Set<Thread>();

  constructor(ports: ThreadsPorts) {
    this.#ports = ports;
    this.#scheduler = ports.scheduler;
    this.#options = ports.options;
  }

  get areStarted(): boolean {
    return this.#areStarted;
  }

  /** All of them, once. */
  start(): void {
    if (this.#areStarted) return;
    this.#areStarted = true;
    const { workers } = this.#ports.places;
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
    this.#ports.host.sleepBy(this.#bell);
    for (const link of links[0] as LinkData[]) connect(this.#scheduler, link);
    for (let index = 1; index <= workers; index++) {
      // It had ended for good before the snapshot that all go on from.
      if (this.#restoring?.has(index) === false) continue;
      this.#startThread(
        this.#endOf(index, bells[index] as SharedArrayBuffer, this.#lives[index]),
        links[index] as LinkData[],
        [],
        this.#beforeOf(index),
      );
    }
  }

  /** Of one that is started in a later life than the first. */
  #beforeOf(index: number): Before | undefined {
    const why = this.#why[index];
    return why === undefined ? undefined : { why, snapshot: undefined, whyForgotten: '' };
  }

  /** The same, for the one that takes the place of a worker that has just ended. */
  #goneOn({ index, notRestored }: Thread, why: string): Before {
    // In a run again the worker itself knows what it was.
    const wanted = this.#toBeRestored.has(index) || this.#ports.replaying() !== undefined;
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
    const { placement = 'least-loaded', workerData = {} } = this.#options;
    const { workers } = this.#ports.places;
    const { port1, port2 } = new MessageChannel();
    const feed = this.#options.feed?.();
    const trace = this.#options.trace?.(index, life, this.#scheduler.phase);
    const replay = this.#options.replay?.(index, life);
    this.#ports.replaying()?.started(index, life);
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
      bare: this.#scheduler.bare.memory,
      feed: feed?.data,
      restored: this.#restoring?.get(index),
      pace: this.#ports.pace(),
      trace: trace?.data,
      replay: replay?.data,
    };
    const told = { ...workerData, turntable: data };
    const given = [feed, trace, replay].flatMap((each) => each?.transfer ?? []);
    const ports = [port2, ...links.map(({ port }) => port), ...given];
    const begun = this.#options.begun?.(index, life);
    const worker = begun?.worker ?? beginThread(index, this.#options, told, ports);
    begun?.tell(told, ports);
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
    this.#hearAll(thread);
    thread.port.close();
    this.#ports.gone(index);
    if (this.#ports.isOver()) return;
    const replaying = this.#ports.replaying();
    if (replaying !== undefined) return this.#endedAgain(thread, replaying);
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
    const why = isFollowed ? 'cut off' : 'failed';
    replaying.stopped({ worker, life, why, events: 0, messages: 0, turns: 0, failure });
    if (isFollowed) this.#toBeFollowed.add(thread);
    this.#followAll(replaying);
  }

  /** Each that may be followed is; one may have waited for another. */
  #followAll(replaying: Replaying): void {
    const lifeOf = (worker: number): number => this.#threads.get(worker)?.life ?? 0;
    const isNext = ({ index: worker, life }: Thread): boolean =>
      replaying.mayFollow({ worker, life: life + 1 }, lifeOf);
    for (let next = [...this.#toBeFollowed].find(isNext); next !== undefined;) {
      this.#toBeFollowed.delete(next);
      this.#replace(next, `worker ${next.index} has ended`);
      next = [...this.#toBeFollowed].find(isNext);
    }
  }

  #goOnWithout(thread: Thread, why: string): void {
    const { index } = thread;
    const isReplaced = thread.notRestored !== undefined || !this.#isLostTooOften(index);
    if (isReplaced) this.#replace(thread, why);
    else {
      const loss = lossOf(index, thread.life, why);
      this.tell({ what: 'lost', ...loss });
      Atomics.add(new Int32Array(this.#losses), 0, 1);
      lose(this.#scheduler, loss);
    }
    this.#ports.lost(index, why, isReplaced);
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
      // One whose place another will still take is told of by its loss.
      if (other.isLost && !this.#toBeFollowed.has(other))
        lost.push(lossOf(other.index, other.life, this.#why[other.index] as string));
      else other.port.postMessage({ what: 'lost', ...loss, successor } satisfies ToWorker, [successor.port]);
    }
    for (const { worker, life, end: why } of this.#scheduler.neighbours.links) {
      if (why === undefined || worker === index || this.#threads.has(worker)) continue;
      connected(this.#endOf(worker, createBell(), life));
      lost.push(lossOf(worker, life, why));
    }
    Atomics.add(new Int32Array(this.#losses), 0, 1);
    const back = connected(this.#endOf(0, this.#bell));
    this.#startThread(end, links, lost, before);
    lose(this.#scheduler, { ...loss, successor: back });
  }

  tell(message: ToWorker): void {
    for (const { port } of this.alive()) port.postMessage(message);
  }

  /** Whether the process goes on as long as the workers do. */
  keep(isKept: boolean): void {
    for (const each of this.alive().flatMap(({ port, worker }) => [port, worker])) {
      if (isKept) each.ref();
      else each.unref();
    }
  }

  /** Those that have not ended. */
  alive(): Thread[] {
    return [...this.#threads.values()].filter(({ isLost }) => !isLost);
  }

  /** What they have said so far, where nothing is heard from the loop. */
  hearAll(): void {
    for (const thread of this.alive()) this.#hearAll(thread);
  }

  #hearAll(thread: Thread): void {
    for (let next = receiveMessageOnPort(thread.port); next !== undefined; next = receiveMessageOnPort(thread.port))
      this.#hear(thread, next.message as ToMain);
  }

  #hear(thread: Thread, message: ToMain): void {
    const { index } = thread;
    switch (message.what) {
      case 'to be restored':
        return void this.#toBeRestored.add(index);
      case 'not restored':
        thread.notRestored = message.why;
        thread.failure = `it could not be restored: ${message.why}`;
        return;
      case 'restored':
        return this.#restored.get(index)?.(message.failure);
      default:
        return this.#ports.hear(index, message);
    }
  }

  /** The one of that number that was started last is to end at once. */
  terminate(index: number): void {
    void this.#threads.get(index)?.worker.terminate();
  }

  /** Starts them as they were in a snapshot; each of what it answers waits until one of them is. */
  restore(parts: StoredSnapshot['parts']): Promise<void>[] {
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
    if (others.length > 0) this.start();
    this.#restoring = undefined;
    return all;
  }
}

/** The loss of a worker that is not replaced. */
function lossOf(worker: number, life: number, why: string): Loss {
  return { worker, life, why, successor: undefined, isRestored: false };
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
