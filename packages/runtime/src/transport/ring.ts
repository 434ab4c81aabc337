// A ring of bytes in shared memory, from one worker to one other: frames of bytes, one writer, one reader, no locks. The writer alone stores the
// tail and the reader alone the head, both counted on for ever (modulo 2^32); what lies between them belongs to the reader, the rest to the
// writer. What both must agree on is in docs/transport.md.

import { RuntimeError } from '../runtime-error.ts';

/** Bytes before those of the frames: words that different threads store lie on cache lines of their own. */
export const RING_HEADER_BYTES = 256;
/** Places of 32-bit words. */
export const SIZE_WORD = 0;
export const TAIL_WORD = 16;
export const HEAD_WORD = 32;
/** How many parcels the reader has opened, for whoever wants to know how much memory is under way; the head's line. */
export const OPENED_WORD = 33;
/** Not 0: the writer waits for room. */
export const ROOM_WANTED_WORD = 48;

/** A frame begins with its length in bytes, these four included, and its flags. */
export const FRAME_PREFIX_BYTES = 4;
export const LENGTH_MASK = 0x0fffffff;
/** An object is mentioned more than once, or before its contents come. */
export const SHARED_FLAG = 0x10000000;
/** A parcel on the port belongs to it. */
export const PARCEL_FLAG = 0x20000000;
/** What both ends have numbered so far, calls and shapes, counts no more. */
export const RESET_FLAG = 0x40000000;
/** Nothing but a frame as long as the rest: the next one begins where the ring begins. */
export const WRAP_FRAME = 0;

const MIN_RING_BYTES = 256;
const MAX_RING_BYTES = 2 ** 27;

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

export function createRing(sizeBytes = 2 ** 20): SharedArrayBuffer {
  if (sizeBytes < MIN_RING_BYTES || sizeBytes > MAX_RING_BYTES || (sizeBytes & (sizeBytes - 1)) !== 0)
    throw new RangeError(
      `a ring has a power of two of bytes, from ${MIN_RING_BYTES} to ${MAX_RING_BYTES}, not ${sizeBytes}`,
    );
  const ring = new SharedArrayBuffer(RING_HEADER_BYTES + sizeBytes);
  new Int32Array(ring)[SIZE_WORD] = sizeBytes;
  return ring;
}

export function ringMemory(ring: SharedArrayBuffer): RingMemory {
  const size = ring.byteLength - RING_HEADER_BYTES;
  const words = new Int32Array(ring, 0, RING_HEADER_BYTES / 4);
  if (size < MIN_RING_BYTES || words[SIZE_WORD] !== size)
    throw new RuntimeError('TT_DAMAGED_MESSAGE', 'this memory is no ring; make one with createRing()');
  return {
    words,
    bytes: Buffer.from(ring, RING_HEADER_BYTES, size) as unknown as TextBuffer,
    view: new DataView(ring, RING_HEADER_BYTES, size),
    size,
  };
}
