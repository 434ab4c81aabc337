// Trace of a worker that is kept from a later phase on, or never. Until then no event is written, not even to memory.
// The preamble is noted from the start, because every segment starts with it, including the first one kept.

import { TracePreamble } from './trace-preamble.ts';
import type { TraceHandle } from './chunk-pool.ts';
import type { FileTraceSink, TraceValue } from './trace-events.ts';
import { TraceSpan } from './trace-span.ts';
import { TraceWriter } from './trace-writer.ts';

/** Creates the sink of a worker's trace. Must be called on the worker thread. */
export function createTraceSink(handle: TraceHandle): FileTraceSink {
  return handle.span === undefined ? new TraceWriter(handle) : new DeferredTrace(handle, new TraceSpan(handle.span));
}

class DeferredTrace implements FileTraceSink {
  readonly #handle: TraceHandle;
  readonly #span: TraceSpan;
  readonly #preamble = new TracePreamble();
  #startedRounds = 0;
  /** Writer of the trace, from the first kept phase on. */
  #writer: TraceWriter | undefined;
  /** Same as `#writer` while the current phase is kept; otherwise undefined. */
  #activeWriter: TraceWriter | undefined;

  constructor(handle: TraceHandle, span: TraceSpan) {
    this.#handle = handle;
    this.#span = span;
    // The first chunk is used even after a pause: the writer thread reads the chunks in order.
    if (handle.firstChunk === undefined) this.cut(handle.phase);
    else this.#activeWriter = this.#writer = new TraceWriter(handle);
  }

  get isPaused(): boolean {
    return this.#activeWriter === undefined;
  }

  writeMessages(round: number, turns: number, worker: number, count: number): void {
    this.#activeWriter?.writeMessages(round, turns, worker, count);
  }

  writeSchedulerEvent(round: number, turns: number, kind: string, key: string, value?: TraceValue): void {
    this.#activeWriter?.writeSchedulerEvent(round, turns, kind, key, value);
  }

  writeEntry(round: number, step: number, source: number, id: number, value?: TraceValue): void {
    this.#activeWriter?.writeEntry(round, step, source, id, value);
  }

  writeOutcome(source: number, value: TraceValue): void {
    if (this.#activeWriter !== undefined) this.#activeWriter.writeOutcome(source, value);
    this.#preamble.note(source, value);
  }

  noteOutput(stream: number, output: string | Uint8Array): void {
    this.#activeWriter?.noteOutput(stream, output);
  }

  beginRound(round: number): void {
    this.#startedRounds = round;
    this.#activeWriter?.beginRound(round);
  }

  settle(): void {
    this.#activeWriter?.settle();
  }

  commit(): void {
    const activeWriter = this.#activeWriter;
    if (activeWriter === undefined) return;
    if (!this.#span.isPaused) return activeWriter.commit();
    this.#activeWriter = undefined;
    activeWriter.pause();
  }

  async flush(isSynced: boolean): Promise<void> {
    await this.#activeWriter?.flush(isSynced);
  }

  cut(phase: number): void {
    if (this.#activeWriter !== undefined && this.#span.isPaused) this.commit();
    if (this.#activeWriter !== undefined) return this.#activeWriter.cut(phase);
    if (!this.#span.includes(phase)) return;
    if (this.#writer === undefined) {
      const writer = new TraceWriter({ ...this.#handle, phase, firstChunk: undefined });
      this.#preamble.writeTo((source, value) => writer.writeOutcome(source, value));
      this.#writer = writer;
    } else this.#writer.cut(phase);
    this.#writer.beginRound(this.#startedRounds);
    this.#activeWriter = this.#writer;
  }

  end(): void {
    if (this.#writer === undefined) this.#handle.port.close();
    else this.#writer.end();
    this.#activeWriter = undefined;
  }
}
