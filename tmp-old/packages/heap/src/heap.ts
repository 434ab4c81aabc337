// The heap of one realm: made once from the ports, used for every capture and restore.

import { HeapError, Refusal } from './heap-error.ts';
import { pathError } from './path.ts';
import { resetStacks } from './kinds/array.ts';
import { digestOf } from './digest.ts';
import { HeapReader } from './reader.ts';
import { HeapWriter } from './writer.ts';
import { keepCode } from './kept-code.ts';
import type { HeapPorts } from './ports.ts';
import type { ReadOptions } from './reader.ts';

/** A capture in progress. Nothing of the graph may change until it is done. */
export interface Capture {
  /** Goes on for about `budget` objects; true when all is written. */
  run(budget?: number): boolean;
  /** The bytes, once `run` has answered true. */
  finish(): Uint8Array<ArrayBuffer>;
}

/** Room for what the last state took and a little more: fresh memory is dear, growing takes it twice. */
let expected = 1 << 16;

export class Heap {
  readonly #ports: HeapPorts;
  constructor(ports: HeapPorts) {
    this.#ports = ports;
  }

  /** Begins to write everything that `root` leads to. */
  capture(root: unknown): Capture {
    const ports = this.#ports;
    const guard = <R>(step: () => R): R => {
      try {
        return step();
      } catch (error) {
        throw error instanceof Refusal ? pathError(ports, root, error) : error;
      }
    };
    const writer = guard(() => {
      const made = new HeapWriter(ports, expected);
      made.start(root, ports.known.differences());
      return made;
    });
    let done = false;
    return {
      run(budget = Infinity) {
        done ||= guard(() => writer.run(budget));
        return done;
      },
      finish() {
        if (!done) guard(() => writer.run(Infinity));
        done = true;
        const bytes = writer.finish();
        expected = bytes.length + (bytes.length >> 3) + 1024;
        keepCode(ports);
        return bytes;
      },
    };
  }

  /** Everything that `root` leads to, as bytes. */
  write(root: unknown): Uint8Array<ArrayBuffer> {
    return this.capture(root).finish();
  }

  /** The root again, in this realm. Any other bytes than a writer's are a `HeapError`. */
  read(bytes: Uint8Array, options?: ReadOptions): unknown {
    try {
      return new HeapReader(this.#ports, bytes, options).read();
    } catch (error) {
      resetStacks();
      if (error instanceof HeapError) throw error;
      throw new HeapError(
        'TT_CORRUPT_STATE',
        `state is damaged: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    }
  }

  /** Equal for equal states, whatever their history: a digest of what a fresh writer writes. */
  hash(root: unknown): string {
    const bytes = this.write(root);
    return digestOf(bytes);
  }
}
