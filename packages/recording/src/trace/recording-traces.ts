// All traces of one recording that are being written, and how many bytes each phase of them has taken. Reached by the writer's thread.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TRACES } from '../layout.ts';
import { DIRECTORY_MODE, makeDurable } from '../whole-file.ts';
import { TraceCounts } from './chunk.ts';
import { TraceDrain, type Traced } from './trace-drain.ts';

export interface TracesTell {
  /** A trace has a gap, because the disk did not take it. */
  failed(error: unknown): void;
  /** A trace has a gap, for a reason of its worker's. */
  stopped(worker: number, why: string): void;
  /** As many bytes as were asked for have been written since the last snapshot. */
  due(): void;
}

export class RecordingTraces {
  readonly #directory: string;
  readonly #counts: TraceCounts;
  readonly #level: number;
  readonly #tell: TracesTell;
  readonly #drains = new Set<TraceDrain>();
  readonly #bytes = new Map<number, number>();
  #isThere = false;
  #isTraced = false;
  /** Whether something has been written since it was brought to the disk. */
  #isDirty = false;
  readonly #failures: unknown[] = [];
  /** After how many bytes somebody wants to know. */
  #due = Infinity;
  #nextDue = Infinity;

  constructor(directory: string, counts: SharedArrayBuffer, level: number, tell: TracesTell) {
    this.#directory = directory;
    this.#counts = new TraceCounts(counts);
    this.#level = level;
    this.#tell = tell;
  }

  /** Whether there are any, or have been. */
  get isTraced(): boolean {
    return this.#isTraced;
  }

  add(traced: Traced): void {
    this.#isTraced = true;
    const { port } = traced;
    const drain = new TraceDrain(
      {
        directory: this.#directory,
        level: this.#level,
        counts: this.#counts,
        written: (phase, bytes) => {
          this.#isDirty = true;
          this.#bytes.set(phase, (this.#bytes.get(phase) ?? 0) + bytes);
        },
        stopped: (worker, why) => this.#tell.stopped(worker, why),
        failed: (error) => this.#failures.push(error),
        opening: () => this.#make(),
      },
      traced,
    );
    this.#drains.add(drain);
    port.on('message', (message) => {
      drain.hear(message);
      this.drain();
    });
    port.on('close', () => {
      drain.lose();
      this.#report();
    });
    this.#report();
  }

  /** Tells when so many bytes have been written since the last snapshot, and again when that took no snapshot and as many have followed. */
  whenDue(bytes: number): void {
    this.#due = this.#nextDue = bytes;
  }

  /** Writes what all workers have committed so far. Never throws. */
  drain(): void {
    for (const drain of this.#drains) drain.drain();
    this.#report();
    const bytes = this.#count();
    if (bytes < this.#nextDue) return;
    this.#nextDue = bytes + this.#due;
    this.#tell.due();
  }

  /** The same, and it is on the disk when this returns. */
  sync(): void {
    this.drain();
    for (const drain of this.#drains) {
      drain.sync();
      if (drain.isOver) this.#drains.delete(drain);
    }
    if (this.#isDirty) this.#try(() => makeDurable(join(this.#directory, TRACES)));
    this.#isDirty = false;
    this.#report();
  }

  /** A snapshot is there: what counts from now on is what came since. */
  committed(snapshot: number): void {
    for (const phase of this.#bytes.keys()) if (phase < snapshot) this.#bytes.delete(phase);
    this.#nextDue = this.#due;
    this.#count();
  }

  /** Files that are being written. */
  get open(): ReadonlySet<string> {
    return new Set([...this.#drains].flatMap(({ path }) => path ?? []));
  }

  end(): void {
    for (const drain of this.#drains) drain.close();
    this.sync();
    this.#drains.clear();
  }

  #make(): void {
    if (this.#isThere) return;
    this.#try(() => {
      mkdirSync(join(this.#directory, TRACES), { recursive: true, mode: DIRECTORY_MODE });
      makeDurable(this.#directory);
      this.#isThere = true;
    });
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#failures.push(error);
    }
  }

  /** Only when nothing is under way: who is told may end all traces. */
  #report(): void {
    for (const failure of this.#failures.splice(0)) this.#tell.failed(failure);
  }

  #count(): number {
    let sum = 0;
    for (const bytes of this.#bytes.values()) sum += bytes;
    this.#counts.sinceSnapshot = sum;
    return sum;
  }
}
