// The sending end of a ring. Messages are written in place and become visible to the reader when they are published:
// all messages of a turn at once, by a single store. Messages that find no room wait here in order: nothing blocks and
// nothing is lost. A message that is too big for a ring is posted as a parcel, with a placeholder in the ring. A
// refused message has no effect. Hot path: guarded by bench/transport.

import { NotPassableValue, notPassableError } from '../messaging/not-passable.ts';
import { Encoder } from './encoder.ts';
import {
  createRing,
  HEAD_WORD,
  LISTENING_WORD,
  LENGTH_MASK,
  OPENED_WORD,
  FRAME_PREFIX_BYTES,
  WRAP_FRAME,
  type RingMemory,
  ringMemory,
  TAIL_WORD,
  type TextBuffer,
  ROOM_WANTED_WORD,
} from './ring.ts';
import { WriterTables } from './shapes.ts';
import { Spill } from './spill.ts';
import type { Bell } from './bell.ts';
import { type Parcel, type SendingPort, WAKE, type TransportDeps } from './wire.ts';

/** Maximum size of a message in a ring. Longer messages, and buffers from this size on, are posted as parcels. */
const MAX_RING_MESSAGE_BYTES = 2 ** 16;
/** Number of free bytes below which the reader's position is loaded again. */
const MIN_FREE_BYTES = 512;

export class Outbox {
  readonly #ring: RingMemory;
  readonly #port: SendingPort;
  readonly #deps: TransportDeps;
  readonly #bell: Bell | undefined;
  readonly #tables = new WriterTables();
  readonly #encoder: Encoder;
  readonly #maxRingBytes: number;
  readonly #spill = new Spill();
  /** Position of the next message, and last known position of the reader. Both only grow, modulo 2^32. */
  #tail: number;
  #head: number;
  #published: number;
  #sent = 0;
  #parcelCount = 0;
  /** Sizes of the last parcels. The reader may have opened some of them. */
  #postedBytes: number[] = [];
  #isBusy = false;
  /** Numbers of shapes and calls before the current message. */
  #shapesBefore = 0;
  #callsBefore = 0;

  /** `bell`: the receiver's bell. Without one, the receiver is assumed to be asleep. */
  constructor(ring: SharedArrayBuffer, port: SendingPort, deps: TransportDeps, bell?: Bell) {
    this.#ring = ringMemory(ring);
    this.#port = port;
    this.#deps = deps;
    this.#bell = bell;
    // Small enough that a frame always fits into an empty ring, before or after the wrap.
    this.#maxRingBytes = Math.min(MAX_RING_MESSAGE_BYTES, this.#ring.size / 4);
    this.#encoder = new Encoder(deps, this.#tables, this.#maxRingBytes);
    this.#tail = this.#published = Atomics.load(this.#ring.words, TAIL_WORD);
    this.#head = Atomics.load(this.#ring.words, HEAD_WORD);
  }

  get spilled(): number {
    return this.#spill.size;
  }

  /** Number of bytes in parcels that the reader has not opened. */
  get posted(): number {
    this.#forgetOpened();
    return this.#postedBytes.reduce((sum, size) => sum + size, 0);
  }

  /** Number of messages sent, which is also the number of the last one. */
  get sent(): number {
    return this.#sent;
  }

