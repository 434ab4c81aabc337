// Writes the trace of one worker in one epoch, on the writer thread: appends committed events, in the order of the
// chunks, to the segment of their phase. Nothing after a gap can be replayed. So after a failed write, or events that
// the worker did not keep, the rest of the phase is dropped, and the next phase begins a new segment.

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { tracePath } from '../file-names.ts';
import { TraceChunk, CHUNK_STATE, type TraceCounts } from './trace-chunk.ts';
import type { TraceFlushed, TraceWorkerMessage } from './chunk-pool.ts';
import { encodeProgress, FOLLOWS } from './trace-format.ts';
import { SegmentFile, type SegmentFileOptions } from './segment-file.ts';

export interface TracedWorker {
  readonly worker: number;
  readonly epoch: number;
  readonly earlierLosses: number;
  readonly port: MessagePort;
}

export interface TraceDrainDeps {
  readonly directory: string;
  readonly segmentOptions: SegmentFileOptions;
  readonly counts: TraceCounts;
  /** Reports bytes written to the segment of a phase. */
  onWritten(phase: number, bytes: number, path: string): void;
  /** Reports a gap that the worker caused. */
  onStopped(worker: number, reason: string): void;
  /** Reports that the worker has no segment of a phase. */
  onSegmentMissing(phase: number): void;
  /** Reports that the worker waits until all that is committed is written. */
  onFlush(flush: TraceFlush): void;
  /** Reports a failed write. */
  onFailed(error: unknown): void;
  /** Called before a segment file is created. */
  onOpening(): void;
  /** Called before events are written. It must write the modules that they need. May drain and close this trace. */
  beforeEvents(): void;
}

/** A flush that a worker waits for. */
export interface TraceFlush {
  readonly isSynced: boolean;
  /** Must be called when all committed events are written. */
  answer(): void;
}

interface PendingChunk {
  readonly phase: number;
  readonly chunk: TraceChunk;
  takenBytes: number;
}

/** State of a pending chunk at one moment. */
interface SeenChunk {
  readonly pendingChunk: PendingChunk;
  readonly progress: number;
  readonly state: number;
  readonly committed: number;
}

/** Interval at which the progress of a worker is written that is busy without events. */
const PROGRESS_INTERVAL_MS = 100;

export class TraceDrain {
  readonly #deps: TraceDrainDeps;
  readonly #tracedWorker: TracedWorker;
  readonly #pending: PendingChunk[] = [];
  #file: SegmentFile | undefined;
  /** How far the worker is known to have come, and what the segment says. */
  #progress = 0;
  #writtenProgress: number | undefined;
  #progressWrittenAt = 0;
  /** Phase with a gap, whose remaining events are dropped. */
  #lostPhase: number | undefined;
  /** Whether the worker's port is open and may be read. */
  #isOpen = true;
  /** Whether all events of a worker that has ended are written. */
  #isDrained = false;
  /** Whether the segment must be closed when all events are written. */
  #isClosing = false;
  /** End mark of a lost worker. */
  #lossMark: number | undefined;

  constructor(deps: TraceDrainDeps, tracedWorker: TracedWorker) {
    this.#deps = deps;
    this.#tracedWorker = tracedWorker;
  }

  isOf(worker: number, epoch: number): boolean {
    return this.#tracedWorker.worker === worker && this.#tracedWorker.epoch === epoch;
  }

  get path(): string | undefined {
    return this.#file?.path;
  }

  /** Whether the trace has ended and all of it is written. */
  get isFinished(): boolean {
    return !this.#isOpen && this.#file === undefined;
  }

  receive(message: TraceWorkerMessage): void {
    if (message.type === 'stopped') {
      if (message.emptyPhase !== undefined) this.#deps.onSegmentMissing(message.emptyPhase);
      return this.#deps.onStopped(this.#tracedWorker.worker, message.reason);
    }
    if (message.type === 'flush') {
      const { flush, isSynced } = message;
      const answer = (): void => this.#tracedWorker.port.postMessage({ flush } satisfies TraceFlushed);
      return this.#deps.onFlush({ isSynced, answer });
    }
    this.#pending.push({ phase: message.phase, chunk: new TraceChunk(message.memory), takenBytes: 0 });
  }

  /** Writes all committed events. Never throws. Returns whether the worker has done anything. */
  drain(): boolean {
    this.#receiveAll();
    const seenChunks = this.#seeChunks();
    if (seenChunks.length === 0) return false;
    this.#deps.beforeEvents();
    for (const seen of seenChunks) this.#writeChunk(seen);
    return true;
  }

  /** Lists the chunks with something to write. */
  #seeChunks(): SeenChunk[] {
    const seenChunks: SeenChunk[] = [];
    for (const pendingChunk of this.#pending) {
      // In this order: all bytes of a closed chunk, and all events before this progress, are committed.
      const { progress } = pendingChunk.chunk;
      const { state } = pendingChunk.chunk;
      const { committed } = pendingChunk.chunk;
      const hasEvents = committed !== pendingChunk.takenBytes || this.#isNewPhase(pendingChunk.phase);
      if (hasEvents || state !== CHUNK_STATE.open || progress !== this.#writtenProgress)
        seenChunks.push({ pendingChunk, progress, state, committed });
      if (state === CHUNK_STATE.open) break;
    }
    return seenChunks;
  }

