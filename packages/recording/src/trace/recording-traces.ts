// All traces of one recording that is being written, and the bytes that each phase takes. Used on the writer thread.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TRACES_DIRECTORY } from '../file-names.ts';
import { DIRECTORY_MODE, syncToDisk } from '../atomic-file.ts';
import { TraceCounts } from './trace-chunk.ts';
import { TraceDrain, type TracedWorker } from './trace-drain.ts';

export interface TraceListener {
  /** Reports a gap caused by a failed write to the disk. */
  onFailed(error: unknown): void;
  /** Reports a gap that the worker caused. */
  onStopped(worker: number, reason: string): void;
  /** Reports that the traces have grown by the due interval without a snapshot. */
  onDue(): void;
}

export class RecordingTraces {
  readonly #directory: string;
  readonly #counts: TraceCounts;
  readonly #level: number;
  readonly #listener: TraceListener;
  readonly #drains = new Set<TraceDrain>();
  readonly #bytesByPhase = new Map<number, number>();
  #isDirectoryCreated = false;
  #isTraced = false;
  /** Whether bytes were written since the last sync. */
  #isDirty = false;
  readonly #failures: unknown[] = [];
  /** Number of bytes between two calls of `onDue`. */
  #dueInterval = Infinity;
  #nextDueBytes = Infinity;

  constructor(directory: string, counts: SharedArrayBuffer, level: number, listener: TraceListener) {
    this.#directory = directory;
    this.#counts = new TraceCounts(counts);
    this.#level = level;
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
        level: this.#level,
        counts: this.#counts,
        onWritten: (phase, bytes) => {
          this.#isDirty = true;
          this.#bytesByPhase.set(phase, (this.#bytesByPhase.get(phase) ?? 0) + bytes);
        },
        onStopped: (worker, reason) => this.#listener.onStopped(worker, reason),
        onFailed: (error) => this.#failures.push(error),
        onOpening: () => this.#createDirectory(),
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

  /** Makes `onDue` be called whenever the traces have grown by `bytes` bytes without a snapshot. */
  setDueInterval(bytes: number): void {
    this.#dueInterval = this.#nextDueBytes = bytes;
  }

  /** Writes the events that all workers have committed. Never throws. */
  drain(): void {
    for (const drain of this.#drains) drain.drain();
    this.#reportFailures();
    const bytes = this.#updateBytes();
    if (bytes < this.#nextDueBytes) return;
    this.#nextDueBytes = bytes + this.#dueInterval;
    this.#listener.onDue();
  }

  /** Writes all committed events and syncs them to the disk. */
  sync(): void {
    this.drain();
    for (const drain of this.#drains) {
      drain.sync();
      if (drain.isFinished) this.#drains.delete(drain);
    }
    if (this.#isDirty) this.#attempt(() => syncToDisk(join(this.#directory, TRACES_DIRECTORY)));
    this.#isDirty = false;
    this.#reportFailures();
  }

  /** Forgets the bytes of phases before the new snapshot. */
  snapshotCommitted(snapshotPhase: number): void {
    for (const phase of this.#bytesByPhase.keys()) if (phase < snapshotPhase) this.#bytesByPhase.delete(phase);
    this.#nextDueBytes = this.#dueInterval;
    this.#updateBytes();
  }

  get openPaths(): ReadonlySet<string> {
    return new Set([...this.#drains].flatMap(({ path }) => path ?? []));
  }

  end(): void {
    for (const drain of this.#drains) drain.close();
    this.sync();
    this.#drains.clear();
  }

  #createDirectory(): void {
    if (this.#isDirectoryCreated) return;
    this.#attempt(() => {
      mkdirSync(join(this.#directory, TRACES_DIRECTORY), { recursive: true, mode: DIRECTORY_MODE });
      syncToDisk(this.#directory);
      this.#isDirectoryCreated = true;
    });
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#failures.push(error);
    }
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
