// What the main thread of a process that runs again hears of all threads: when nobody goes on it says what came of it, and ends the process.
import type { SharedLog } from './shared-log.ts';
import {
  threadKeyOf,
  toHungThread,
  type PastEndReport,
  type CutKey,
  type ReachedEnd,
  type ReplayedWorker,
} from '../replay-outcome.ts';
import { PAST_END_TIMEOUT_MS } from '../hang-detector.ts';
import { reallyExit, sendToParent } from './parent-messages.ts';
import { CPU_TIME } from './checkpoint-cuts.ts';

/** Milliseconds between two looks, and for which others are waited for that say nothing. */
const POLL_INTERVAL_MS = 2;
const IDLE_TIMEOUT_MS = 3000;
/** Milliseconds between two words of how far it has come. */
const PROGRESS_INTERVAL_MS = 100;
/** Milliseconds between two signs of life behind the last event. */
const HEARTBEAT_INTERVAL_MS = 1000;
/** For which states are waited for when all have stopped: if all have ended in order, they will come. */
const LAST_STATES_TIMEOUT_MS = { ended: 20_000, otherwise: 1000 } as const;
/** Milliseconds of the processor's, in `PATIENCE` or less, that nobody takes who waits. */
const MIN_WORK_MS = 20;
/** When something has differed, others that are about to say the same are waited for no longer. */
const DIVERGENCE_TIMEOUT_MS = 100;

/** What a thread says of itself. */
export type ThreadReport =
  /** It has taken the last event of a trace that was cut off, and may be at what its process was killed at. */
  | { readonly pastEnd: PastEndReport }
  | { readonly stopped: ReplayedWorker }
  | { readonly part: CutKey }
  | { readonly reached: ReachedEnd };

const MAIN_THREAD_KEY = threadKeyOf({ worker: 0, epoch: 0 });

const { setInterval: nativeSetInterval } = globalThis;
const now = performance.now.bind(performance);

interface OutcomeCollectorDeps {
  /** What threads have sent by now is taken, where the main thread stands still. */
  pumpMessages(): void;
  /** Nothing of the main thread goes on: answers when the process may end. */
  holdAtEnd(): void;
  /** The process is about to end. */
  processEnding(): void;
  /** Whether it does not end, however long nothing is heard. */
  keepsProcess(): boolean;
}

export class OutcomeCollector {
  readonly #log: SharedLog;
  #missing: Set<string>;
  readonly #deps: OutcomeCollectorDeps;
  readonly #expectedStates: number;
  readonly #workers: ReplayedWorker[] = [];
  #receivedStates = 0;
  #reached: ReachedEnd | undefined;
  readonly #startedAt = now();
  #lastReportAt = now();
  /** Of those that have nothing left to take it is not known whether they come to an end. */
  readonly #pastEnd = new Map<string, PastEndReport>();
  #lastWorkAt = 0;
  /** What all other threads had spent of the processor when one was last seen at work, in milliseconds. */
  #lastCpuMs = 0;
  #isMainStopped = false;
  /** Nobody who is missing is waited for any more. */
  #hasGivenUp = false;
  /** For they are at work, and do not come back from that. */
  #areThreadsHung = false;
  /** When it was said last that the main thread comes back. */
  #lastHeartbeatAt = 0;

