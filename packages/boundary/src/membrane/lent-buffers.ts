// Program buffers that a host call may write to, as `fs.read(fd, buffer, …)` does. The host has the buffer itself, not
// a copy, so writes are found by comparison. Until the call has finished, buffers are compared whenever host code has
// run, before its next event.

/** Functions that write to an argument, by the last part of their names. */
const BUFFER_WRITERS = /(?:^|[.!])(?:read|readSync|readv|readvSync|randomFill|randomFillSync|encodeInto|copy)$/;

interface LentBuffer {
  readonly view: ArrayBufferView;
  /** The contents at the last comparison. */
  readonly lastSeen: Uint8Array;
  /** The callback, promise or call whose event ends the loan. */
  endedBy: object;
}

export function isBufferWriter(name: string): boolean {
  return BUFFER_WRITERS.test(name);
}

export class LentBuffers {
  /** Buffers on loan. An array, not a Set: see `pending-table.ts`. */
  #buffers: LentBuffer[] = [];

  get isEmpty(): boolean {
    return this.#buffers.length === 0;
  }

  /** @param endedBy the callback, promise or call whose event ends the loan */
  lend(args: readonly unknown[], endedBy: object): void {
    for (const view of viewsAmong(args)) this.#buffers.push({ view, lastSeen: bytesOf(view).slice(), endedBy });
  }

  /** Reports the changed range of each buffer that was written since the last comparison. */
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

  /** Makes `to` end a loan in place of `from`: the loan of a call that returns a promise ends with the promise. */
  transfer(from: object, to: object): void {
    for (const buffer of this.#buffers) if (buffer.endedBy === from) buffer.endedBy = to;
  }

  /** Ends the loans of a finished callback, promise or call. */
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

/** Finds buffers among arguments, in arrays among them, or in the option `buffer`. */
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
