// The program on its threads, as the main thread sees it: says where actors live, asks the workers what they have to answer together, begins phases,
// and ends all threads when nothing is left to do or the program says so.

import { once } from 'node:events';
import type { AppOptions, Arrangement } from './app-options.ts';
import { MOST_WORKERS } from './actors/actor.ts';
import type { Answers, AppStats, Question, Quiet, ToWorker, WorkerStats } from './control.ts';
import { Places, type Placement } from './actors/placement.ts';
import { own } from './own-listener.ts';
import { Replaying, standing } from './replaying.ts';
import { Collector, type Part, type Snapshot, type StoredSnapshot } from './snapshot/collector.ts';
import { keepPace, type Pace } from './snapshot/due.ts';
import { restoreHere } from './snapshot/restore-here.ts';
import { damaged } from './snapshot/restored.ts';
import { RuntimeError } from './runtime-error.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';
import { Threads, type Said } from './threads.ts';
import type { FollowingTape } from './trace/following-tape.ts';

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout, setImmediate: nativeSetImmediate } = globalThis;
/** Milliseconds that a worker has to end by itself. */
const PATIENCE = 2000;

function checkWorkers(workers: number): void {
  if (!Number.isInteger(workers) || workers < 0 || workers >= MOST_WORKERS)
    throw new RuntimeError('TT_PLACEMENT', `workers: a number from 0 to ${MOST_WORKERS - 1}, not ${workers}`);
}

export class App {
  readonly places: Places;
  readonly #scheduler: Scheduler;
  readonly #host: ThreadHost;
  readonly #options: { -readonly [Name in keyof AppOptions]: AppOptions[Name] };
  readonly #threads: Threads;
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
  #whenDue: { readonly pace: Pace; readonly callback: () => void } | undefined;
  /** Answers when all know the same of who has ended. */
  #agreed: Promise<void> | undefined;
  #isClosing = false;
  /** If the program runs again. */
  readonly #replaying: Replaying | undefined;
  /** Nothing is to happen any more. */
  #isStill = false;

