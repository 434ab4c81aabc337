// Writes a worker's trace into memory shared with the writer thread. Must be created on the worker thread.

import { TracePreamble } from './trace-preamble.ts';
import { ChunkPool, type TraceHandle } from './chunk-pool.ts';
import { TraceEncoder } from './trace-encoder.ts';
import type { FileTraceSink, TraceValue } from './trace-events.ts';
import { ChunkWriter } from './chunk-writer.ts';

export class TraceWriter extends TraceEncoder implements FileTraceSink {
  readonly isPaused = false;
  readonly #writer: ChunkWriter;
  readonly #pool: ChunkPool;
  #hasEnded = false;
  /** Outcomes with which each segment begins. */
  readonly #preamble = new TracePreamble();

  constructor(handle: TraceHandle) {
    const pool = new ChunkPool(handle);
    const writer = new ChunkWriter(pool, pool.firstChunk());
    super(writer);
    this.#writer = writer;
    this.#pool = pool;
  }

  /** Whether events are dropped, because one could not be kept and no phase has begun since. */
  get isStopped(): boolean {
    return this.#writer.isStopped;
  }

  commit(): void {
    this.#pool.commit(this.#writer.wholeEventBytes);
  }

  beginRound(round: number): void {
    this.#pool.beginRound(round);
  }

  settle(): void {
    this.#pool.setSettled(true);
  }

  override writeEntry(round: number, step: number, source: number, id: number, value?: TraceValue): void {
    this.#pool.setSettled(false);
    super.writeEntry(round, step, source, id, value);
  }

  flush(isSynced: boolean): Promise<void> {
    return this.#pool.flush(isSynced);
  }

  override writeOutcome(source: number, value: TraceValue): void {
    this.#preamble.note(source, value);
    super.writeOutcome(source, value);
    // The program may be killed while it acts on the outcome.
    this.commit();
  }

  cut(phase: number): void {
    if (this.#hasEnded || phase <= this.#pool.phase) return;
    // A replay that starts with the new segment prints only what follows.
    this.writeOutput();
    this.#writer.restart(this.#pool.enterPhase(phase, this.#writer.wholeEventBytes));
    this.resetDeltas();
    this.#preamble.writeTo((source, value) => super.writeOutcome(source, value));
  }

  /** Drops events until the next phase. */
  pause(): void {
    if (this.#hasEnded) return;
    this.#pool.pause(this.#writer.wholeEventBytes);
    this.#writer.restart(undefined);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.writeOutput();
    this.#pool.end(this.#writer.wholeEventBytes);
    this.#pool.close();
    this.#writer.restart(undefined);
  }
}
