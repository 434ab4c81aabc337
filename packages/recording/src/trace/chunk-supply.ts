// A worker's side of its chunks: it takes the next from those that have come back, or makes one, and tells the writer's thread. When that has
// more to write than is allowed, there is none: the trace ends there, and may begin again with the next phase. It never waits.

import type { MessagePort } from 'node:worker_threads';
import { WriterState } from '../feed.ts';
import { Chunk, CHUNK_LENGTH, CHUNK_STATE, TraceCounts } from './chunk.ts';
import type { Supply } from './pen.ts';

/** What `LiveRecording.trace` answers: to be sent to the worker's thread, `port` in the list of what is transferred. */
export interface TraceHandle {
  readonly port: MessagePort;
  readonly state: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
  /** In which the worker is when it begins. */
  readonly phase: number;
  /** Bytes that may wait for the disk, of all workers together. */
  readonly limit: number;
  /** Of a recording that begins later: a `TraceSpan`'s. */
  readonly span: SharedArrayBuffer | undefined;
}

export type FromWorker =
  | { readonly what: 'chunk'; readonly phase: number; readonly memory: SharedArrayBuffer }
  | { readonly what: 'stopped'; readonly why: string };

/** Chunks that a worker keeps for later use. */
const KEPT = 4;

export class ChunkSupply implements Supply {
  readonly #port: MessagePort;
  readonly #state: WriterState;
  readonly #counts: TraceCounts;
  readonly #limit: number;
  readonly #kept: Chunk[] = [];
  #phase: number;
  #chunk: Chunk | undefined;
  #committed = 0;

  constructor({ port, state, counts, phase, limit }: TraceHandle) {
    this.#port = port;
    this.#state = new WriterState(state);
    this.#counts = new TraceCounts(counts);
    this.#limit = limit;
    this.#phase = phase;
  }

  get phase(): number {
    return this.#phase;
  }

  first(): Uint8Array | undefined {
    return this.#follow(0, 0);
  }

  next(length: number, least: number): Uint8Array | undefined {
    return this.#follow(length, least);
  }

  /** The same for a new phase. */
  enter(phase: number, length: number): Uint8Array | undefined {
    this.#phase = phase;
    return this.#follow(length, 0);
  }

  commit(length: number): void {
    if (length === this.#committed) return;
    this.#committed = length;
    this.#chunk?.commit(length);
  }

  end(length: number): void {
    this.#close(length, CHUNK_STATE.ended);
  }

  /** What comes next is not to be kept, until a phase is entered. */
  rest(length: number): void {
    this.#close(length, CHUNK_STATE.stopped);
  }

  stop(length: number, why: string): void {
    this.#close(length, CHUNK_STATE.stopped);
    this.#port.postMessage({ what: 'stopped', why } satisfies FromWorker);
  }

  close(): void {
    this.#port.close();
  }

  #close(length: number, state: number): void {
    this.#chunk?.close(length, state);
    this.#chunk = undefined;
    this.#committed = 0;
  }

  #follow(length: number, least: number): Uint8Array | undefined {
    const chunk = this.#reserved(Math.max(least, CHUNK_LENGTH));
    // Where none follows there is a gap, also between two phases.
    this.#close(length, chunk === undefined ? CHUNK_STATE.stopped : CHUNK_STATE.full);
    if (chunk === undefined) return undefined;
    this.#chunk = chunk;
    this.#port.postMessage({ what: 'chunk', phase: this.#phase, memory: chunk.memory } satisfies FromWorker);
    return chunk.bytes;
  }

  #reserved(length: number): Chunk | undefined {
    // Whoever writes has been turned off: nobody takes chunks.
    if (this.#state.isOff) return undefined;
    if (this.#counts.held + length > this.#limit) {
      this.#port.postMessage({ what: 'stopped', why: tooSlow(this.#limit) } satisfies FromWorker);
      return undefined;
    }
    this.#counts.hold(length);
    return length === CHUNK_LENGTH ? this.#usual() : Chunk.of(length);
  }

  #usual(): Chunk {
    const free = this.#kept.find(({ state }) => state === CHUNK_STATE.free);
    if (free !== undefined) {
      free.reuse();
      return free;
    }
    const made = Chunk.of(CHUNK_LENGTH);
    if (this.#kept.length < KEPT) this.#kept.push(made);
    return made;
  }
}

function tooSlow(limit: number): string {
  return `more than ${limit} bytes wait for the disk; record to a faster one, or allow more`;
}