  constructor(scheduler: Scheduler, host: ThreadHost, options: AppOptions) {
    const { workers, placement = 'least-loaded' } = options;
    checkWorkers(workers);
    this.#scheduler = scheduler;
    this.#host = host;
    this.#options = { ...options };
    this.places = scheduler.places = new Places(0, workers, placement);
    this.#threads = new Threads({
      scheduler,
      host,
      options: this.#options,
      places: this.places,
      pace: () => this.#whenDue?.pace,
      replaying: () => this.#replaying,
      isOver: () => this.#isClosing || this.#isStill,
      hear: (worker, said) => this.#hear(worker, said),
      gone: (worker) => {
        this.#unanswered(worker);
        this.#snapshots.lost(worker);
      },
      lost: (worker, why, isReplaced) => this.#lost(worker, why, isReplaced),
    });
    scheduler.neighbours.onLost = (worker, isReplaced) => this.places.lost(worker, isReplaced);
    if (options.room !== undefined)
      scheduler.keepSnapshots({
        room: options.room,
        sink: options.sink,
        cut: (phase) => {
          this.#snapshots.cut(phase, [0, ...this.#threads.alive().map(({ index }) => index)]);
          options.replayed?.cut?.(phase, [0, ...scheduler.neighbours.others]);
        },
        deliver: (delivery) => this.#part({ ...delivery, worker: 0, life: 0 }),
        failed: (phase, reason, again) => this.#snapshots.failed(0, phase, reason, again),
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
      next: (worker) => this.#threads.terminate(worker),
    });
    options.replayed.hears?.(() => this.#threads.hearAll());
    this.#replaying.started(0, 0);
    following.onHalt((halt) => this.#replaying?.stopped({ ...halt, worker: 0, life: 0 }));
    // When nothing is left to do here, Node says so only if it does not wait for workers.
    host.rests = () => {
      this.#threads.keep(false);
      nativeSetImmediate(() => {});
    };
  }

  /** Before the first actor, of an app that began before its program could say how. */
  arrange(options: Arrangement): void {
    const { workers, placement = 'least-loaded' } = options;
    checkWorkers(workers);
    Object.assign(this.#options, options);
    this.places.arrange(workers, placement);
  }

  get areThreadsStarted(): boolean {
    return this.#threads.areStarted;
  }

  /** Where an actor is to live; starts the workers if it is one of them. */
  place(placement: Placement | undefined): number {
    const worker = this.places.choose(placement);
    if (worker !== 0) this.#threads.start();
    return worker;
  }

  #lost(worker: number, why: string, isReplaced: boolean): void {
    const agreed = this.#agree().then(() => {
      if (this.#agreed === agreed) this.#agreed = undefined;
    });
    this.#agreed = agreed;
    this.#options.onLost?.(worker, why, isReplaced);
  }

  /** Until all have heard. */
  async #agree(): Promise<void> {
    await this.#ask('heard');
    while (!this.#scheduler.ingests.isEmpty) await new Promise<void>((resolve) => nativeSetImmediate(resolve));
  }

  #hear(worker: number, said: Said): void {
    switch (said.what) {
      case 'answer':
        return this.#questions.get(said.question)?.(worker, said.answer);
      case 'due':
        return this.#whenDue?.callback();
      case 'stands':
        return this.#replaying?.stands(said);
      case 'stopped':
        this.#unanswered(worker);
        return this.#replaying?.stopped(said);
      case 'part':
        return this.#part(said.part);
      case 'no part':
        return this.#snapshots.failed(worker, said.phase, said.reason, said.again);
    }
  }

  /** It answers nothing any more. */
  #unanswered(worker: number): void {
    for (const answer of this.#questions.values()) answer(worker, undefined);
  }

  /** Asks every worker and waits for all answers; of one that ends meanwhile there is none. Until then the process does not end. */
  async #ask<W extends Question>(what: W): Promise<Answers[W][]> {
    const question = ++this.#asked;
    const missing = new Set(
      this.#threads.alive().flatMap(({ index }) => (this.#replaying?.isOver(index) === true ? [] : index)),
    );
    const answers: Answers[W][] = [];
    if (missing.size === 0) return answers;
    // The worker too: if it ends instead of answering, its port is the first to close.
    this.#threads.keep(true);
    this.#threads.tell({ what, question });
    await new Promise<void>((resolve) => {
      this.#questions.set(question, (worker, answer) => {
        if (answer !== undefined) answers.push(answer as Answers[W]);
        if (missing.delete(worker) && missing.size === 0) resolve();
      });
    });
    this.#questions.delete(question);
    if (this.#questions.size === 0 && this.#replaying === undefined) this.#threads.keep(false);
    return answers;
  }

  /** Node has nothing left to do here. Workers may have; if not, this is the end. */
  #nothingLeft(): void {
    const { following } = this.#scheduler.ingests;
    if (following !== undefined) return this.#judge(following);
    if (!this.#threads.areStarted || this.#isClosing || this.#threads.alive().length === 0) return;
    void this.#isAllDone().then((isAllDone) => (isAllDone ? this.#end() : undefined));
  }

  /** In a run again: nothing is left to do here. What is waited for may come as long as there are workers. */
  #judge(following: FollowingTape): void {
    const event = following.judge();
    this.#threads.keep(true);
    if (event !== undefined) this.#replaying?.stands({ worker: 0, life: 0, ...standing(following, event) });
  }

  /** Whether all workers were idle and had taken all messages that were sent, twice in a row with the same counts. */
  async #isAllDone(): Promise<boolean> {
    const answers = await this.#ask('quiet');
    let { sent, taken } = this.#scheduler.neighbours.traffic;
    for (const each of answers) {
      sent += each.sent;
      taken += each.taken;
    }
    const isAwaited = this.#options.isSnapshotAwaited?.() === true;
    const isQuiet = this.#scheduler.isIdle && sent === taken && !isAwaited;
    const isSame = this.#before?.sent === sent && this.#before.taken === taken;
    this.#before = isQuiet ? { sent, taken } : undefined;
    return isQuiet && isSame;
  }

  /** The program spawns no more actors. */
  closing(): void {
    this.places.close();
  }

  /** Ends when nothing is left to do between actors, or after so many milliseconds. Answers whether all was done. */
  async close(deadline = Infinity): Promise<boolean> {
    if (this.#isClosing) return true;
    this.#isClosing = true;
    this.places.close();
    const limit = new AbortController();
    const timer = deadline === Infinity ? undefined : nativeSetTimeout(() => limit.abort(), deadline);
    const late = once(limit.signal, 'abort').then(() => false);
    let isAllDone = !this.#threads.areStarted;
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
    this.places.close();
    // What is still to be done needs them, and the process.
    this.#threads.keep(true);
    await this.#options.ending?.();
    const ends = this.#threads.alive().map(async ({ worker, port }) => {
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

  /** The last one that has begun. */
  get phase(): number {
    return this.#phase;
  }

  /** A new phase begins, on each thread as soon as it has the time; answers its number. */
  advance(): number {
    this.#phase++;
    this.#scheduler.begin(this.#phase);
    this.#threads.tell({ what: 'phase', phase: this.#phase });
    return this.#phase;
  }

  /** Begins a phase without a snapshot (a bare cut, docs/snapshots.md), unless a snapshot is under way, not all know of a loss, or threads are ending. */
  cut(): boolean {
    if (this.#agreed !== undefined || this.#snapshots.isTaking || this.#isClosing || this.#isStill) return false;
    this.#scheduler.bare.add(this.#phase + 1);
    this.advance();
    return true;
  }

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

  /** Restores all workers before a program is loaded. Calling the answer runs them; `taken` is the answer to requests for the snapshot. */
  async restore({ phase, parts }: StoredSnapshot, taken: unknown): Promise<() => Promise<void>> {
    const { room } = this.#options;
    const main = parts.find(({ worker }) => worker === 0);
    if (room === undefined || main === undefined) throw damaged('it has no part of the main thread');
    this.#phase = phase;
    this.#scheduler.hold();
    this.#scheduler.bornIn(phase);
    const all = this.#threads.restore(parts);
    this.#threads.keep(true);
    const [goOn] = await Promise.all([restoreHere(this.#scheduler, room, main.bytes), ...all]);
    return () => {
      this.#threads.keep(false);
      this.#threads.tell({ what: 'go on' });
      this.#scheduler.questions.answerAll(taken);
      return goOn();
    };
  }

  async stats(withActors: boolean): Promise<AppStats> {
    const workers: WorkerStats[] = await this.#ask(withActors ? 'stats of actors' : 'stats');
    workers.push(threadStats(this.#scheduler, this.#host, withActors));
    return { epoch: this.#options.epoch ?? 0, workers: workers.toSorted((a, b) => a.worker - b.worker) };
  }
}
