// Collects the reports of all threads of a replaying process on its main thread. When all threads have stopped, it
// sends the outcome to the parent process and ends the process.
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

/** Poll interval, and the timeout for threads that report nothing and do not compute. */
const POLL_INTERVAL_MS = 2;
const IDLE_TIMEOUT_MS = 3000;
const PROGRESS_INTERVAL_MS = 100;
const HEARTBEAT_INTERVAL_MS = 1000;
/** Timeout for missing states after all threads have stopped. States always arrive after normal ends. */
const LAST_STATES_TIMEOUT_MS = { ended: 20_000, otherwise: 1000 } as const;
/** Processor time within a poll interval above which the other threads count as working. */
const MIN_WORK_MS = 20;
/** Time in which further divergences are collected after the first one. */
const DIVERGENCE_TIMEOUT_MS = 100;

/** Report of a thread: past its last event, stopped, a part sent for comparison, or at the limit of the replay. */
export type ThreadReport =
  /** The thread has taken the last event of a cut-off trace; it may hang where its process was killed. */
  | { readonly pastEnd: PastEndReport }
  | { readonly stopped: ReplayedWorker }
  | { readonly part: CutKey }
  | { readonly reached: ReachedEnd };

const MAIN_THREAD_KEY = threadKeyOf({ worker: 0, epoch: 0 });

const { setInterval: nativeSetInterval } = globalThis;
const now = performance.now.bind(performance);

interface OutcomeCollectorDeps {
  /** Receives messages of other threads while the main thread is blocked. */
  pumpMessages(): void;
  /** Holds the main thread at its end; returns when the process may end. */
  holdAtEnd(): void;
  /** Must be called when the process is about to end. */
  processEnding(): void;
  /** Whether the process must not end, however long nothing happens. */
  keepsProcessAlive(): boolean;
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
  /** Last reports of threads that have no events left and may never end. */
  readonly #pastEnd = new Map<string, PastEndReport>();
  #lastWorkAt = 0;
  /** Processor time of all other threads when one of them last made progress, in milliseconds. */
  #lastCpuMs = 0;
  #isMainStopped = false;
  /** Whether the wait for missing threads has timed out. */
  #hasGivenUp = false;
  /** Whether the missing threads keep computing without an end. */
  #areThreadsHung = false;
  #lastHeartbeatAt = 0;

  /** @param countEvents counts events taken by the main thread, for progress messages */
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

  /** Sets the threads that must stop before the replay is complete. */
  setExpected(threads: readonly string[]): void {
    this.#missing = new Set(threads);
  }

  #sendProgress(eventCount: number): void {
    sendToParent({ progress: { events: eventCount, totalStates: this.#expectedStates } });
  }

  receive(report: ThreadReport): void {
    // A worker's own report has more details than the app's, so it is read first.
    this.#readLog();
    this.#record(report);
    // From here on, timers keep the process alive until all threads have stopped.
    if (this.#isMainStopped || !this.#workers.some(({ worker }) => worker === 0)) return;
    this.#isMainStopped = true;
    nativeSetInterval(() => this.#check(), POLL_INTERVAL_MS);
  }

  #check(): void {
    this.#sendHeartbeat();
    this.#readLog();
    if (this.#reached !== undefined) this.finish();
    const timeoutMs =
      LAST_STATES_TIMEOUT_MS[this.#workers.every(({ stopReason }) => stopReason === 'ended') ? 'ended' : 'otherwise'];
    const haveStatesArrived =
      this.#receivedStates >= this.#expectedStates || this.#hasDiverged || now() - this.#lastReportAt > timeoutMs;
    if (this.#isComplete() && haveStatesArrived) this.finish();
  }

  #readLog(): void {
    for (const report of this.#log.readNew()) this.#record(report as ThreadReport);
  }

  /** Records a report. Both the worker and the app report the end of a worker; the first report counts. */
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

  /** Sends a heartbeat of a main thread that is past its last event. The parent kills a process without heartbeats. */
  #sendHeartbeat(): void {
    if (now() - this.#lastHeartbeatAt < HEARTBEAT_INTERVAL_MS) return;
    this.#lastHeartbeatAt = now();
    const pastEnd = this.#pastEnd.get(MAIN_THREAD_KEY);
    if (pastEnd !== undefined) sendToParent({ pastEnd });
  }

  get #hasDiverged(): boolean {
    return this.#workers.some(({ stopReason }) => stopReason === 'diverged' || stopReason === 'failed');
  }

  /** Whether all threads have stopped, or no report has followed a divergence within `DIVERGENCE_TIMEOUT_MS`. */
  #isComplete(): boolean {
    if (this.#missing.size === 0 || this.#reached !== undefined || this.#hasGivenUp) return true;
    if (this.#deps.keepsProcessAlive()) return false;
    if (!this.#hasDiverged && this.#isMainStopped) this.#checkForWork();
    const silenceMs = now() - this.#lastReportAt;
    if (this.#hasDiverged) return silenceMs > DIVERGENCE_TIMEOUT_MS;
    const idleMs = now() - Math.max(this.#lastReportAt, this.#lastWorkAt);
    this.#areThreadsHung = this.#isMainStopped && idleMs <= IDLE_TIMEOUT_MS && silenceMs > PAST_END_TIMEOUT_MS;
    return (this.#hasGivenUp = this.#areThreadsHung || (this.#isMainStopped && idleMs > IDLE_TIMEOUT_MS));
  }

  /** Extends the timeout while threads with events left are computing: they will report. */
  #checkForWork(): void {
    const cpuMs = CPU_TIME.ofProcess() - CPU_TIME.ofThread();
    if (cpuMs - this.#lastCpuMs < MIN_WORK_MS) return;
    this.#lastCpuMs = cpuMs;
    this.#lastWorkAt = now();
    if ([...this.#missing].some((key) => !this.#pastEnd.has(key))) this.#lastReportAt = this.#lastWorkAt;
  }

  /** Reports the outcome and ends the process. */
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
    // Receives states that threads sent before they stopped.
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