  /** @param countEvents how many the main thread has taken, if somebody looks at that */
  constructor(
    log: SharedLog,
    expectedThreads: readonly string[],
    expectedStates: number,
    countEvents: (() => number) | undefined,
    deps: OutcomeCollectorDeps,
  ) {
    this.#deps = deps;
    this.#expectedStates = expectedStates;
    this.#log = log;
    this.#missing = new Set(expectedThreads);
    nativeSetInterval(() => this.#check(), POLL_INTERVAL_MS).unref();
    if (countEvents !== undefined)
      nativeSetInterval(() => this.#sendProgress(countEvents()), PROGRESS_INTERVAL_MS).unref();
  }

  /** It was not known before who is to stop. */
  setExpected(threads: readonly string[]): void {
    this.#missing = new Set(threads);
  }

  #sendProgress(eventCount: number): void {
    sendToParent({ progress: { events: eventCount, totalStates: this.#expectedStates } });
  }

  receive(report: ThreadReport): void {
    // What a worker has said of itself has more to say than what the app says of it, and was said before.
    this.#readLog();
    this.#record(report);
    // The main thread has stopped: the process stays until all have.
    if (this.#isMainStopped || !this.#workers.some(({ worker }) => worker === 0)) return;
    this.#isMainStopped = true;
    nativeSetInterval(() => this.#check(), POLL_INTERVAL_MS);
  }

  #check(): void {
    this.#sendHeartbeat();
    this.#readLog();
    if (this.#reached !== undefined) this.finish();
    const timeoutMs =
      LAST_STATES_TIMEOUT_MS[this.#workers.every(({ stopReason: stop }) => stop === 'ended') ? 'ended' : 'otherwise'];
    const haveStatesArrived =
      this.#receivedStates >= this.#expectedStates || this.#hasDiverged || now() - this.#lastReportAt > timeoutMs;
    if (this.#isComplete() && haveStatesArrived) this.finish();
  }

  #readLog(): void {
    for (const report of this.#log.readNew()) this.#record(report as ThreadReport);
  }

  /** Workers say it by themselves, and the app says it: the first one counts. */
  #record(report: ThreadReport): void {
    this.#lastReportAt = now();
    if ('pastEnd' in report) return this.#recordPastEnd(report.pastEnd);
    if ('part' in report) return void this.#receivedStates++;
    if ('reached' in report) return void (this.#reached ??= report.reached);
    const key = threadKeyOf(report.stopped);
    if (this.#workers.some((each) => threadKeyOf(each) === key)) return;
    this.#workers.push(report.stopped);
    this.#missing.delete(key);
  }

  #recordPastEnd(pastEnd: PastEndReport): void {
    this.#pastEnd.set(threadKeyOf(pastEnd), pastEnd);
    if (pastEnd.worker === 0) sendToParent({ pastEnd });
  }

  /** What the main thread is at it comes back from: to the one that would end it otherwise. */
  #sendHeartbeat(): void {
    if (now() - this.#lastHeartbeatAt < HEARTBEAT_INTERVAL_MS) return;
    this.#lastHeartbeatAt = now();
    const pastEnd = this.#pastEnd.get(MAIN_THREAD_KEY);
    if (pastEnd !== undefined) sendToParent({ pastEnd });
  }

  get #hasDiverged(): boolean {
    return this.#workers.some(({ stopReason: stop }) => stop === 'diverged' || stop === 'failed');
  }

  /** All have stopped; or something has differed, and the main thread has stopped, and nothing was heard for a while. */
  #isComplete(): boolean {
    if (this.#missing.size === 0 || this.#reached !== undefined || this.#hasGivenUp) return true;
    if (this.#deps.keepsProcess()) return false;
    if (!this.#hasDiverged && this.#isMainStopped) this.#checkForWork();
    const silenceMs = now() - this.#lastReportAt;
    if (this.#hasDiverged) return silenceMs > DIVERGENCE_TIMEOUT_MS;
    const idleMs = now() - Math.max(this.#lastReportAt, this.#lastWorkAt);
    this.#areThreadsHung = this.#isMainStopped && idleMs <= IDLE_TIMEOUT_MS && silenceMs > PAST_END_TIMEOUT_MS;
    return (this.#hasGivenUp = this.#areThreadsHung || (this.#isMainStopped && idleMs > IDLE_TIMEOUT_MS));
  }

  /** Who has something left to take will say something, however long that takes. */
  #checkForWork(): void {
    const cpuMs = CPU_TIME.ofProcess() - CPU_TIME.ofThread();
    if (cpuMs - this.#lastCpuMs < MIN_WORK_MS) return;
    this.#lastCpuMs = cpuMs;
    this.#lastWorkAt = now();
    if ([...this.#missing].some((key) => !this.#pastEnd.has(key))) this.#lastReportAt = this.#lastWorkAt;
  }

  /** Says what came of it and ends the process; at once, if somebody has done something else. */
  finish(): never {
    this.#deps.holdAtEnd();
    this.#isMainStopped = true;
    this.#lastReportAt = now();
    this.#deps.processEnding();
    for (this.#readLog(); !this.#isComplete(); this.#readLog()) {
      this.#sendHeartbeat();
      this.#deps.pumpMessages();
      this.#log.wait(POLL_INTERVAL_MS);
    }
    // A state was sent before its thread has stopped.
    this.#deps.pumpMessages();
    sendToParent({
      outcome: {
        workers: this.#workers.toSorted((a, b) => a.worker - b.worker || a.epoch - b.epoch),
        missingThreads: [...this.#missing],
        hungThreads: this.#areThreadsHung
          ? [...this.#missing].flatMap((key) => this.#pastEnd.get(key) ?? []).map(toHungThread)
          : [],
        reached: this.#reached,
        milliseconds: now() - this.#startedAt,
      },
    });
    return reallyExit(0);
  }
}
