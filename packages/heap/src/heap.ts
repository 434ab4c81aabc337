// The heap of one realm, created once from its ports for all captures and restores.

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

/** A capture in progress. The graph must not change until the first root has been written. */
export interface Capture {
  /** Number of bytes written. */
  readonly size: number;
  /** Writes about `budget` objects; returns true when the first root is written. */
  run(budget?: number): boolean;
  /**
   * Writes another root and everything new that it leads to, after `run` has returned true. Objects of earlier roots
   * may have changed, because they are not read again. New objects must be unchanged since the cut. A throw invalidates
   * the capture.
   * @param name start of paths in errors
   * @param group roots of a group may share objects if captures are disjoint
   */
  add(root: unknown, name?: string, group?: object): void;
  /** Like `add`, for a disjoint capture that has no groups yet: the root may share any objects with the first root. */
  addToFirst(root: unknown, name?: string): void;
  /** Returns the bytes that no consumer has taken. */
  finish(): Uint8Array<ArrayBuffer>;
}

export interface HeapCaptureOptions {
  /** Start of paths in errors. */
  readonly name?: string;
  /**
   * Whether added roots share data only with roots of their group. All may share symbols, host objects, objects of the
   * first root, and objects of adapters (functions, eventuals, references). The cost of `add` then does not grow with
   * earlier roots, and roots without a group are not kept in memory. Data in two groups is written twice.
   */
  readonly isDisjoint?: boolean;
  /** Takes final bytes in order; `finish` returns the rest. The consumer must not call the program. */
  readonly onBytes?: BytesConsumer;
}

const DEFAULT_ROOT_NAME = 'roots';

/** Maximum initial capacity of a capture in pieces. Full parts are put aside, so it need not hold the whole state. */
const PART_BYTES = 1 << 20;
/** Initial capacity: size of the last state plus a reserve. Growing would need more fresh memory, which is slow. */
let expectedBytes = 1 << 16;

export class Heap {
  readonly #ports: HeapPorts;
  constructor(ports: HeapPorts) {
    this.#ports = ports;
  }

  /** Starts a capture of everything that `root` leads to. More roots may follow. */
  capture(root: unknown, { name = DEFAULT_ROOT_NAME, isDisjoint = false, onBytes }: HeapCaptureOptions = {}): Capture {
    return new HeapCaptureSession(this.#ports, root, name, isDisjoint ? 'disjoint' : 'shared', onBytes);
  }

  write(root: unknown): Uint8Array<ArrayBuffer> {
    return new HeapCaptureSession(this.#ports, root, DEFAULT_ROOT_NAME, 'single').finish();
  }

  /** Reads the only root into this realm. @throws {HeapError} for bytes that no writer wrote */
  read(bytes: Uint8Array, options?: HeapReadOptions): unknown {
    return withHeapErrors(() => createReader(this.#ports, bytes, options).read());
  }

  /** Reads all roots of a capture in order. */
  readAll(bytes: Uint8Array, options?: HeapReadOptions): unknown[] {
    return withHeapErrors(() => createReader(this.#ports, bytes, options).readAll());
  }

  /** Returns paths to objects, like `roots.cart.items[3].socket`. No object may be on the path to another one. */
  pathsTo(root: unknown, objects: readonly object[]): (string | undefined)[] {
    return pathsTo(this.#ports, root, DEFAULT_ROOT_NAME, objects);
  }

  /** Returns a digest that depends only on the state, not on its history. */
  hash(root: unknown): string {
    const bytes = this.write(root);
    return digestOf(bytes);
  }
}

class HeapCaptureSession implements Capture {
  readonly #ports: HeapPorts;
  readonly #writer: HeapWriter;
  readonly #partition: RootPartition;
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
        'call `run` until it returns true',
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
    if (this.#isFinished) throw captureMisusedError('the capture is finished', 'start another capture');
    if (this.#failure !== undefined)
      throw captureMisusedError(
        'a root of this capture could not be written, so its bytes are incomplete',
        'start another capture',
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
