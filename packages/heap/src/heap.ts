// The heap of one realm: made once from the ports, used for every capture and restore.

import { captureMisusedError, CaptureRefusal } from './heap-error.ts';
import { uncapturableError, pathsTo } from './graph-path.ts';
import { digestOf } from './digest.ts';
import { withHeapErrors, type HeapReadOptions } from './heap-reader.ts';
import { createReader } from './relocating-reader.ts';
import { HeapWriter } from './heap-writer.ts';
import { keepOptimizedCode } from './optimized-code.ts';
import type { RootPartition } from './identity-table.ts';
import type { HeapPorts } from './ports.ts';
import type { BytesConsumer } from './byte-writer.ts';

/** A capture in progress. Nothing of the graph may change until its first root has been written. */
export interface Capture {
  /** Bytes so far. */
  readonly size: number;
  /** Goes on for about `budget` objects; true when the first root is written. */
  run(budget?: number): boolean;
  /**
   * Writes one more root, and what it leads to as far as earlier ones did not, once `run` has answered true. What stands in earlier
   * roots may have changed since: it is mentioned, never looked at. What is new must still be what it was. `name` begins paths
   * in errors. If it throws, nothing can be done with the capture any more. `group`: roots of one may have anything in common, if others are apart.
   */
  add(root: unknown, name?: string, group?: object): void;
  /** The same, before all others, if those are apart: they may have in common with it what they may with the first root. */
  addToFirst(root: unknown, name?: string): void;
  /** The bytes, but for those that have been given away. */
  finish(): Uint8Array<ArrayBuffer>;
}

export interface HeapCaptureOptions {
  /** What paths in errors begin with. */
  readonly name?: string;
  /**
   * What is added has nothing in common with what else is added but what the first root leads to, what adapters take (functions,
   * eventuals, references), what is outside, symbols, and what others of the same group lead to. Then what `add` costs does not
   * grow with what was added before, and what is in no group is not kept in memory. Data that stands in two groups all the same is written as two.
   */
  readonly isDisjoint?: boolean;
  /** Takes bytes that will not change any more, in their order, also during a root; `finish` answers the rest. Must not call the program. */
  readonly onBytes?: BytesConsumer;
}

const DEFAULT_ROOT_NAME = 'roots';

/** In pieces: what is full can be given away. */
const PART_BYTES = 1 << 20;
/** Room for what the last state took and a little more: fresh memory is dear, growing takes it twice. */
let expectedBytes = 1 << 16;

export class Heap {
  readonly #ports: HeapPorts;
  constructor(ports: HeapPorts) {
    this.#ports = ports;
  }

  /** Begins to write everything that `root` leads to; other roots may follow. */
  capture(root: unknown, { name = DEFAULT_ROOT_NAME, isDisjoint = false, onBytes }: HeapCaptureOptions = {}): Capture {
    return new HeapCaptureSession(this.#ports, root, name, isDisjoint ? 'disjoint' : 'shared', onBytes);
  }

  /** Everything that `root` leads to, as bytes. */
  write(root: unknown): Uint8Array<ArrayBuffer> {
    return new HeapCaptureSession(this.#ports, root, DEFAULT_ROOT_NAME, 'single').finish();
  }

  /** The only root again, in this realm. Any other bytes than a writer's are a `HeapError`. */
  read(bytes: Uint8Array, options?: HeapReadOptions): unknown {
    return withHeapErrors(() => createReader(this.#ports, bytes, options).read());
  }

  /** All roots of a capture, in their order. */
  readAll(bytes: Uint8Array, options?: HeapReadOptions): unknown[] {
    return withHeapErrors(() => createReader(this.#ports, bytes, options).readAll());
  }

  /** By which ways objects are reached: `roots.cart.items[3].socket`, or nothing. None may lie on the way to another. */
  pathsTo(root: unknown, objects: readonly object[]): (string | undefined)[] {
    return pathsTo(this.#ports, root, DEFAULT_ROOT_NAME, objects);
  }

  /** Equal for equal states, whatever their history: a digest of what a fresh writer writes. */
  hash(root: unknown): string {
    const bytes = this.write(root);
    return digestOf(bytes);
  }
}

class HeapCaptureSession implements Capture {
  readonly #ports: HeapPorts;
  readonly #writer: HeapWriter;
  readonly #partition: RootPartition;
  /** The root that is being written, and what it is called. */
  #root: unknown;
  #name: string;
  #isFirstRootWritten = false;
  #failure: unknown;
  #isFinished = false;

  constructor(ports: HeapPorts, root: unknown, name: string, partition: RootPartition, onBytes?: BytesConsumer) {
    this.#ports = ports;
    this.#root = root;
    this.#name = name;
    this.#partition = partition;
    this.#writer = this.#attempt(() => {
      const capacity = partition === 'single' ? expectedBytes : Math.min(expectedBytes, PART_BYTES);
      const writer = new HeapWriter(ports, capacity, partition, onBytes);
      writer.start(root, ports.known.changes());
      return writer;
    });
  }

  get size(): number {
    return this.#writer.size;
  }

  run(budget = Infinity): boolean {
    this.#requireUsable();
    this.#isFirstRootWritten ||= this.#attempt(() => this.#writer.run(budget));
    return this.#isFirstRootWritten;
  }

  add(root: unknown, name = DEFAULT_ROOT_NAME, group?: object): void {
    this.#add(root, name, () => this.#writer.addRoot(root, group));
  }

  addToFirst(root: unknown, name = DEFAULT_ROOT_NAME): void {
    this.#add(root, name, () => this.#writer.addToPiece(root));
  }

  #add(root: unknown, name: string, writeRoot: () => void): void {
    this.#requireUsable();
    if (!this.#isFirstRootWritten)
      throw captureMisusedError(
        'the first root of this capture is not written yet',
        'call `run` until it answers true',
      );
    this.#root = root;
    this.#name = name;
    this.#attempt(writeRoot);
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.run();
    this.#isFinished = true;
    const bytes = this.#writer.finish();
    const { size } = this;
    expectedBytes = size + (size >> 3) + 1024;
    keepOptimizedCode(this.#ports, this.#partition);
    return bytes;
  }

  #requireUsable(): void {
    if (this.#isFinished) throw captureMisusedError('the capture is finished', 'begin another one');
    if (this.#failure !== undefined)
      throw captureMisusedError(
        'a root of this capture could not be written, and what it has is cut short',
        'begin another one',
        this.#failure,
      );
  }

  #attempt<R>(action: () => R): R {
    try {
      return action();
    } catch (error) {
      const reported =
        error instanceof CaptureRefusal ? uncapturableError(this.#ports, this.#root, this.#name, error) : error;
      this.#failure = reported;
      throw reported;
    }
  }
}
