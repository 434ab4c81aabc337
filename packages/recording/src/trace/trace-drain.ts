// The writer's thread's side of one life of a worker: takes what the worker has committed, in the order of its chunks, and appends it to the
// segment of their phase. What cannot be written, or was not kept by the worker, leaves a gap, and behind a gap nothing can be
// replayed: the trace ends before it, what follows is dropped, and the next phase begins another segment.

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { tracePath } from '../layout.ts';
import { makeDurable } from '../whole-file.ts';
import { Chunk, CHUNK_STATE, type TraceCounts } from './chunk.ts';
import type { FromWorker } from './chunk-supply.ts';
import { SegmentFile } from './segment-file.ts';

export interface Traced {
  readonly worker: number;
  readonly life: number;
  readonly port: MessagePort;
}

export interface DrainPorts {
  /** The recording's directory. */
  readonly directory: string;
  readonly level: number;
  readonly counts: TraceCounts;
  /** So many bytes have got to the segment of a phase. */
  written(phase: number, bytes: number): void;
  /** The worker could not keep what came next. */
  stopped(worker: number, why: string): void;
  /** The disk does not take it. */
  failed(error: unknown): void;
  /** A file is about to be made. */
  opening(): void;
}

interface Waiting {
  readonly phase: number;
  readonly chunk: Chunk;
  taken: number;
}

export class TraceDrain {
  readonly #ports: DrainPorts;
  readonly #traced: Traced;
  readonly #waiting: Waiting[] = [];
  #file: SegmentFile | undefined;
  /** In which there is a gap: nothing of it is written any more. */
  #lostPhase: number | undefined;
  /** Complete, and perhaps not on the disk yet. */
  readonly #unsure: string[] = [];
  /** Whether its port may be asked. */
  #isOpen = true;

  constructor(ports: DrainPorts, traced: Traced) {
    this.#ports = ports;
    this.#traced = traced;
  }

  /** Which file is being written. */
  get path(): string | undefined {
    return this.#file?.path;
  }

  /** Whether nothing more can come. */
  get isOver(): boolean {
    return !this.#isOpen && this.#file === undefined && this.#unsure.length === 0;
  }

  hear(message: FromWorker): void {
    if (message.what === 'stopped') return this.#ports.stopped(this.#traced.worker, message.why);
    this.#waiting.push({ phase: message.phase, chunk: new Chunk(message.memory), taken: 0 });
  }

  /** Writes what is there. Never throws. */
  drain(): void {
    this.#hearAll();
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      // In this order: what a closed chunk has then is all of it.
      const { state } = first.chunk;
      const { committed } = first.chunk;
      this.#begin(first.phase);
      this.#add(first, committed);
      if (state === CHUNK_STATE.open) return;
      this.#waiting.shift();
      this.#ports.counts.hold(-first.chunk.bytes.length);
      if (state === CHUNK_STATE.full) first.chunk.giveBack();
      else if (state === CHUNK_STATE.ended) this.#end();
      else this.#stop(first.phase);
    }
  }

  /** What was written is on the disk when this returns, or it has been told. */
  sync(): void {
    this.#try(() => {
      for (let path = this.#unsure[0]; path !== undefined; path = this.#unsure[0]) {
        this.#unsure.shift();
        makeDurable(path);
      }
      this.#file?.sync();
    });
  }

  /** The worker's thread is gone, and its port with it: Node must not be asked for messages of one that is closed, not even in its `close` event. */
  lose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.drain();
    this.#finish();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.drain();
    this.#isOpen = false;
    this.#finish();
    this.#traced.port.close();
  }

  #finish(): void {
    for (const { chunk } of this.#waiting.splice(0)) this.#ports.counts.hold(-chunk.bytes.length);
    this.#leave();
  }

  #hearAll(): void {
    if (!this.#isOpen) return;
    const { port } = this.#traced;
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      this.hear((next as { message: FromWorker }).message);
  }

  #begin(phase: number): void {
    if (this.#file?.phase === phase || this.#lostPhase === phase) return;
    this.#try(() => {
      if (this.#file !== undefined) this.#write(() => this.#file?.mark(phase));
    });
    this.#leave();
    this.#lostPhase = undefined;
    const { worker, life } = this.#traced;
    const segment = { phase, worker, life };
    try {
      this.#ports.opening();
      this.#file = new SegmentFile(tracePath(this.#ports.directory, segment), segment, this.#ports.level);
      this.#ports.written(phase, this.#file.size);
    } catch (error) {
      this.#stop(phase);
      this.#ports.failed(error);
    }
  }

  #add(from: Waiting, committed: number): void {
    if (committed === from.taken) return;
    // A copy: compression reads more than once, and the memory is another thread's as well.
    const events = Buffer.from(from.chunk.bytes.subarray(from.taken, committed));
    from.taken = committed;
    this.#try(() => this.#write(() => this.#file?.add(events)));
  }

  #end(): void {
    this.#try(() => this.#write(() => this.#file?.mark(undefined)));
    this.#leave();
  }

  #write(act: () => void): void {
    const file = this.#file;
    if (file === undefined) return;
    const before = file.size;
    act();
    this.#ports.written(file.phase, file.size - before);
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (this.#file !== undefined) this.#stop(this.#file.phase);
      this.#ports.failed(error);
    }
  }

  #stop(phase: number): void {
    this.#lostPhase = phase;
    this.#leave();
  }

  /** The file is as complete as it gets. */
  #leave(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    this.#unsure.push(file.path);
    file.close();
  }
}
