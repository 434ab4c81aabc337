// A worker's side of its chunks: it takes the next from those that have come back, or makes one, and tells the writer's thread. When that has
// more to write than is allowed, there is none: the trace ends there, and may begin again with the next phase. It never waits.

import type { MessagePort } from 'node:worker_threads';
import { WriterState } from '../feed.ts';
import { TraceChunk, CHUNK_BYTES, CHUNK_STATE, TraceCounts } from './trace-chunk.ts';
import type { ChunkProvider } from './chunk-writer.ts';

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

export type TraceWorkerMessage =
  | { readonly type: 'chunk'; readonly phase: number; readonly memory: SharedArrayBuffer }
  | { readonly type: 'stopped'; readonly reason: string };

/** Chunks that a worker keeps for later use. */
const MAX_REUSED_CHUNKS = 4;

export class ChunkPool implements ChunkProvider {
  readonly #port: MessagePort;
  readonly #writerState: WriterState;
  readonly #counts: TraceCounts;
  readonly #limit: number;
  readonly #reused: TraceChunk[] = [];
  #phase: number;
  #current: TraceChunk | undefined;
  #committedBytes = 0;

  constructor({ port, state, counts, phase, limit }: TraceHandle) {
    this.#port = port;
    this.#writerState = new WriterState(state);
    this.#counts = new TraceCounts(counts);
    this.#limit = limit;
    this.#phase = phase;
  }

  get phase(): number {
    return this.#phase;
  }

  firstChunk(): Uint8Array | undefined {
    return this.#nextChunk(0, 0);
  }

  nextChunk(length: number, minLength: number): Uint8Array | undefined {
    return this.#nextChunk(length, minLength);
  }

  /** The same for a new phase. */
  enterPhase(phase: number, length: number): Uint8Array | undefined {
    this.#phase = phase;
    return this.#nextChunk(length, 0);
  }

  commit(length: number): void {
    if (length === this.#committedBytes) return;
    this.#committedBytes = length;
    this.#current?.commit(length);
  }

  end(length: number): void {
    this.#closeChunk(length, CHUNK_STATE.ended);
  }

  /** What comes next is not to be kept, until a phase is entered. */
  pause(length: number): void {
    this.#closeChunk(length, CHUNK_STATE.stopped);
  }

  stop(length: number, reason: string): void {
    this.#closeChunk(length, CHUNK_STATE.stopped);
    this.#port.postMessage({ type: 'stopped', reason } satisfies TraceWorkerMessage);
  }

  close(): void {
    this.#port.close();
  }

  #closeChunk(length: number, state: number): void {
    this.#current?.close(length, state);
    this.#current = undefined;
    this.#committedBytes = 0;
  }

  #nextChunk(length: number, minLength: number): Uint8Array | undefined {
    const chunk = this.#reserveChunk(Math.max(minLength, CHUNK_BYTES));
    // Where none follows there is a gap, also between two phases.
    this.#closeChunk(length, chunk === undefined ? CHUNK_STATE.stopped : CHUNK_STATE.full);
    if (chunk === undefined) return undefined;
    this.#current = chunk;
    this.#port.postMessage({ type: 'chunk', phase: this.#phase, memory: chunk.memory } satisfies TraceWorkerMessage);
    return chunk.bytes;
  }

  #reserveChunk(length: number): TraceChunk | undefined {
    // Whoever writes has been turned off: nobody takes chunks.
    if (this.#writerState.isOff) return undefined;
    if (this.#counts.heldBytes + length > this.#limit) {
      this.#port.postMessage({ type: 'stopped', reason: backlogReason(this.#limit) } satisfies TraceWorkerMessage);
      return undefined;
    }
    this.#counts.addHeld(length);
    return length === CHUNK_BYTES ? this.#takeChunk() : TraceChunk.create(length);
  }

  #takeChunk(): TraceChunk {
    const freeChunk = this.#reused.find(({ state }) => state === CHUNK_STATE.free);
    if (freeChunk !== undefined) {
      freeChunk.reuse();
      return freeChunk;
    }
    const chunk = TraceChunk.create(CHUNK_BYTES);
    if (this.#reused.length < MAX_REUSED_CHUNKS) this.#reused.push(chunk);
    return chunk;
  }
}

function backlogReason(limit: number): string {
  return `more than ${limit} bytes wait for the disk; record to a faster one, or allow more`;
}
