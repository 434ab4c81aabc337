// The trace of a recording that may start later: until then nothing is kept, not even in memory. The preamble, the
// thread's queries before its program, is at the start of the first segment as of each.

import { TracePreamble } from './trace-preamble.ts';
import type { TraceHandle } from './chunk-pool.ts';
import type { TraceSink, TraceValue } from './trace-events.ts';
import { TraceSpan } from './trace-span.ts';
import { TraceWriter } from './trace-writer.ts';

/** A sink that can be ended; call it on the worker's own thread. */
export function createTraceSink(handle: TraceHandle): TraceSink {
  return handle.span === undefined ? new TraceWriter(handle) : new DeferredTrace(handle, new TraceSpan(handle.span));
}

class DeferredTrace implements TraceSink {
  readonly #handle: TraceHandle;
  readonly #span: TraceSpan;
  readonly #preamble = new TracePreamble();
  /** From the first recorded phase on. */
  #writer: TraceWriter | undefined;
  /** The writer, while recording is on. */
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
