// A ring of bytes in shared memory, from one worker to one other: frames of bytes, one writer, one reader, no locks. The writer alone stores the
// tail and the reader alone the head, both counted on for ever (modulo 2^32); what lies between them belongs to the reader, the rest to the
// writer. What both must agree on is in docs/transport.md.

import { RuntimeError } from '../runtime-error.ts';

/** Bytes before those of the frames: words that different threads store lie on cache lines of their own. */
export const HEADER = 256;
/** Places of 32-bit words. */
export const SIZE = 0;
export const TAIL = 16;
export const HEAD = 32;
/** How many parcels the reader has opened, for whoever wants to know how much memory is under way; the head's line. */
export const OPENED = 33;
/** Not 0: the writer waits for room. */
export const WANTED = 48;

/** A frame begins with its length in bytes, these four included, and its flags. */
export const PREFIX = 4;
export const LENGTH_MASK = 0x0fffffff;
/** An object is mentioned more than once, or before its contents come. */
export const SHARED = 0x10000000;
/** A parcel on the port belongs to it. */
export const PARCEL = 0x20000000;
/** What both ends have numbered so far, calls and shapes, counts no more. */
export const ANEW = 0x40000000;
/** Nothing but a frame as long as the rest: the next one begins where the ring begins. */
export const REST = 0;

const LEAST = 256;
const MOST = 2 ** 27;

/** Node's own ways between strings and bytes, which its types leave out. */
export interface TextBuffer extends Buffer {
  latin1Write(text: string, at: number, length: number): number;
  ucs2Write(text: string, at: number, length: number): number;
  latin1Slice(from: number, to: number): string;
  ucs2Slice(from: number, to: number): string;
}

export interface RingMemory {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly bytes: TextBuffer;
  readonly view: DataView<SharedArrayBuffer>;
  readonly size: number;
}

export function createRing(bytes = 2 ** 20): SharedArrayBuffer {
  if (bytes < LEAST || bytes > MOST || (bytes & (bytes - 1)) !== 0)
    throw new RangeError(`a ring has a power of two of bytes, from ${LEAST} to ${MOST}, not ${bytes}`);
  const ring = new SharedArrayBuffer(HEADER + bytes);
  new Int32Array(ring)[SIZE] = bytes;
  return ring;
}

export function ringMemory(ring: SharedArrayBuffer): RingMemory {
  const size = ring.byteLength - HEADER;
  const words = new Int32Array(ring, 0, HEADER / 4);
  if (size < LEAST || words[SIZE] !== size)
    throw new RuntimeError('TT_DAMAGED_MESSAGE', 'this memory is no ring; make one with createRing()');
  return {
    words,
    bytes: Buffer.from(ring, HEADER, size) as unknown as TextBuffer,
    view: new DataView(ring, HEADER, size),
    size,
  };
}
