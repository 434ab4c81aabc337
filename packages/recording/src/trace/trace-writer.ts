// Where a worker's trace goes: into memory that it shares with the writer's thread. To be made on the worker's own thread.

import { TracePreamble } from './trace-preamble.ts';
import { ChunkPool, type TraceHandle } from './chunk-pool.ts';
import { TraceEncoder } from './trace-encoder.ts';
import type { TraceSink, TraceValue } from './trace-events.ts';
import { ChunkWriter } from './chunk-writer.ts';

export class TraceWriter extends TraceEncoder implements TraceSink {
  readonly isPaused = false;
  readonly #writer: ChunkWriter;
  readonly #pool: ChunkPool;
  #hasEnded = false;
  /** What each segment begins with. */
  readonly #preamble = new TracePreamble();

  constructor(handle: TraceHandle) {
    const pool = new ChunkPool(handle);
    const writer = new ChunkWriter(pool, pool.firstChunk());
    super(writer);
    this.#writer = writer;
    this.#pool = pool;
  }

  /** Whether events are kept nowhere: something could not be kept, and no phase has begun since. */
  get isStopped(): boolean {
    return this.#writer.isStopped;
  }

  commit(): void {
    this.#pool.commit(this.#writer.wholeEventBytes);
  }

  override writeOutcome(source: number, value: TraceValue): void {
    this.#preamble.note(source, value);
    super.writeOutcome(source, value);
    // What follows may be what a process is killed at.
    this.commit();
  }

  cut(phase: number): void {
    if (this.#hasEnded || phase <= this.#pool.phase) return;
    this.#writer.restart(this.#pool.enterPhase(phase, this.#writer.wholeEventBytes));
    this.resetDeltas();
    this.#preamble.writeTo((source, value) => super.writeOutcome(source, value));
  }

  /** Nothing is kept, until a phase begins. */
  pause(): void {
    if (this.#hasEnded) return;
    this.#pool.pause(this.#writer.wholeEventBytes);
    this.#writer.restart(undefined);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#pool.end(this.#writer.wholeEventBytes);
    this.#pool.close();
    this.#writer.restart(undefined);
  }
}
