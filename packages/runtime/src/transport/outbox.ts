// The sending end of a ring. Messages are written where the reader will find them, and seen by it once they are published: all of a turn at once,
// with one store. What finds no room waits here in order, so that nothing blocks and nothing is lost. What is too big for a ring goes by
// the port as a parcel, with a placeholder in its place. A refused message leaves nothing behind. Hot path: guarded by bench/transport.

import { Refused, refusedValue } from '../messaging/refusal.ts';
import { Encoder } from './encoder.ts';
import {
  createRing,
  HEAD,
  LENGTH_MASK,
  OPENED,
  PREFIX,
  REST,
  type RingMemory,
  ringMemory,
  TAIL,
  type TextBuffer,
  WANTED,
} from './ring.ts';
import { WriterTables } from './shapes.ts';
import { Spill } from './spill.ts';
import type { Bell } from './wake-up.ts';
import { type Parcel, type SendingPort, WAKE, type WirePorts } from './wire.ts';

/** Longer messages, and buffers of so many bytes, go by the port. */
const LARGE = 2 ** 16;
/** The head is looked at when less than this seems free. */
const LOW = 512;

export class Outbox {
  readonly #ring: RingMemory;
  readonly #port: SendingPort;
  readonly #ports: WirePorts;
  readonly #bell: Bell | undefined;
  readonly #tables = new WriterTables();
  readonly #encoder: Encoder;
  readonly #large: number;
  readonly #spill = new Spill();
  /** Where the next message goes, and how far the reader was when last asked; both only grow. */
  #tail: number;
  #head: number;
  #published: number;
  #sent = 0;
  #parcels = 0;
  /** Of the last ones, those that may still be under way. */
  #postedSizes: number[] = [];
  #isBusy = false;
  /** What both ends had numbered before the message at hand. */
  #shapeMark = 0;
  #callMark = 0;

  /** `bell`: of the receiver; without one it is taken to sleep. */
  constructor(ring: SharedArrayBuffer, port: SendingPort, ports: WirePorts, bell?: Bell) {
    this.#ring = ringMemory(ring);
    this.#port = port;
    this.#ports = ports;
    this.#bell = bell;
    // A frame always fits into an empty ring, before or behind its end.
    this.#large = Math.min(LARGE, this.#ring.size / 4);
    this.#encoder = new Encoder(ports, this.#tables, this.#large);
    this.#tail = this.#published = Atomics.load(this.#ring.words, TAIL);
    this.#head = Atomics.load(this.#ring.words, HEAD);
  }

  /** Bytes that wait for room. */
  get spilled(): number {
    return this.#spill.size;
  }

  /** Bytes of parcels that nobody has opened yet. */
  get posted(): number {
    this.#forgetOpened();
    return this.#postedSizes.reduce((sum, size) => sum + size, 0);
  }

  /** Messages so far: the number of the last one. */
  get sent(): number {
    return this.#sent;
  }

  /**
   * Adds a message: up to three arguments by themselves, more as a list. `target` and `settles` are 0 where there is none.
   * @param name names what is refused: `args[0] of Cart.add`
   */
  add(
    kind: number,
    sender: number,
    actor: number,
    target: number,
    settles: number,
    call: string | undefined,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
    name: (place: number) => string,
  ): void {
    const isNested = this.#isBusy;
    const encoder = isNested ? this.#nestedEncoder() : this.#begin();
    let place = 0;
    try {
      encoder.head(kind, sender, actor, target, settles, call, count);
      if (count > 3) for (; place < count; place++) encoder.value(many[place]);
      else {
        if (count > 0) encoder.value(a);
        if (count > 1) {
          place = 1;
          encoder.value(b);
        }
        if (count > 2) {
          place = 2;
          encoder.value(c);
        }
      }
      this.#commit(encoder, encoder.finish());
    } catch (error) {
      if (!isNested) this.#takeBack();
      if (!(error instanceof Refused)) throw error;
      throw refusedValue(error, count > 3 ? many[place] : [a, b, c][place], name(place));
    } finally {
      if (!isNested) {
        encoder.forget();
        this.#isBusy = false;
      }
    }
  }

