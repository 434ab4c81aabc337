// The writer's thread's side of one life of a worker: takes what the worker has committed, in the order of its chunks, and appends it to the
// segment of their phase. What cannot be written, or was not kept by the worker, leaves a gap, and behind a gap nothing can be
// replayed: the trace ends before it, what follows is dropped, and the next phase begins another segment.

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { tracePath } from '../file-names.ts';
import { syncToDisk } from '../atomic-file.ts';
import { TraceChunk, CHUNK_STATE, type TraceCounts } from './trace-chunk.ts';
import type { TraceWorkerMessage } from './chunk-pool.ts';
import { SegmentFile } from './segment-file.ts';

export interface TracedWorker {
  readonly worker: number;
  readonly epoch: number;
  readonly port: MessagePort;
}

export interface TraceDrainDeps {
  /** The recording's directory. */
  readonly directory: string;
  readonly level: number;
  readonly counts: TraceCounts;
  /** So many bytes have got to the segment of a phase. */
  onWritten(phase: number, bytes: number): void;
  /** The worker could not keep what came next. */
  onStopped(worker: number, reason: string): void;
  /** The disk does not take it. */
  onFailed(error: unknown): void;
  /** A file is about to be made. */
  onOpening(): void;
}

interface PendingChunk {
  readonly phase: number;
  readonly chunk: TraceChunk;
  takenBytes: number;
}

export class TraceDrain {
  readonly #deps: TraceDrainDeps;
  readonly #tracedWorker: TracedWorker;
  readonly #pending: PendingChunk[] = [];
  #file: SegmentFile | undefined;
  /** In which there is a gap: nothing of it is written any more. */
  #lostPhase: number | undefined;
  /** Complete, and perhaps not on the disk yet. */
  readonly #unsyncedPaths: string[] = [];
  /** Whether its port may be asked. */
  #isOpen = true;

  constructor(deps: TraceDrainDeps, tracedWorker: TracedWorker) {
    this.#deps = deps;
    this.#tracedWorker = tracedWorker;
  }

  /** Which file is being written. */
  get path(): string | undefined {
    return this.#file?.path;
  }

  /** Whether nothing more can come. */
  get isFinished(): boolean {
    return !this.#isOpen && this.#file === undefined && this.#unsyncedPaths.length === 0;
  }

  receive(message: TraceWorkerMessage): void {
    if (message.type === 'stopped') return this.#deps.onStopped(this.#tracedWorker.worker, message.reason);
    this.#pending.push({ phase: message.phase, chunk: new TraceChunk(message.memory), takenBytes: 0 });
  }

  /** Writes what is there. Never throws. */
  drain(): void {
    this.#receiveAll();
    for (let pendingChunk = this.#pending[0]; pendingChunk !== undefined; pendingChunk = this.#pending[0]) {
      // In this order: what a closed chunk has then is all of it.
      const { state } = pendingChunk.chunk;
      const { committed } = pendingChunk.chunk;
      this.#openSegment(pendingChunk.phase);
      this.#appendEvents(pendingChunk, committed);
      if (state === CHUNK_STATE.open) return;
      this.#pending.shift();
      this.#deps.counts.addHeld(-pendingChunk.chunk.bytes.length);
      if (state === CHUNK_STATE.full) pendingChunk.chunk.release();
      else if (state === CHUNK_STATE.ended) this.#finishSegment();
      else this.#dropPhase(pendingChunk.phase);
    }
  }

  /** What was written is on the disk when this returns, or it has been told. */
  sync(): void {
    this.#attempt(() => {
      for (let path = this.#unsyncedPaths[0]; path !== undefined; path = this.#unsyncedPaths[0]) {
        this.#unsyncedPaths.shift();
        syncToDisk(path);
      }
      this.#file?.sync();
    });
  }

  /** The worker's thread is gone, and its port with it: Node must not be asked for messages of one that is closed, not even in its `close` event. */
  workerEnded(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.drain();
    this.#releasePending();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.drain();
    this.#isOpen = false;
    this.#releasePending();
    this.#tracedWorker.port.close();
  }

  #releasePending(): void {
    for (const { chunk } of this.#pending.splice(0)) this.#deps.counts.addHeld(-chunk.bytes.length);
    this.#closeSegment();
  }

  #receiveAll(): void {
    if (!this.#isOpen) return;
    const { port } = this.#tracedWorker;
    for (let received = receiveMessageOnPort(port); received !== undefined; received = receiveMessageOnPort(port))
      this.receive((received as { message: TraceWorkerMessage }).message);
  }

  #openSegment(phase: number): void {
    if (this.#file?.phase === phase || this.#lostPhase === phase) return;
    this.#attempt(() => {
      if (this.#file !== undefined) this.#countWritten(() => this.#file?.writeMark(phase));
    });
    this.#closeSegment();
    this.#lostPhase = undefined;
    const { worker, epoch } = this.#tracedWorker;
    const segment = { phase, worker, epoch };
    try {
      this.#deps.onOpening();
      this.#file = new SegmentFile(tracePath(this.#deps.directory, segment), segment, this.#deps.level);
      this.#deps.onWritten(phase, this.#file.size);
    } catch (error) {
      this.#dropPhase(phase);
      this.#deps.onFailed(error);
    }
  }

  #appendEvents(pendingChunk: PendingChunk, committed: number): void {
    if (committed === pendingChunk.takenBytes) return;
    // A copy: compression reads more than once, and the memory is another thread's as well.
    const events = Buffer.from(pendingChunk.chunk.bytes.subarray(pendingChunk.takenBytes, committed));
    pendingChunk.takenBytes = committed;
    this.#attempt(() => this.#countWritten(() => this.#file?.addEvents(events)));
  }

  #finishSegment(): void {
    this.#attempt(() => this.#countWritten(() => this.#file?.writeMark(undefined)));
    this.#closeSegment();
  }

  #countWritten(action: () => void): void {
    const file = this.#file;
    if (file === undefined) return;
    const sizeBefore = file.size;
    action();
    this.#deps.onWritten(file.phase, file.size - sizeBefore);
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (this.#file !== undefined) this.#dropPhase(this.#file.phase);
      this.#deps.onFailed(error);
    }
  }

  #dropPhase(phase: number): void {
    this.#lostPhase = phase;
    this.#closeSegment();
  }

  /** The file is as complete as it gets. */
  #closeSegment(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    this.#unsyncedPaths.push(file.path);
    file.close();
  }
}
