// A worker's trace that is kept from some phase on, or not at all: until then nothing is written, not even to memory. What a thread has asked before its
// program is known by then, and stands at the beginning of the first segment as of each.

import { Beginning } from './beginning.ts';
import type { TraceHandle } from './chunk-supply.ts';
import type { TraceSink, TraceValue } from './events.ts';
import { TraceSpan } from './span.ts';
import { TraceWriter } from './trace-writer.ts';

/** A sink that can be ended. To be made on the worker's own thread. */
export function traceSink(handle: TraceHandle): TraceSink {
  return handle.span === undefined ? new TraceWriter(handle) : new LaterTrace(handle, new TraceSpan(handle.span));
}

class LaterTrace implements TraceSink {
  readonly #handle: TraceHandle;
  readonly #span: TraceSpan;
  readonly #beginning = new Beginning();
  /** From the first phase on that was kept. */
  #writer: TraceWriter | undefined;
  /** The same, while it is. */
  #kept: TraceWriter | undefined;

  constructor(handle: TraceHandle, span: TraceSpan) {
    this.#handle = handle;
    this.#span = span;
    this.cut(handle.phase);
  }

  get isResting(): boolean {
    return this.#kept === undefined;
  }

  messages(round: number, turns: number, worker: number, count: number): void {
    this.#kept?.messages(round, turns, worker, count);
  }

  happened(round: number, turns: number, kind: string, key: string, value?: TraceValue): void {
    this.#kept?.happened(round, turns, kind, key, value);
  }

  entry(round: number, step: number, source: number, id: number, value?: TraceValue): void {
    this.#kept?.entry(round, step, source, id, value);
  }

  outcome(source: number, value: TraceValue): void {
    if (this.#kept !== undefined) this.#kept.outcome(source, value);
    this.#beginning.note(source, value);
  }

  commit(): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    if (!this.#span.isResting) return kept.commit();
    this.#kept = undefined;
    kept.rest();
  }

  cut(phase: number): void {
    if (this.#kept !== undefined && this.#span.isResting) this.commit();
    if (this.#kept !== undefined) return this.#kept.cut(phase);
    if (!this.#span.keeps(phase)) return;
    if (this.#writer === undefined) {
      const writer = new TraceWriter({ ...this.#handle, phase });
      this.#beginning.tell((source, value) => writer.outcome(source, value));
      this.#writer = writer;
    } else this.#writer.cut(phase);
    this.#kept = this.#writer;
  }

  end(): void {
    if (this.#writer === undefined) this.#handle.port.close();
    else this.#writer.end();
    this.#kept = undefined;
  }
}