  /** Encoder of a message that an accessor sends while another message is written: it comes first and uses no tables. */
  #nestedEncoder(): Encoder {
    if (!this.#encoder.isMoved) this.#encoder.move(0);
    const encoder = new Encoder(this.#ports, undefined, this.#large);
    encoder.begin(this.#ring.bytes, this.#ring.view, 0, 0);
    return encoder;
  }

  #begin(): Encoder {
    const encoder = this.#encoder;
    const tables = this.#tables;
    tables.limit();
    this.#shapeMark = tables.shapeCount;
    this.#callMark = tables.callCount;
    this.#isBusy = true;
    if (this.#spill.size > 0) {
      const { bytes, view, to } = this.#spill.open(LOW);
      encoder.begin(bytes, view, to, bytes.length);
      return encoder;
    }
    const { bytes, view, size } = this.#ring;
    let free = size - ((this.#tail - this.#head) | 0);
    if (free < LOW) free = this.#look();
    const at = this.#tail & (size - 1);
    encoder.begin(bytes, view, at, at + free < size ? at + free : size);
    return encoder;
  }

  #takeBack(): void {
    this.#tables.takeBack(this.#shapeMark, this.#callMark);
  }

  /** Bytes that are free now. */
  #look(): number {
    const { words, size } = this.#ring;
    this.#head = Atomics.load(words, HEAD);
    return size - ((this.#tail - this.#head) | 0);
  }

  /** What is being written must not stand where something else may have to. */
  #giveWay(): void {
    if (this.#isBusy && !this.#encoder.isMoved) this.#encoder.move(0);
  }

  #commit(encoder: Encoder, whole: number): void {
    let length = whole;
    if (length > this.#large || encoder.buffers.length > 0) length = this.#post(encoder, length);
    if (encoder === this.#encoder) this.#tables.isAnew = false;
    this.#sent++;
    if (encoder.isMoved) this.#place(encoder.bytes, encoder.start, length);
    else if (this.#spill.size > 0) this.#spill.grow(length);
    else this.#tail = (this.#tail + length) | 0;
  }

  /** Answers what is left for the ring. */
  #post(encoder: Encoder, length: number): number {
    const { buffers } = encoder;
    const isLong = length > this.#large;
    const body = isLong ? new Uint8Array(encoder.bytes.subarray(encoder.start + PREFIX, encoder.at)) : undefined;
    this.#forgetOpened();
    this.#postedSizes.push(buffers.reduce((sum, { byteLength }) => sum + byteLength, body?.length ?? 0));
    const parcel: Parcel = [this.#parcels++, body, buffers];
    this.#port.postMessage(parcel, body === undefined ? buffers : [...buffers, body.buffer]);
    return body === undefined ? length : encoder.leavePrefix();
  }

  #forgetOpened(): void {
    const left = (this.#parcels - Atomics.load(this.#ring.words, OPENED)) | 0;
    if (left < this.#postedSizes.length) this.#postedSizes.splice(0, this.#postedSizes.length - left);
  }

  #place(bytes: TextBuffer, from: number, length: number): void {
    const at = this.#spill.size > 0 ? -1 : this.#roomFor(length);
    if (at < 0) return this.#spill.add(bytes, from, length);
    bytes.copy(this.#ring.bytes, at, from, from + length);
    this.#tail = (this.#tail + length) | 0;
  }

  /** Where a frame fits in one piece, or -1; behind the end of the ring comes its beginning. */
  #roomFor(length: number): number {
    const { view, size } = this.#ring;
    const at = this.#tail & (size - 1);
    const rest = size - at;
    const needed = rest >= length ? length : rest + length;
    if (size - ((this.#tail - this.#head) | 0) < needed && this.#look() < needed) return -1;
    if (rest >= length) return at;
    if (rest >= PREFIX) view.setUint32(at, REST, true);
    this.#tail = (this.#tail + rest) | 0;
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
      // As many frames as fit, at once.
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

  /** Makes visible what was added. True if the receiver sleeps: `wake` it. */
  publish(): boolean {
    if (this.#spill.size > 0) this.#moveOn();
    if (this.#tail === this.#published) return false;
    this.#published = this.#tail;
    Atomics.store(this.#ring.words, TAIL, this.#tail);
    return this.#bell === undefined || this.#bell.ring();
  }

  /** Nothing comes any more, and the sender will not be there when room is made: what still waits for it goes by the port, as a ring of its own. */
  handOver(): void {
    this.publish();
    const spill = this.#spill;
    if (spill.size === 0) return;
    const rest = createRing(2 ** Math.ceil(Math.log2(Math.max(spill.size, LOW))));
    const { bytes: ring, words } = ringMemory(rest);
    let at = 0;
    while (spill.size > 0) {
      const { bytes, from, to } = spill.first;
      at += bytes.copy(ring, at, from, to);
      spill.take(to - from);
    }
    Atomics.store(words, TAIL, at);
    this.#port.postMessage(rest);
  }

  /** Whether `flush` would move on something: to be asked once more before the worker rests. */
  isRoomMade(): boolean {
    return this.#spill.size > 0 && Atomics.load(this.#ring.words, WANTED) === 0;
  }

  #moveOn(): void {
    this.#giveWay();
    this.#unspill();
    if (this.#spill.size === 0) return;
    // The reader may have gone on before it could see that room is wanted.
    Atomics.store(this.#ring.words, WANTED, 1);
    this.#unspill();
  }

  wake(): void {
    this.#port.postMessage(WAKE);
  }
}
