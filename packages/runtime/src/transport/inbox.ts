// The receiving end of a ring. Takes up to a given number of messages in the order in which they were added, with their
// parcels from the port. Any bytes become messages or the error TT_DAMAGED_MESSAGE, after which the next call continues
// with the next message. Hot path: guarded by bench/transport.

import { types } from 'node:util';
import { receiveMessageOnPort } from 'node:worker_threads';
import { RuntimeError } from '../runtime-error.ts';
import { MalformedMessageError, Decoder } from './decoder.ts';
import {
  RESET_FLAG,
  HEAD_WORD,
  LENGTH_MASK,
  LISTENING_WORD,
  OPENED_WORD,
  PARCEL_FLAG,
  FRAME_PREFIX_BYTES,
  WRAP_FRAME,
  type RingMemory,
  ringMemory,
  SHARED_FLAG,
  TAIL_WORD,
  type TextBuffer,
  ROOM_WANTED_WORD,
} from './ring.ts';
import type { Parcel, Port, TakeMessage, TransportDeps } from './wire.ts';

const NO_ARGS: readonly unknown[] = [];
const { isArray } = Array;

export class Inbox {
  #ring: RingMemory;
  /** A ring with the messages that follow. A sender that has stopped posts it, since the first ring had no room. */
  #spillRing: RingMemory | undefined;
  readonly #port: Port;
  readonly #take: TakeMessage;
  readonly #decoder: Decoder;
  readonly #parcels: Parcel[] = [];
  #openedCount = 0;
  #head: number;
  #taken = 0;

