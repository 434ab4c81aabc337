// All traces of one recording that is being written, and the bytes that each phase takes. Used on the writer thread.

import { join } from 'node:path';
import { TRACES_DIRECTORY } from '../file-names.ts';
import { DIRECTORY_MODE } from '../atomic-file.ts';
import { mkdirSync } from '../file-operations.ts';
import type { SegmentFileOptions } from './segment-file.ts';
import { TraceCounts } from './trace-chunk.ts';
import { TraceDrain, type TracedWorker, type TraceFlush } from './trace-drain.ts';

export interface TraceListener {
  /** Reports a gap caused by a failed write to the disk. */
  onFailed(error: unknown): void;
  /** Reports a gap that the worker caused. */
  onStopped(worker: number, reason: string): void;
  /** Reports that the traces have grown by the due interval without a snapshot. */
  onDue(): void;
  /** Reports that all events are written for which a worker waits. */
  onFlush(flush: TraceFlush): void;
  /** Called before events are written. It must write the modules that they need. */
  beforeEvents(): void;
  /** Called before a segment is created. It must create the recording's directory. */
  onOpening(): void;
}

export class RecordingTraces {
  readonly #directory: string;
  readonly #counts: TraceCounts;
  readonly #segmentOptions: SegmentFileOptions;
  readonly #listener: TraceListener;
  readonly #drains = new Set<TraceDrain>();
  readonly #bytesByPhase = new Map<number, number>();
  /** Phases for which a worker has no segment. */
  readonly #missingPhases = new Set<number>();
  #isDirectoryCreated = false;
  #isTraced = false;
  /** Files and directories that were written since the last call of `takeUnsynced`. */
  readonly #unsynced = new Set<string>();
  readonly #failures: unknown[] = [];
  /** Flushes that wait for the next drain. */
  readonly #flushes: TraceFlush[] = [];
  /** Number of bytes between two calls of `onDue`. */
  #dueInterval = Infinity;
  #nextDueBytes = Infinity;

  constructor(
    directory: string,
    counts: SharedArrayBuffer,
    segmentOptions: SegmentFileOptions,
    listener: TraceListener,
  ) {
    this.#directory = directory;
    this.#counts = new TraceCounts(counts);
    this.#segmentOptions = segmentOptions;
    this.#listener = listener;
  }

  /** Whether any worker is or was traced. */
  get isTraced(): boolean {
    return this.#isTraced;
  }

  addWorker(tracedWorker: TracedWorker): void {
    this.#isTraced = true;
    const { port } = tracedWorker;
    const drain = new TraceDrain(
      {
        directory: this.#directory,
        segmentOptions: this.#segmentOptions,
        counts: this.#counts,
        onWritten: (phase, bytes, path) => {
          this.#unsynced.add(path);
          this.#bytesByPhase.set(phase, (this.#bytesByPhase.get(phase) ?? 0) + bytes);
        },
        onStopped: (worker, reason) => this.#listener.onStopped(worker, reason),
        onSegmentMissing: (phase) => this.#missingPhases.add(phase),
        onFlush: (flush) => this.#flushes.push(flush),
        onFailed: (error) => this.#failures.push(error),
        onOpening: () => {
          this.#listener.onOpening();
          this.#createDirectory();
          this.#unsynced.add(join(this.#directory, TRACES_DIRECTORY));
        },
        beforeEvents: () => this.#listener.beforeEvents(),
      },
      tracedWorker,
    );
    this.#drains.add(drain);
    port.on('message', (message) => {
      drain.receive(message);
      this.drain();
    });
    port.on('close', () => {
      drain.workerEnded();
      this.#reportFailures();
    });
    this.#reportFailures();
  }

  /** Completes the trace of a lost worker. */
  workerLost(worker: number, epoch: number, isOutOfMemory: boolean): void {
    for (const drain of this.#drains) if (drain.isOf(worker, epoch)) drain.workerLost(isOutOfMemory);
    this.drain();
  }

  /** Makes `onDue` be called whenever the traces have grown by `bytes` bytes without a snapshot. */
  setDueInterval(bytes: number): void {
    this.#dueInterval = this.#nextDueBytes = bytes;
  }

  /** Writes the events that all workers have committed. Never throws. Returns whether there were any. */
  drain(): boolean {
    let hasEvents = false;
    do {
      const flushes = this.#flushes.splice(0);
      for (const drain of this.#drains) {
        if (drain.drain()) hasEvents = true;
        if (drain.isFinished) this.#drains.delete(drain);
      }
      this.#reportFailures();
      for (const flush of flushes) this.#listener.onFlush(flush);
      // A flush that arrived meanwhile may wait for events of a worker that was drained before.
    } while (this.#flushes.length > 0);
    const bytes = this.#updateBytes();
    if (bytes >= this.#nextDueBytes) {
      this.#nextDueBytes = bytes + this.#dueInterval;
      this.#listener.onDue();
    }
    return hasEvents;
  }

  /** Returns what must be synced to the disk for all events written so far: files, then directories. */
  takeUnsynced(): string[] {
    const paths = [...this.#unsynced].toSorted((first, second) => second.length - first.length);
    this.#unsynced.clear();
    return paths;
  }

  /** Forgets the bytes of phases before the new snapshot. */
  snapshotCommitted(snapshotPhase: number): void {
    for (const phase of this.#bytesByPhase.keys()) if (phase < snapshotPhase) this.#bytesByPhase.delete(phase);
    this.#nextDueBytes = this.#dueInterval;
    this.#updateBytes();
  }

  /**
   * Returns the last of the phases from which a replay can start, because no worker lacks the segment of that phase.
   * @param phases all phases that are on the disk, ascending
   */
  lastReplayable(phases: readonly number[]): number | undefined {
    const newest = phases.at(-1) ?? 0;
    for (const phase of this.#missingPhases)
      if (phase < newest && !phases.includes(phase)) this.#missingPhases.delete(phase);
    return phases.findLast((phase) => !this.#missingPhases.has(phase));
  }

  /** Drops the rest of this phase, because the directory was removed. */
  directoryRemoved(): void {
    for (const drain of this.#drains) drain.dropOpenSegment();
    this.#failures.length = 0;
    this.#missingPhases.clear();
    this.#unsynced.clear();
    this.#isDirectoryCreated = false;
  }

  get openPaths(): ReadonlySet<string> {
    return new Set([...this.#drains].flatMap(({ path }) => path ?? []));
  }

  end(): void {
    for (const drain of this.#drains) drain.close();
    this.#drains.clear();
    this.#reportFailures();
  }

  #createDirectory(): void {
    if (this.#isDirectoryCreated) return;
    mkdirSync(join(this.#directory, TRACES_DIRECTORY), { recursive: true, mode: DIRECTORY_MODE });
    this.#unsynced.add(this.#directory);
    this.#isDirectoryCreated = true;
  }

  /** Must be called only when no write is in progress: the listener may end all traces. */
  #reportFailures(): void {
    for (const failure of this.#failures.splice(0)) this.#listener.onFailed(failure);
  }

  #updateBytes(): number {
    let sum = 0;
    for (const bytes of this.#bytesByPhase.values()) sum += bytes;
    this.#counts.bytesSinceSnapshot = sum;
    return sum;
  }
}
