// Worker side of trace chunks: reuses a returned chunk or allocates one, and announces it to the writer thread. Never
// waits: while the writer's backlog exceeds the limit there is no chunk, and the trace has a gap until the next phase.

import type { MessagePort } from 'node:worker_threads';
import { WriterState } from '../feed.ts';
import { progressOf } from './trace-progress.ts';
import { TraceChunk, CHUNK_BYTES, CHUNK_STATE, TraceCounts } from './trace-chunk.ts';
import type { ChunkProvider } from './chunk-writer.ts';

/** Result of `LiveRecording.trace`, to be sent to the worker thread with `port` in the transfer list. */
export interface TraceHandle {
  readonly port: MessagePort;
  readonly state: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
  /** Phase in which the worker starts. */
  readonly phase: number;
  /** The first chunk, which the writer thread knows; undefined if events of `phase` are not kept. */
  readonly firstChunk?: SharedArrayBuffer | undefined;
  /** Maximum number of bytes that may wait for the disk, summed over all workers. */
  readonly limit: number;
  /** Maximum number of bytes of all traces since the last snapshot. */
  readonly maxBytes: number;
  /** Memory of the `TraceSpan`, if recording may start later than the program. */
  readonly span: SharedArrayBuffer | undefined;
}

export type TraceWorkerMessage =
  | { readonly type: 'chunk'; readonly phase: number; readonly memory: SharedArrayBuffer }
  /** @property emptyPhase phase without any event, if the trace stops at its beginning */
  | { readonly type: 'stopped'; readonly reason: string; readonly emptyPhase?: number | undefined }
  | { readonly type: 'flush'; readonly flush: number; readonly isSynced: boolean };

/** The writer thread's answer to a flush. */
export interface TraceFlushed {
  readonly flush: number;
}

/** Maximum number of chunks that a worker keeps for reuse. */
const MAX_REUSED_CHUNKS = 4;

export class ChunkPool implements ChunkProvider {
  readonly #port: MessagePort;
  readonly #writerState: WriterState;
  readonly #counts: TraceCounts;
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #reused: TraceChunk[] = [];
  #isClosed = false;
  #phase: number;
  #current: TraceChunk | undefined;
  /** Bytes of the traces before this phase, while the snapshot between them is being written. */
  #earlierBytes = 0;
  #committedBytes = 0;
  #startedRounds = 0;
  #isSettled = false;
  /** Resolvers of pending flushes, by number. */
  readonly #flushes = new Map<number, () => void>();
  #lastFlush = 0;

  constructor({ port, state, counts, phase, limit, maxBytes, firstChunk }: TraceHandle) {
    this.#port = port;
    this.#writerState = new WriterState(state);
    this.#counts = new TraceCounts(counts);
    this.#limit = limit;
    this.#maxBytes = maxBytes;
    this.#phase = phase;
    if (firstChunk === undefined) return;
    this.#current = new TraceChunk(firstChunk);
    this.#reused.push(this.#current);
  }

  get phase(): number {
    return this.#phase;
  }

  /** Announces the first chunk of a worker that is about to start. Returns its memory; undefined if there is no room. */
  static announceFirst(handle: TraceHandle): SharedArrayBuffer | undefined {
    const pool = new ChunkPool(handle);
    pool.#nextChunk(0, 0);
    return pool.#current?.memory;
  }

  /** Returns the first chunk of a trace; undefined if events cannot be kept. */
  firstChunk(): Uint8Array | undefined {
    return this.#current === undefined ? this.#nextChunk(0, 0) : this.#current.bytes;
  }

  nextChunk(length: number, minLength: number): Uint8Array | undefined {
    return this.#nextChunk(length, minLength);
  }

  /** Closes the current chunk and returns the first chunk of a new phase; undefined if events cannot be kept. */
  enterPhase(phase: number, length: number): Uint8Array | undefined {
    const isNew = this.#phase !== phase;
    this.#phase = phase;
    if (isNew) this.#earlierBytes = this.#counts.bytesSinceSnapshot;
    return this.#nextChunk(length, 0, isNew);
  }