  #writeChunk({ pendingChunk, progress, state, committed }: SeenChunk): void {
    // `beforeEvents` may have written the chunk already.
    if (this.#pending[0] !== pendingChunk || committed < pendingChunk.takenBytes) return;
    this.#openSegment(pendingChunk.phase);
    const isBusy = progress !== this.#progress && performance.now() - this.#progressWrittenAt < PROGRESS_INTERVAL_MS;
    this.#progress = progress;
    if (committed > pendingChunk.takenBytes) this.#appendEvents(pendingChunk, committed);
    else if (!isBusy) this.#writeProgress();
    if (state === CHUNK_STATE.open) return;
    this.#pending.shift();
    this.#deps.counts.addHeld(-pendingChunk.chunk.bytes.length);
    if (state === CHUNK_STATE.full) pendingChunk.chunk.release();
    else if (state === CHUNK_STATE.ended) this.#finishSegment();
    else this.#dropPhase(pendingChunk.phase);
  }

  /**
   * Handles the end of the worker thread. Its port is closed and must not be read any more, not even on `close`. The
   * segment stays open until `workerLost` or `close`.
   */
  workerEnded(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.drain();
    this.#finish();
  }

  /** Completes the trace of a lost worker. */
  workerLost(isOutOfMemory: boolean): void {
    this.#lossMark = isOutOfMemory ? FOLLOWS.outOfMemory : FOLLOWS.loss;
    this.close();
  }

  close(): void {
    this.#isClosing = true;
    if (this.#isOpen) {
      this.drain();
      this.#isOpen = false;
      this.#tracedWorker.port.close();
      this.#finish();
    } else if (this.#isDrained) this.#finish();
  }

  /** Releases the chunks, so that an interrupted drain ends, and closes the segment if that was requested. */
  #finish(): void {
    this.#isDrained = true;
    this.#writeProgress();
    for (const { chunk } of this.#pending.splice(0)) this.#deps.counts.addHeld(-chunk.bytes.length);
    if (!this.#isClosing) return;
    const mark = this.#lossMark;
    if (mark !== undefined) this.#attempt(() => this.#countWritten(() => this.#file?.writeMark(mark)));
    this.#closeSegment();
  }

  #receiveAll(): void {
    if (!this.#isOpen) return;
    const { port } = this.#tracedWorker;
    for (let received = receiveMessageOnPort(port); received !== undefined; received = receiveMessageOnPort(port))
      this.receive((received as { message: TraceWorkerMessage }).message);
  }

  #isNewPhase(phase: number): boolean {
    return this.#file?.phase !== phase && this.#lostPhase !== phase;
  }

  #openSegment(phase: number): void {
    if (!this.#isNewPhase(phase)) return;
    this.#attempt(() => {
      if (this.#file !== undefined) this.#countWritten(() => this.#file?.writeMark(FOLLOWS.segment, phase));
    });
    this.#closeSegment();
    this.#lostPhase = undefined;
    const { worker, epoch, earlierLosses } = this.#tracedWorker;
    const segment = { phase, worker, epoch, earlierLosses };
    try {
      this.#deps.onOpening();
      this.#writtenProgress = undefined;
      this.#file = new SegmentFile(tracePath(this.#deps.directory, segment), segment, this.#deps.segmentOptions);
      this.#deps.onWritten(phase, this.#file.size, this.#file.path);
    } catch (error) {
      this.#dropPhase(phase);
      this.#deps.onSegmentMissing(phase);
      this.#deps.onFailed(error);
    }
  }

  #appendEvents(pendingChunk: PendingChunk, committed: number): void {
    // A copy, because compression reads the bytes twice and other threads can write to the shared memory.
    const events = Buffer.concat([
      pendingChunk.chunk.bytes.subarray(pendingChunk.takenBytes, committed),
      this.#takeProgress(),
    ]);
    pendingChunk.takenBytes = committed;
    this.#attempt(() => this.#countWritten(() => this.#file?.addEvents(events)));
  }

  #writeProgress(): void {
    const record = this.#takeProgress();
    if (record.length > 0) this.#attempt(() => this.#countWritten(() => this.#file?.addEvents(record)));
  }

  /** Returns the progress as it follows events; empty if it is written already. */
  #takeProgress(): Uint8Array {
    if (this.#progress === this.#writtenProgress) return new Uint8Array();
    this.#writtenProgress = this.#progress;
    this.#progressWrittenAt = performance.now();
    return encodeProgress(this.#progress);
  }

  #finishSegment(): void {
    this.#attempt(() => this.#countWritten(() => this.#file?.writeMark(FOLLOWS.end)));
    this.#closeSegment();
  }

  #countWritten(action: () => void): void {
    const file = this.#file;
    if (file === undefined) return;
    const sizeBefore = file.size;
    action();
    this.#deps.onWritten(file.phase, file.size - sizeBefore, file.path);
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (this.#file !== undefined) this.#dropPhase(this.#file.phase);
      this.#deps.onFailed(error);
    }
  }

  /** Drops the rest of the phase that is being written. */
  dropOpenSegment(): void {
    if (this.#file !== undefined) this.#dropPhase(this.#file.phase);
  }

  #dropPhase(phase: number): void {
    this.#lostPhase = phase;
    this.#closeSegment();
  }

  #closeSegment(): void {
    const file = this.#file;
    this.#file = undefined;
    file?.close();
  }
}
