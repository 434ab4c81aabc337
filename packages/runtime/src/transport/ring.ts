// A ring of bytes in shared memory, from one worker to one other: frames, one writer, one reader, no locks. Only the
// writer stores the tail, and only the reader the head; both grow modulo 2^32. The bytes between head and tail belong
// to the reader, all others to the writer. docs/internals/transport.md specifies the format.

import { RuntimeError } from '../runtime-error.ts';

/** Number of bytes before the frames. Words that different threads store are in different cache lines. */
export const RING_HEADER_BYTES = 256;
export const SIZE_WORD = 0;
export const TAIL_WORD = 16;
export const HEAD_WORD = 32;
/** Number of parcels that the reader has opened, in the head's cache line. */
export const OPENED_WORD = 33;
/** Word that is 0 until the reader listens to its port, where it can be woken. Also in the head's cache line. */
export const LISTENING_WORD = 34;
/** Word that is not 0 while the writer waits for room. */
export const ROOM_WANTED_WORD = 48;

/** Size of a frame's prefix: the length of the frame in bytes, prefix included, and its flags. */
export const FRAME_PREFIX_BYTES = 4;
export const LENGTH_MASK = 0x0fffffff;
/** Flag of a frame with back references, or with objects whose contents follow the arguments. */
export const SHARED_FLAG = 0x10000000;
export const PARCEL_FLAG = 0x20000000;
/** Flag of a frame before which both ends forget the numbers of calls and shapes. */
export const RESET_FLAG = 0x40000000;
/** Prefix of a frame that only fills the rest of the ring. The next frame is at the start of the ring. */
export const WRAP_FRAME = 0;

const MIN_RING_BYTES = 256;
const MAX_RING_BYTES = 2 ** 27;

/** Node's methods between strings and bytes that its types lack. */
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
      `ring size must be a power of two from ${MIN_RING_BYTES} to ${MAX_RING_BYTES}, not ${sizeBytes}`,
    );
  const ring = new SharedArrayBuffer(RING_HEADER_BYTES + sizeBytes);
  new Int32Array(ring)[SIZE_WORD] = sizeBytes;
  return ring;
}

export function ringMemory(ring: SharedArrayBuffer): RingMemory {
  const size = ring.byteLength - RING_HEADER_BYTES;
  const words = new Int32Array(ring, 0, RING_HEADER_BYTES / 4);
  if (size < MIN_RING_BYTES || words[SIZE_WORD] !== size)
    throw new RuntimeError('TT_DAMAGED_MESSAGE', 'this memory is not a ring; create one with createRing()');
  return {
    words,
    bytes: Buffer.from(ring, RING_HEADER_BYTES, size) as unknown as TextBuffer,
    view: new DataView(ring, RING_HEADER_BYTES, size),
    size,
  };
}
