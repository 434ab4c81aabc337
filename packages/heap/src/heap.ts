// The heap of one realm: made once from the ports, used for every capture and restore.

import { misused, Refusal } from './heap-error.ts';
import { pathError, pathsTo } from './path.ts';
import { digestOf } from './digest.ts';
import { totally, type ReadOptions } from './reader.ts';
import { readerOf } from './renaming-reader.ts';
import { HeapWriter } from './writer.ts';
import { keepCode } from './kept-code.ts';
import type { Division } from './identities.ts';
import type { HeapPorts } from './ports.ts';
import type { GiveBytes } from './sink.ts';

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

export interface CaptureOptions {
  /** What paths in errors begin with. */
  readonly name?: string;
  /**
   * What is added has nothing in common with what else is added but what the first root leads to, what adapters take (functions,
   * eventuals, references), what is outside, symbols, and what others of the same group lead to. Then what `add` costs does not
   * grow with what was added before, and what is in no group is not kept in memory. Data that stands in two groups all the same is written as two.
   */
  readonly isApart?: boolean;
  /** Takes bytes that will not change any more, in their order, also during a root; `finish` answers the rest. Must not call the program. */
  readonly give?: GiveBytes;
}

const ROOTS = 'roots';

/** In pieces: what is full can be given away. */
const PART = 1 << 20;
/** Room for what the last state took and a little more: fresh memory is dear, growing takes it twice. */
let expected = 1 << 16;

export class Heap {
  readonly #ports: HeapPorts;
  constructor(ports: HeapPorts) {
    this.#ports = ports;
  }

  /** Begins to write everything that `root` leads to; other roots may follow. */
  capture(root: unknown, { name = ROOTS, isApart = false, give }: CaptureOptions = {}): Capture {
    return new Capturing(this.#ports, root, name, isApart ? 'apart' : 'together', give);
  }

  /** Everything that `root` leads to, as bytes. */
  write(root: unknown): Uint8Array<ArrayBuffer> {
    return new Capturing(this.#ports, root, ROOTS, 'whole').finish();
  }

  /** The only root again, in this realm. Any other bytes than a writer's are a `HeapError`. */
  read(bytes: Uint8Array, options?: ReadOptions): unknown {
    return totally(() => readerOf(this.#ports, bytes, options).read());
  }

  /** All roots of a capture, in their order. */
  readAll(bytes: Uint8Array, options?: ReadOptions): unknown[] {
    return totally(() => readerOf(this.#ports, bytes, options).readAll());
  }

  /** By which ways objects are reached: `roots.cart.items[3].socket`, or nothing. None may lie on the way to another. */
  pathsTo(root: unknown, objects: readonly object[]): (string | undefined)[] {
    return pathsTo(this.#ports, root, ROOTS, objects);
  }

  /** Equal for equal states, whatever their history: a digest of what a fresh writer writes. */
  hash(root: unknown): string {
    const bytes = this.write(root);
    return digestOf(bytes);
  }
}

class Capturing implements Capture {
  readonly #ports: HeapPorts;
  readonly #writer: HeapWriter;
  readonly #division: Division;
  /** The root that is being written, and what it is called. */
  #root: unknown;
  #name: string;
  #isWritten = false;
  #failure: unknown;
  #isFinished = false;

  constructor(ports: HeapPorts, root: unknown, name: string, division: Division, give?: GiveBytes) {
    this.#ports = ports;
    this.#root = root;
    this.#name = name;
    this.#division = division;
    this.#writer = this.#step(() => {
      const capacity = division === 'whole' ? expected : Math.min(expected, PART);
      const writer = new HeapWriter(ports, capacity, division, give);
      writer.start(root, ports.known.differences());
      return writer;
    });
  }

  get size(): number {
    return this.#writer.size;
  }

  run(budget = Infinity): boolean {
    this.#requireWhole();
    this.#isWritten ||= this.#step(() => this.#writer.run(budget));
    return this.#isWritten;
  }

  add(root: unknown, name = ROOTS, group?: object): void {
    this.#add(root, name, () => this.#writer.more(root, group));
  }

  addToFirst(root: unknown, name = ROOTS): void {
    this.#add(root, name, () => this.#writer.another(root));
  }

  #add(root: unknown, name: string, write: () => void): void {
    this.#requireWhole();
    if (!this.#isWritten)
      throw misused('the first root of this capture is not written yet', 'call `run` until it answers true');
    this.#root = root;
    this.#name = name;
    this.#step(write);
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.run();
    this.#isFinished = true;
    const bytes = this.#writer.finish();
    const { size } = this;
    expected = size + (size >> 3) + 1024;
    keepCode(this.#ports, this.#division);
    return bytes;
  }

  #requireWhole(): void {
    if (this.#isFinished) throw misused('the capture is finished', 'begin another one');
    if (this.#failure !== undefined)
      throw misused(
        'a root of this capture could not be written, and what it has is cut short',
        'begin another one',
        this.#failure,
      );
  }

  #step<R>(step: () => R): R {
    try {
      return step();
    } catch (error) {
      const told = error instanceof Refusal ? pathError(this.#ports, this.#root, this.#name, error) : error;
      this.#failure = told;
      throw told;
    }
  }
}