  commit(length: number): void {
    if (length === this.#committedBytes) return;
    this.#committedBytes = length;
    this.#current?.commit(length);
    this.#writerState.wakeWriter();
  }

  beginRound(round: number): void {
    this.#startedRounds = round;
    this.#isSettled = false;
    this.#showProgress();
    this.#writerState.wakeWriter();
  }

  /** @param isSettled whether all work is done, or an entry begins some */
  setSettled(isSettled: boolean): void {
    if (this.#isSettled === isSettled) return;
    this.#isSettled = isSettled;
    this.#showProgress();
  }

  #showProgress(): void {
    this.#current?.setProgress(progressOf(this.#startedRounds, this.#isSettled));
  }

  /** Resolves when the committed events of all workers are written, or can no longer be written. */
  flush(isSynced: boolean): Promise<void> {
    if (this.#writerState.isOff || this.#isClosed) return Promise.resolve();
    if (this.#lastFlush === 0) this.#receiveAnswers();
    const { promise, resolve } = Promise.withResolvers<void>();
    const flush = ++this.#lastFlush;
    this.#flushes.set(flush, resolve);
    this.#port.postMessage({ type: 'flush', flush, isSynced } satisfies TraceWorkerMessage);
    return promise;
  }

  #receiveAnswers(): void {
    this.#port.on('message', ({ flush }: TraceFlushed) => {
      this.#flushes.get(flush)?.();
      this.#flushes.delete(flush);
    });
    this.#port.on('close', () => {
      this.#isClosed = true;
      for (const resolve of this.#flushes.values()) resolve();
      this.#flushes.clear();
    });
    this.#port.unref();
  }

  end(length: number): void {
    this.#closeChunk(length, CHUNK_STATE.ended);
  }

  /** Stops keeping events until the next phase. */
  pause(length: number): void {
    this.#closeChunk(length, CHUNK_STATE.stopped);
  }

  stop(length: number, reason: string): void {
    this.#closeChunk(length, CHUNK_STATE.stopped);
    this.#port.postMessage({ type: 'stopped', reason } satisfies TraceWorkerMessage);
  }

  close(): void {
    this.#isClosed = true;
    this.#port.close();
  }

  #closeChunk(length: number, state: number): void {
    this.#current?.close(length, state);
    this.#writerState.wakeWriter();
    this.#current = undefined;
    this.#committedBytes = 0;
  }

  /** @param isNewPhase whether the chunk is the first of a phase, which may follow a snapshot */
  #nextChunk(length: number, minLength: number, isNewPhase = false): Uint8Array | undefined {
    const chunk = this.#reserveChunk(Math.max(minLength, CHUNK_BYTES), isNewPhase);
    // Without a next chunk the trace has a gap, even between two phases.
    this.#closeChunk(length, chunk === undefined ? CHUNK_STATE.stopped : CHUNK_STATE.full);
    if (chunk === undefined) return undefined;
    this.#current = chunk;
    this.#showProgress();
    this.#port.postMessage({ type: 'chunk', phase: this.#phase, memory: chunk.memory } satisfies TraceWorkerMessage);
    return chunk.bytes;
  }

  #reserveChunk(length: number, isNewPhase: boolean): TraceChunk | undefined {
    // The writer is turned off and takes no chunks.
    if (this.#writerState.isOff) return undefined;
    const isFull = !isNewPhase && this.#isFull();
    if (isFull || this.#counts.heldBytes + length > this.#limit) {
      const reason = isFull ? sizeReason(this.#maxBytes) : backlogReason(this.#limit);
      const emptyPhase = isNewPhase ? this.#phase : undefined;
      this.#port.postMessage({ type: 'stopped', reason, emptyPhase } satisfies TraceWorkerMessage);
      return undefined;
    }
    this.#counts.addHeld(length);
    return length === CHUNK_BYTES ? this.#takeChunk() : TraceChunk.create(length);
  }

  /** Whether the traces have reached their limit. While a snapshot is being written, those before it do not count. */
  #isFull(): boolean {
    const bytes = this.#counts.bytesSinceSnapshot;
    if (bytes < this.#earlierBytes) this.#earlierBytes = 0;
    // Snapshots that cannot be written delete nothing.
    return bytes - this.#earlierBytes >= this.#maxBytes || bytes >= 2 * this.#maxBytes;
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

function sizeReason(maxBytes: number): string {
  return `the traces since the last snapshot have reached the limit of ${maxBytes} bytes; take snapshots (--snapshots), or raise the limit (--keep bytes)`;
}

function backlogReason(limit: number): string {
  return `more than ${limit} bytes wait for the disk; record to a faster one, or allow more`;
}
