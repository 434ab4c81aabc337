// Bytes that the program lends to the outside to be written: `fs.read(fd, buffer, …)`. They are the program's own and no copy, so what was written is
// looked for whenever the outside has had an opportunity and is about to say something, until it has answered for good.

/** Functions that write into what they are given, by the last part of their names. */
const WRITERS = /(?:^|[.!])(?:read|readSync|readv|readvSync|randomFill|randomFillSync|encodeInto|copy)$/;

interface Lent {
  readonly view: ArrayBufferView;
  /** What was there when it was looked at last. */
  readonly before: Uint8Array;
  /** Whose call, or which promise's end, is the last thing to come. */
  until: object;
}

export function isWriter(name: string): boolean {
  return WRITERS.test(name);
}

export class LentBytes {
  /** No Set: see `rising-table.ts`. */
  #lent: Lent[] = [];

  get isEmpty(): boolean {
    return this.#lent.length === 0;
  }

  /** `until`: what ends it. */
  lend(args: readonly unknown[], until: object): void {
    for (const view of viewsIn(args)) this.#lent.push({ view, before: bytesOf(view).slice(), until });
  }

  /** Tells of each stretch that has been written since: which view, where in it, what. */
  look(tell: (view: ArrayBufferView, offset: number, bytes: Uint8Array) => void): void {
    for (const { view, before } of this.#lent) {
      const now = bytesOf(view);
      if (now.length !== before.length || Buffer.compare(now, before) === 0) continue;
      let from = 0;
      while (now[from] === before[from]) from++;
      let to = now.length;
      while (now[to - 1] === before[to - 1]) to--;
      const written = now.slice(from, to);
      before.set(written, from);
      tell(view, from, written);
    }
  }

  /** Something else ends it. */
  pass(from: object, to: object): void {
    for (const each of this.#lent) if (each.until === from) each.until = to;
  }

  /** `what` has come to its end. */
  end(what: object): void {
    if (this.#lent.length > 0) this.#lent = this.#lent.filter(({ until }) => until !== what);
  }
}

export function fill(view: object, offset: number, bytes: Uint8Array): void {
  bytesOf(view as ArrayBufferView).set(bytes, offset);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Among arguments, in lists of them, in options. */
function* viewsIn(args: readonly unknown[]): Generator<ArrayBufferView> {
  for (const each of args) {
    if (ArrayBuffer.isView(each)) yield each;
    else if (Array.isArray(each)) yield* each.filter((part) => ArrayBuffer.isView(part));
    else if (typeof each === 'object' && each !== null) {
      const buffer: unknown = Reflect.getOwnPropertyDescriptor(each, 'buffer')?.value;
      if (ArrayBuffer.isView(buffer)) yield buffer;
    }
  }
}