  /**
   * Adds a message. More than three arguments are passed in `args`. `target` and `replyTo` are 0 if not used.
   * @param name describes an argument that is refused: `args[0] of Cart.add`
   */
  add(
    kind: number,
    sender: number,
    actor: number,
    target: number,
    replyTo: number,
    call: string | undefined,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args: readonly unknown[],
    name: (argIndex: number) => string,
  ): void {
    const isNested = this.#isBusy;
    const encoder = isNested ? this.#nestedEncoder() : this.#begin();
    let argIndex = 0;
    try {
      encoder.header(kind, sender, actor, target, replyTo, call, count);
      if (count > 3) for (; argIndex < count; argIndex++) encoder.value(args[argIndex]);
      else {
        if (count > 0) encoder.value(a);
        if (count > 1) {
          argIndex = 1;
          encoder.value(b);
        }
        if (count > 2) {
          argIndex = 2;
          encoder.value(c);
        }
      }
      this.#commit(encoder, encoder.finish());
    } catch (error) {
      if (!isNested) this.#rollBackTables();
      if (!(error instanceof NotPassableValue)) throw error;
      throw notPassableError(error, count > 3 ? args[argIndex] : [a, b, c][argIndex], name(argIndex));
    } finally {
      if (!isNested) {
        encoder.reset();
        this.#isBusy = false;
      }
    }
  }

