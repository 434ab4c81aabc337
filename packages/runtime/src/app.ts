// The program on its threads, as the main thread sees it: starts workers when the first actor needs one, connects each with each other, learns
// when one has ended, and ends them all when nothing is left to do or the program says so.

import { once } from 'node:events';
import { MessageChannel, Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { MOST_WORKERS } from './actor.ts';
import { connect } from './connect.ts';
import type { Answers, AppStats, LinkData, Question, Quiet, ThreadData, ToMain, ToWorker } from './control.ts';
import { Places, type Placement } from './placement.ts';
import { RuntimeError } from './runtime-error.ts';
import type { Scheduler } from './scheduler.ts';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';
import { createRing } from './transport/ring.ts';
import { createBell } from './transport/wake-up.ts';

export interface AppOptions {
  /** Threads beside the main one. */
  readonly workers: number;
  readonly placement?: Exclude<Placement, (...args: never) => unknown>;
  /** What a worker runs: it calls `serve`. */
  readonly entry: URL;
  readonly resourceLimits?: ResourceLimits;
  /** A worker has ended without being told to. */
  onLost?(worker: number, why: string): void;
}

interface Thread {
  readonly index: number;
  readonly worker: Worker;
  readonly port: MessagePort;
  isLost: boolean;
  /** Why it is about to end, if it has said so. */
  failure: string | undefined;
}

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;
/** Milliseconds that a worker has to end by itself. */
const PATIENCE = 2000;

export class App {
  readonly places: Places;
  readonly #scheduler: Scheduler;
  readonly #host: ThreadHost;
  readonly #options: AppOptions;
  readonly #threads: Thread[] = [];
  readonly #questions = new Map<number, (worker: number, answer: unknown) => void>();
  #asked = 0;
  /** What was sent and taken in all when nothing was left to do the last time. */
  #before: Quiet | undefined;
  #phase = 0;
  #isStarted = false;
  #isClosing = false;

  constructor(scheduler: Scheduler, host: ThreadHost, options: AppOptions) {
    const { workers, placement = 'least-loaded' } = options;
    if (!Number.isInteger(workers) || workers < 0 || workers >= MOST_WORKERS)
      throw new RuntimeError('TT_PLACEMENT', `workers: a number from 0 to ${MOST_WORKERS - 1}, not ${workers}`);
    this.#scheduler = scheduler;
    this.#host = host;
    this.#options = options;
    this.places = new Places(0, workers, placement);
    scheduler.neighbours.onLost = (worker) => this.places.lost(worker);
    process.on('beforeExit', () => this.#nothingLeft());
  }

  /** Where an actor is to live; starts the workers if it is one of them. */
  place(placement: Placement | undefined): number {
    if (this.#isClosing) throw new RuntimeError('TT_CLOSED', 'the app is closing; it spawns no more actors');
    const worker = this.places.choose(placement);
    if (worker !== 0) this.#start();
    return worker;
  }

  // ── Threads ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { workers } = this.places;
    const bells = Array.from({ length: workers + 1 }, createBell);
    const links: LinkData[][] = bells.map(() => []);
    for (let a = 0; a <= workers; a++) {
      for (let b = a + 1; b <= workers; b++) {
        const { port1, port2 } = new MessageChannel();
        const [there, back] = [createRing(), createRing()];
        (links[a] as LinkData[]).push({
          worker: b,
          out: there,
          in: back,
          port: port1,
          bell: bells[b] as SharedArrayBuffer,
        });
        (links[b] as LinkData[]).push({
          worker: a,
          out: back,
          in: there,
          port: port2,
          bell: bells[a] as SharedArrayBuffer,
        });
      }
    }
    this.#host.sleepBy(bells[0] as SharedArrayBuffer);
    for (const link of links[0] as LinkData[]) {
      connect(this.#scheduler, link);
      link.port.unref();
    }
    for (let index = 1; index <= workers; index++)
      this.#startThread(index, links[index] as LinkData[], bells[index] as SharedArrayBuffer);
  }

  #startThread(index: number, links: LinkData[], bell: SharedArrayBuffer): void {
    const { entry, placement = 'least-loaded', resourceLimits } = this.#options;
    const { port1, port2 } = new MessageChannel();
    const data: ThreadData = {
      index,
      workers: this.places.workers,
      placement,
      links,
      bell,
      phase: this.#phase,
      control: port2,
    };
    const worker = new Worker(entry, {
      name: `turntable worker ${index}`,
      workerData: { turntable: data },
      transferList: [port2, ...links.map(({ port }) => port)],
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    const thread: Thread = { index, worker, port: port1, isLost: false, failure: undefined };
    this.#threads.push(thread);
    worker.unref();
    worker.on('error', (error: unknown) => (thread.failure = whyOf(error)));
    worker.on('exit', (code) => this.#ended(thread, code));
    port1.on('message', (message: ToMain) => this.#hear(thread, message));
    port1.unref();
  }

  #ended(thread: Thread, code: number): void {
    thread.isLost = true;
    thread.port.close();
    for (const answer of this.#questions.values()) answer(thread.index, undefined);
    if (this.#isClosing) return;
    const why = `worker ${thread.index} has ended: ${thread.failure ?? `process.exit(${code})`}`;
    this.#tell({ what: 'lost', worker: thread.index, why });
    this.#scheduler.neighbours.lose(thread.index, why);
    this.#options.onLost?.(thread.index, why);
  }

  #tell(message: ToWorker): void {
    for (const thread of this.#threads) if (!thread.isLost) thread.port.postMessage(message);
  }

  #hear(thread: Thread, message: ToMain): void {
    this.#questions.get(message.question)?.(thread.index, message.answer);
  }

  /** Asks every worker and waits for all answers; of one that ends meanwhile there is none. Until then the process does not end. */
  async #ask<W extends Question>(what: W): Promise<Answers[W][]> {
    const question = ++this.#asked;
    const missing = new Set(this.#alive().map(({ index }) => index));
    const answers: Answers[W][] = [];
    if (missing.size === 0) return answers;
    for (const { port } of this.#alive()) port.ref();
    this.#tell({ what, question });
    await new Promise<void>((resolve) => {
      this.#questions.set(question, (worker, answer) => {
        if (answer !== undefined) answers.push(answer as Answers[W]);
        if (missing.delete(worker) && missing.size === 0) resolve();
      });
    });
    this.#questions.delete(question);
    if (this.#questions.size === 0) for (const { port } of this.#alive()) port.unref();
    return answers;
  }

  // ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #alive(): Thread[] {
    return this.#threads.filter(({ isLost }) => !isLost);
  }

  /** Node has nothing left to do here. Workers may have; if not, this is the end. */
  #nothingLeft(): void {
    if (!this.#isStarted || this.#isClosing || this.#alive().length === 0) return;
    void this.#isAllDone().then((isAllDone) => (isAllDone ? this.#end() : undefined));
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

  // ── Phases ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A new phase begins, on each thread as soon as it has the time; answers its number. */
  advance(): number {
    this.#phase++;
    this.#scheduler.begin(this.#phase);
    this.#tell({ what: 'phase', phase: this.#phase });
    return this.#phase;
  }

  // ── What it is doing ─────────────────────────────────────────────────────────────────────────────────────────────────

  async stats(): Promise<AppStats> {
    const workers = await this.#ask('stats');
    workers.push(threadStats(this.#scheduler, this.#host));
    return { workers: workers.toSorted((a, b) => a.worker - b.worker) };
  }
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it was out of memory' : error.message;
}
