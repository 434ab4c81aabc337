// Bytes that the program lends to the outside to be written: `fs.read(fd, buffer, …)`. They are the program's own and no copy, so what was written is
// looked for whenever the outside has had an opportunity and is about to say something, until it has answered for good.

/** Functions that write into what they are given, by the last part of their names. */
const BUFFER_WRITERS = /(?:^|[.!])(?:read|readSync|readv|readvSync|randomFill|randomFillSync|encodeInto|copy)$/;

interface LentBuffer {
  readonly view: ArrayBufferView;
  /** What was there when it was looked at last. */
  readonly lastSeen: Uint8Array;
  /** Whose call, or which promise's end, is the last thing to come. */
  endedBy: object;
}

export function isBufferWriter(name: string): boolean {
  return BUFFER_WRITERS.test(name);
}

export class LentBuffers {
  /** No Set: see `rising-table.ts`. */
  #buffers: LentBuffer[] = [];

  get isEmpty(): boolean {
    return this.#buffers.length === 0;
  }

  /** `endedBy`: what ends it. */
  lend(args: readonly unknown[], endedBy: object): void {
    for (const view of viewsAmong(args)) this.#buffers.push({ view, lastSeen: bytesOf(view).slice(), endedBy });
  }

  /** Tells of each task that has been written since: which view, where in it, what. */
  reportWrites(report: (view: ArrayBufferView, offset: number, bytes: Uint8Array) => void): void {
    for (const { view, lastSeen } of this.#buffers) {
      const current = bytesOf(view);
      if (current.length !== lastSeen.length || Buffer.compare(current, lastSeen) === 0) continue;
      let start = 0;
      while (current[start] === lastSeen[start]) start++;
      let end = current.length;
      while (current[end - 1] === lastSeen[end - 1]) end--;
      const changed = current.slice(start, end);
      lastSeen.set(changed, start);
      report(view, start, changed);
    }
  }

  /** Something else ends it. */
  transfer(from: object, to: object): void {
    for (const buffer of this.#buffers) if (buffer.endedBy === from) buffer.endedBy = to;
  }

  /** `finished` has come to its end. */
  release(finished: object): void {
    if (this.#buffers.length > 0) this.#buffers = this.#buffers.filter(({ endedBy }) => endedBy !== finished);
  }
}

export function fillBytes(view: object, offset: number, bytes: Uint8Array): void {
  bytesOf(view as ArrayBufferView).set(bytes, offset);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Among arguments, in lists of them, in options. */
function* viewsAmong(args: readonly unknown[]): Generator<ArrayBufferView> {
  for (const argument of args) {
    if (ArrayBuffer.isView(argument)) yield argument;
    else if (Array.isArray(argument)) yield* argument.filter((element) => ArrayBuffer.isView(element));
    else if (typeof argument === 'object' && argument !== null) {
      const buffer: unknown = Reflect.getOwnPropertyDescriptor(argument, 'buffer')?.value;
      if (ArrayBuffer.isView(buffer)) yield buffer;
    }
  }
}
