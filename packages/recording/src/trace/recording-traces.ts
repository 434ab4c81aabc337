// All active traces of one recording, with the bytes written in each phase. Used by the writer thread.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TRACES_DIRECTORY } from '../file-names.ts';
import { DIRECTORY_MODE, syncToDisk } from '../atomic-file.ts';
import { TraceCounts } from './trace-chunk.ts';
import { TraceDrain, type TracedWorker } from './trace-drain.ts';

export interface TraceListener {
  /** A trace has a gap because of the disk. */
  onFailed(error: unknown): void;
  /** A trace has a gap because of its worker. */
  onStopped(worker: number, reason: string): void;
  /** The requested number of bytes has been written since the last snapshot. */
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
  /** Whether data was written since the last sync. */
  #isDirty = false;
  readonly #failures: unknown[] = [];
  /** Bytes between calls of `onDue`. */
  #dueInterval = Infinity;
  #nextDueBytes = Infinity;

  constructor(directory: string, counts: SharedArrayBuffer, level: number, listener: TraceListener) {
    this.#directory = directory;
    this.#counts = new TraceCounts(counts);
    this.#level = level;
    this.#listener = listener;
  }

  /** Whether there are or were any traces. */
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

  /** Calls `onDue` after each `bytes` written without a snapshot. */
  setDueInterval(bytes: number): void {
    this.#dueInterval = this.#nextDueBytes = bytes;
  }

  /** Writes everything that workers have committed. Never throws. */
  drain(): void {
    for (const drain of this.#drains) drain.drain();
    this.#reportFailures();
    const bytes = this.#updateBytes();
    if (bytes < this.#nextDueBytes) return;
    this.#nextDueBytes = bytes + this.#dueInterval;
    this.#listener.onDue();
  }

  /** `drain`, and syncs to disk before returning. */
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

  /** Counts bytes from this snapshot on. */
  snapshotCommitted(snapshotPhase: number): void {
    for (const phase of this.#bytesByPhase.keys()) if (phase < snapshotPhase) this.#bytesByPhase.delete(phase);
    this.#nextDueBytes = this.#dueInterval;
    this.#updateBytes();
  }

  /** The files being written. */
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

  /** Called last, since the listener may end all traces. */
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