  /** Listens to the port, which keeps the process alive unless it is unref'd. `onWoken`: called for wake-ups. */
  constructor(ring: SharedArrayBuffer, port: Port, deps: TransportDeps, take: TakeMessage, onWoken?: () => void) {
    this.#ring = ringMemory(ring);
    this.#port = port;
    this.#take = take;
    this.#decoder = new Decoder(deps);
    this.#head = Atomics.load(this.#ring.words, HEAD_WORD);
    port.on('message', (value: unknown) => {
      this.#onPortMessage(value);
      if (!isParcel(value)) onWoken?.();
    });
    Atomics.store(this.#ring.words, LISTENING_WORD, 1);
  }

  /** Number of messages taken, which is also the number of the last one. */
  get taken(): number {
    return this.#taken;
  }

  isEmpty(): boolean {
    return Atomics.load(this.#ring.words, TAIL_WORD) === this.#head && !this.#switchToSpillRing();
  }

  #onPortMessage(value: unknown): void {
    if (isParcel(value)) this.#parcels.push(value);
    else if (types.isSharedArrayBuffer(value)) this.#spillRing = ringMemory(value);
  }

  /** Replaces the empty ring by a ring that the sender has posted. Returns false if there is none. */
  #switchToSpillRing(): boolean {
    if (this.#spillRing === undefined) return false;
    this.#ring = this.#spillRing;
    this.#spillRing = undefined;
    this.#head = 0;
    return true;
  }

  /** Returns the number of messages that have arrived, counted up to `maxMessages`. */
  available(maxMessages: number): number {
    if (this.isEmpty()) return 0;
    const { words, view, size } = this.#ring;
    const tail = Atomics.load(words, TAIL_WORD);
    let head = this.#head;
    let count = 0;
    while (count < maxMessages && head !== tail) {
      const at = head & (size - 1);
      const left = (tail - head) | 0;
      const bytesToEnd = size - at;
      const word = prefixAt(view, at, left, bytesToEnd);
      if (word === WRAP_FRAME && left > bytesToEnd) {
        head = (head + bytesToEnd) | 0;
        continue;
      }
      count++;
      const length = word & LENGTH_MASK;
      // The frame is damaged: `drain` reports it.
      if (length < FRAME_PREFIX_BYTES || length > left) return maxMessages;
      head = (head + length) | 0;
    }
    return count;
  }

  get isSenderWaiting(): boolean {
    return Atomics.load(this.#ring.words, ROOM_WANTED_WORD) !== 0;
  }

  /** Takes up to `maxMessages` messages. Returns their number. If the handler throws, its message counts as taken. */
  drain(maxMessages: number): number {
    const { words, bytes, view, size } = this.#ring;
    const tail = Atomics.load(words, TAIL_WORD);
    if (tail === this.#head) return this.#switchToSpillRing() ? this.drain(maxMessages) : 0;
    const decoder = this.#decoder;
    decoder.forgetText();
    let count = 0;
    try {
      while (count < maxMessages && this.#head !== tail) {
        const at = this.#head & (size - 1);
        const left = (tail - this.#head) | 0;
        const bytesToEnd = size - at;
        const word = prefixAt(view, at, left, bytesToEnd);
        if (word === WRAP_FRAME && left > bytesToEnd) {
          this.#head = (this.#head + bytesToEnd) | 0;
          continue;
        }
        const length = word & LENGTH_MASK;
        if (left < 0 || left > size || length < FRAME_PREFIX_BYTES || length > left || length > bytesToEnd) {
          this.#head = tail;
          throw damagedMessageError('the published bytes are no frames');
        }
        if ((word & PARCEL_FLAG) !== 0) {
          this.#openParcel(at, length, word);
        } else {
          decoder.begin(bytes, view, at + FRAME_PREFIX_BYTES, at + length, (word & SHARED_FLAG) !== 0);
        }
        this.#head = (this.#head + length) | 0;
        count++;
        this.#taken++;
        this.#readMessage((word & RESET_FLAG) !== 0);
      }
    } finally {
      Atomics.store(words, HEAD_WORD, this.#head);
    }
    return count;
  }

  /** Whether the sender waits for room that has been made and must be woken. Returns true only once per request. */
  takeRoomWanted(): boolean {
    const { words } = this.#ring;
    return Atomics.load(words, ROOM_WANTED_WORD) !== 0 && Atomics.exchange(words, ROOM_WANTED_WORD, 0) !== 0;
  }

  /** Returns the next parcel, which was posted before its placeholder. Undefined only if Node could not read it. */
  #nextParcel(): Parcel | undefined {
    while (this.#parcels.length === 0) {
      const received = receiveMessageOnPort(this.#port) as { message: unknown } | undefined;
      if (received === undefined) return undefined;
      this.#onPortMessage(received.message);
    }
    return this.#parcels[0];
  }

  #openParcel(at: number, length: number, word: number): void {
    const parcel = this.#nextParcel();
    const parcelNumber = this.#openedCount++;
    Atomics.store(this.#ring.words, OPENED_WORD, this.#openedCount);
    // Only this message is damaged, since later parcels may be intact.
    if (parcel?.[0] !== parcelNumber) {
      if (parcel !== undefined && parcel[0] < parcelNumber) this.#parcels.shift();
      this.#head = (this.#head + length) | 0;
      this.#taken++;
      throw damagedMessageError(`its parcel, number ${parcelNumber}, is missing`);
    }
    this.#parcels.shift();
    const [, body, buffers] = parcel;
    const decoder = this.#decoder;
    const isShared = (word & SHARED_FLAG) !== 0;
    if (body === undefined) {
      const { bytes, view } = this.#ring;
      decoder.begin(bytes, view, at + FRAME_PREFIX_BYTES, at + length, isShared);
    } else {
      const { buffer, byteOffset, length: size } = body;
      const bytes = Buffer.from(buffer, byteOffset, size) as unknown as TextBuffer;
      decoder.begin(bytes, new DataView(buffer, byteOffset, size), 0, size, isShared);
    }
    decoder.setBuffers(buffers);
  }

  #readMessage(isReset: boolean): void {
    const decoder = this.#decoder;
    let kind, sender, actor, target, replyTo: number;
    let call: string | undefined;
    let count: number;
    let a: unknown;
    let b: unknown;
    let c: unknown;
    let args = NO_ARGS;
    try {
      if (isReset) decoder.resetTables();
      kind = decoder.integer();
      sender = decoder.integer();
      actor = decoder.integer();
      target = decoder.integer();
      replyTo = decoder.integer();
      call = decoder.call();
      count = decoder.integer();
      if (count > 3) args = readArguments(decoder, count);
      else {
        if (count > 0) a = decoder.value();
        if (count > 1) b = decoder.value();
        if (count > 2) c = decoder.value();
      }
      decoder.finish();
    } catch (error) {
      throw error instanceof MalformedMessageError
        ? damagedMessageError(`${error.message} was expected`)
        : damagedMessageError('it could not be read', error);
    } finally {
      decoder.reset();
    }
    this.#take(kind, sender, actor, target, replyTo, call, count, a, b, c, args);
  }
}

function readArguments(decoder: Decoder, count: number): unknown[] {
  if (count > decoder.end - decoder.at)
    throw new MalformedMessageError('a number of arguments that fits into the message');
  const list: unknown[] = [];
  for (let i = 0; i < count; i++) list[i] = decoder.value();
  return list;
}

/** Returns the prefix of the frame at `at`. If too few bytes are left, the ring ends there or the frame is damaged. */
function prefixAt(view: DataView, at: number, left: number, bytesToEnd: number): number {
  if (bytesToEnd < FRAME_PREFIX_BYTES) return WRAP_FRAME;
  return left < FRAME_PREFIX_BYTES ? FRAME_PREFIX_BYTES : view.getUint32(at, true);
}

function isParcel(value: unknown): value is Parcel {
  return isArray(value) && value.length === 3;
}

function damagedMessageError(reason: string, cause?: unknown): RuntimeError {
  const message = `a message of another worker is damaged: ${reason}; this is a bug in Turntable, please report it`;
  return new RuntimeError('TT_DAMAGED_MESSAGE', message, cause === undefined ? undefined : { cause });
}