  /** Encoder for a message that an accessor sends while another one is written. It is sent first and uses no tables. */
  #nestedEncoder(): Encoder {
    if (!this.#encoder.isInOwnMemory) this.#encoder.move(0);
    const encoder = new Encoder(this.#deps, undefined, this.#maxRingBytes);
    encoder.begin(this.#ring.bytes, this.#ring.view, 0, 0);
    return encoder;
  }

  #begin(): Encoder {
    const encoder = this.#encoder;
    const tables = this.#tables;
    tables.limit();
    this.#shapesBefore = tables.shapeCount;
    this.#callsBefore = tables.callCount;
    this.#isBusy = true;
    if (this.#spill.size > 0) {
      const { bytes, view, to } = this.#spill.open(MIN_FREE_BYTES);
      encoder.begin(bytes, view, to, bytes.length);
      return encoder;
    }
    const { bytes, view, size } = this.#ring;
    let free = size - ((this.#tail - this.#head) | 0);
    if (free < MIN_FREE_BYTES) free = this.#loadFreeBytes();
    const at = this.#tail & (size - 1);
    encoder.begin(bytes, view, at, at + free < size ? at + free : size);
    return encoder;
  }

  #rollBackTables(): void {
    this.#tables.rollBack(this.#shapesBefore, this.#callsBefore);
  }

  #loadFreeBytes(): number {
    const { words, size } = this.#ring;
    this.#head = Atomics.load(words, HEAD_WORD);
    return size - ((this.#tail - this.#head) | 0);
  }

  /** Moves the current message, so that waiting frames can take its place in the ring. */
  #moveOutOfRing(): void {
    if (this.#isBusy && !this.#encoder.isInOwnMemory) this.#encoder.move(0);
  }

  #commit(encoder: Encoder, frameLength: number): void {
    let length = frameLength;
    if (length > this.#maxRingBytes || encoder.buffers.length > 0) length = this.#post(encoder, length);
    if (encoder === this.#encoder) this.#tables.isReset = false;
    this.#sent++;
    if (encoder.isInOwnMemory) this.#copyFrame(encoder.bytes, encoder.start, length);
    else if (this.#spill.size > 0) this.#spill.grow(length);
    else this.#tail = (this.#tail + length) | 0;
  }

  /** Posts a parcel. Returns the length of the frame that stays in the ring. */
  #post(encoder: Encoder, length: number): number {
    const { buffers } = encoder;
    const isLong = length > this.#maxRingBytes;
    const body = isLong
      ? new Uint8Array(encoder.bytes.subarray(encoder.start + FRAME_PREFIX_BYTES, encoder.at))
      : undefined;
    this.#forgetOpened();
    this.#postedBytes.push(buffers.reduce((sum, { byteLength }) => sum + byteLength, body?.length ?? 0));
    const parcel: Parcel = [this.#parcelCount++, body, buffers];
    this.#port.postMessage(parcel, body === undefined ? buffers : [...buffers, body.buffer]);
    return body === undefined ? length : encoder.leavePrefix();
  }

  #forgetOpened(): void {
    const left = (this.#parcelCount - Atomics.load(this.#ring.words, OPENED_WORD)) | 0;
    if (left < this.#postedBytes.length) this.#postedBytes.splice(0, this.#postedBytes.length - left);
  }

  #copyFrame(bytes: TextBuffer, from: number, length: number): void {
    const at = this.#spill.size > 0 ? -1 : this.#roomFor(length);
    if (at < 0) return this.#spill.add(bytes, from, length);
    bytes.copy(this.#ring.bytes, at, from, from + length);
    this.#tail = (this.#tail + length) | 0;
  }

  /** Returns the position at which a frame fits in one piece, after a wrap if necessary; -1 if there is none. */
  #roomFor(length: number): number {
    const { view, size } = this.#ring;
    const at = this.#tail & (size - 1);
    const bytesToEnd = size - at;
    const needed = bytesToEnd >= length ? length : bytesToEnd + length;
    if (size - ((this.#tail - this.#head) | 0) < needed && this.#loadFreeBytes() < needed) return -1;
    if (bytesToEnd >= length) return at;
    if (bytesToEnd >= FRAME_PREFIX_BYTES) view.setUint32(at, WRAP_FRAME, true);
    this.#tail = (this.#tail + bytesToEnd) | 0;
    return 0;
  }

  #unspill(): void {
    const spill = this.#spill;
    const { bytes: ring, size } = this.#ring;
    while (spill.size > 0) {
      const { bytes, view, from, to } = spill.first;
      let length = view.getUint32(from, true) & LENGTH_MASK;
      const at = this.#roomFor(length);
      if (at < 0) return;
      const end = at + Math.min(size - at, size - ((this.#tail - this.#head) | 0));
      while (from + length < to) {
        const next = view.getUint32(from + length, true) & LENGTH_MASK;
        if (at + length + next > end) break;
        length += next;
      }
      bytes.copy(ring, at, from, from + length);
      this.#tail = (this.#tail + length) | 0;
      spill.take(length);
    }
  }

  /** Makes added messages visible. Returns whether the receiver is asleep and needs `wakeReceiver`. */
  publish(): boolean {
    if (this.#spill.size > 0) this.#publishSpilled();
    if (this.#tail === this.#published) return false;
    this.#published = this.#tail;
    Atomics.store(this.#ring.words, TAIL_WORD, this.#tail);
    if (this.#bell === undefined) return true;
    // A reader that does not listen yet looks for messages when it does; the wake-up would be lost, and its mark gone.
    return Atomics.load(this.#ring.words, LISTENING_WORD) !== 0 && this.#bell.ring();
  }

  /** Posts the messages that wait for room, as a ring. Called when the sender stops and cannot use later room. */
  handOver(): void {
    if (this.publish()) this.wakeReceiver();
    const spill = this.#spill;
    if (spill.size === 0) return;
    const spillRing = createRing(2 ** Math.ceil(Math.log2(Math.max(spill.size, MIN_FREE_BYTES))));
    const { bytes: ring, words } = ringMemory(spillRing);
    let at = 0;
    while (spill.size > 0) {
      const { bytes, from, to } = spill.first;
      at += bytes.copy(ring, at, from, to);
      spill.take(to - from);
    }
    Atomics.store(words, TAIL_WORD, at);
    this.#port.postMessage(spillRing);
  }

  /** Whether `publish` could move waiting frames. Checked again before the worker waits. */
  hasRoomToPublish(): boolean {
    return this.#spill.size > 0 && Atomics.load(this.#ring.words, ROOM_WANTED_WORD) === 0;
  }

  #publishSpilled(): void {
    this.#moveOutOfRing();
    this.#unspill();
    if (this.#spill.size === 0) return;
    // Tried again, since the reader may have made room before it could see that room is wanted.
    Atomics.store(this.#ring.words, ROOM_WANTED_WORD, 1);
    this.#unspill();
  }

  wakeReceiver(): void {
    this.#port.postMessage(WAKE);
  }
}
