// A worker's trace that is kept from some phase on, or not at all: until then nothing is written, not even to memory. What a thread has asked before its
// program is known by then, and stands at the beginning of the first segment as of each.

import { TracePreamble } from './trace-preamble.ts';
import type { TraceHandle } from './chunk-pool.ts';
import type { TraceSink, TraceValue } from './trace-events.ts';
import { TraceSpan } from './trace-span.ts';
import { TraceWriter } from './trace-writer.ts';

/** A sink that can be ended. To be made on the worker's own thread. */
export function createTraceSink(handle: TraceHandle): TraceSink {
  return handle.span === undefined ? new TraceWriter(handle) : new DeferredTrace(handle, new TraceSpan(handle.span));
}

class DeferredTrace implements TraceSink {
  readonly #handle: TraceHandle;
  readonly #span: TraceSpan;
  readonly #preamble = new TracePreamble();
  /** From the first phase on that was kept. */
  #writer: TraceWriter | undefined;
  /** The same, while it is. */
  #activeWriter: TraceWriter | undefined;

  constructor(handle: TraceHandle, span: TraceSpan) {
    this.#handle = handle;
    this.#span = span;
    this.cut(handle.phase);
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

  commit(): void {
    const activeWriter = this.#activeWriter;
    if (activeWriter === undefined) return;
    if (!this.#span.isPaused) return activeWriter.commit();
    this.#activeWriter = undefined;
    activeWriter.pause();
  }

  cut(phase: number): void {
    if (this.#activeWriter !== undefined && this.#span.isPaused) this.commit();
    if (this.#activeWriter !== undefined) return this.#activeWriter.cut(phase);
    if (!this.#span.includes(phase)) return;
    if (this.#writer === undefined) {
      const writer = new TraceWriter({ ...this.#handle, phase });
      this.#preamble.writeTo((source, value) => writer.writeOutcome(source, value));
      this.#writer = writer;
    } else this.#writer.cut(phase);
    this.#activeWriter = this.#writer;
  }

  end(): void {
    if (this.#writer === undefined) this.#handle.port.close();
    else this.#writer.end();
    this.#activeWriter = undefined;
  }
}
