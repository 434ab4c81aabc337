// The receiving end of a ring. Takes so many messages and no more, in the order in which they were added, parcels of the port among them. Whatever the
// bytes are, they become messages or the error TT_DAMAGED_MESSAGE; the next call goes on behind them. Hot path: guarded by bench/transport.

import { types } from 'node:util';
import { receiveMessageOnPort } from 'node:worker_threads';
import { RuntimeError } from '../runtime-error.ts';
import { Damage, Decoder } from './decoder.ts';
import {
  ANEW,
  HEAD,
  LENGTH_MASK,
  OPENED,
  PARCEL,
  PREFIX,
  REST,
  type RingMemory,
  ringMemory,
  SHARED,
  TAIL,
  type TextBuffer,
  WANTED,
} from './ring.ts';
import type { Parcel, Port, TakeMessage, WirePorts } from './wire.ts';

const NONE: readonly unknown[] = [];
const { isArray } = Array;

export class Inbox {
  #ring: RingMemory;
  /** What comes behind it: the sender has ended. */
  #rest: RingMemory | undefined;
  readonly #port: Port;
  readonly #take: TakeMessage;
  readonly #decoder: Decoder;
  /** What has come by the port and is not taken yet. */
  readonly #parcels: Parcel[] = [];
  #opened = 0;
  #head: number;
  #taken = 0;

  /** `woken`: the sender has seen that this worker sleeps. Listens to the port, which keeps the process alive unless it is unref'd. */
  constructor(ring: SharedArrayBuffer, port: Port, ports: WirePorts, take: TakeMessage, woken?: () => void) {
    this.#ring = ringMemory(ring);
    this.#port = port;
    this.#take = take;
    this.#decoder = new Decoder(ports);
    this.#head = Atomics.load(this.#ring.words, HEAD);
    port.on('message', (value: unknown) => {
      this.#hear(value);
      if (!isParcel(value)) woken?.();
    });
  }

  /** Messages so far: the number of the last one. */
  get taken(): number {
    return this.#taken;
  }

  isEmpty(): boolean {
    return Atomics.load(this.#ring.words, TAIL) === this.#head && !this.#takesRest();
  }

  #hear(value: unknown): void {
    if (isParcel(value)) this.#parcels.push(value);
    else if (types.isSharedArrayBuffer(value)) this.#rest = ringMemory(value);
  }

  /** The ring is empty. */
  #takesRest(): boolean {
    if (this.#rest === undefined) return false;
    this.#ring = this.#rest;
    this.#rest = undefined;
    this.#head = 0;
    return true;
  }

  /** How many messages have come, up to `most`. */
  available(most: number): number {
    if (this.isEmpty()) return 0;
    const { words, view, size } = this.#ring;
    const tail = Atomics.load(words, TAIL);
    let head = this.#head;
    let count = 0;
    while (count < most && head !== tail) {
      const at = head & (size - 1);
      const left = (tail - head) | 0;
      const rest = size - at;
      const word = rest < PREFIX ? REST : left < PREFIX ? PREFIX : view.getUint32(at, true);
      if (word === REST && left > rest) {
        head = (head + rest) | 0;
        continue;
      }
      count++;
      const length = word & LENGTH_MASK;
      // Whatever else: whoever takes it says so.
      if (length < PREFIX || length > left) return most;
      head = (head + length) | 0;
    }
    return count;
  }

  /** Whether the sender waits for room. */
  get isFull(): boolean {
    return Atomics.load(this.#ring.words, WANTED) !== 0;
  }

  /** Takes up to `most` messages; answers how many. What the taking throws goes through, the message counts as taken. */
  drain(most: number): number {
    const { words, bytes, view, size } = this.#ring;
    const tail = Atomics.load(words, TAIL);
    if (tail === this.#head) return this.#takesRest() ? this.drain(most) : 0;
    const decoder = this.#decoder;
    decoder.forgetText();
    let count = 0;
    try {
      while (count < most && this.#head !== tail) {
        const at = this.#head & (size - 1);
        const left = (tail - this.#head) | 0;
        const rest = size - at;
        const word = rest < PREFIX ? REST : left < PREFIX ? PREFIX : view.getUint32(at, true);
        if (word === REST && left > rest) {
          this.#head = (this.#head + rest) | 0;
          continue;
        }
        const length = word & LENGTH_MASK;
        if (left < 0 || left > size || length < PREFIX || length > left || length > rest) {
          this.#head = tail;
          throw damaged('what is published is no frames');
        }
        if ((word & PARCEL) !== 0) {
          this.#open(at, length, word);
        } else {
          decoder.begin(bytes, view, at + PREFIX, at + length, (word & SHARED) !== 0);
        }
        this.#head = (this.#head + length) | 0;
        count++;
        this.#taken++;
        this.#message((word & ANEW) !== 0);
      }
    } finally {
      Atomics.store(words, HEAD, this.#head);
    }
    return count;
  }

  /** Whether the sender waits for the room that was made, which is answered once: it must be rung then. */
  isRoomWanted(): boolean {
    const { words } = this.#ring;
    return Atomics.load(words, WANTED) !== 0 && Atomics.exchange(words, WANTED, 0) !== 0;
  }

  /** The next one. It was posted before its placeholder was published, so it is there unless Node could not make its objects here. */
  #parcel(): Parcel | undefined {
    while (this.#parcels.length === 0) {
      const received = receiveMessageOnPort(this.#port) as { message: unknown } | undefined;
      if (received === undefined) return undefined;
      this.#hear(received.message);
    }
    return this.#parcels[0];
  }

  #open(at: number, length: number, word: number): void {
    const parcel = this.#parcel();
    const wanted = this.#opened++;
    Atomics.store(this.#ring.words, OPENED, this.#opened);
    // What comes later may still be whole.
    if (parcel?.[0] !== wanted) {
      if (parcel !== undefined && parcel[0] < wanted) this.#parcels.shift();
      this.#head = (this.#head + length) | 0;
      this.#taken++;
      throw damaged(`its parcel, number ${wanted}, has not come`);
    }
    this.#parcels.shift();
    const [, body, buffers] = parcel;
    const decoder = this.#decoder;
    const isShared = (word & SHARED) !== 0;
    if (body === undefined) {
      const { bytes, view } = this.#ring;
      decoder.begin(bytes, view, at + PREFIX, at + length, isShared);
    } else {
      const { buffer, byteOffset, length: size } = body;
      const bytes = Buffer.from(buffer, byteOffset, size) as unknown as TextBuffer;
      decoder.begin(bytes, new DataView(buffer, byteOffset, size), 0, size, isShared);
    }
    decoder.enclosed(buffers);
  }

  #message(isAnew: boolean): void {
    const decoder = this.#decoder;
    let kind, sender, actor, target, settles: number;
    let call: string | undefined;
    let count: number;
    let a: unknown;
    let b: unknown;
    let c: unknown;
    let many = NONE;
    try {
      if (isAnew) decoder.anew();
      kind = decoder.integer();
      sender = decoder.integer();
      actor = decoder.integer();
      target = decoder.integer();
      settles = decoder.integer();
      call = decoder.call();
      count = decoder.integer();
      if (count > 3) many = listOf(decoder, count);
      else {
        if (count > 0) a = decoder.value();
        if (count > 1) b = decoder.value();
        if (count > 2) c = decoder.value();
      }
      decoder.finish();
    } catch (error) {
      throw error instanceof Damage ? damaged(`${error.message} was expected`) : damaged('it could not be read', error);
    } finally {
      decoder.forget();
    }
    this.#take(kind, sender, actor, target, settles, call, count, a, b, c, many);
  }
}

function listOf(decoder: Decoder, count: number): unknown[] {
  if (count > decoder.end - decoder.at) throw new Damage('as many arguments as there is room for');
  const list: unknown[] = [];
  for (let i = 0; i < count; i++) list[i] = decoder.value();
  return list;
}

function isParcel(value: unknown): value is Parcel {
  return isArray(value) && value.length === 3;
}

function damaged(why: string, cause?: unknown): RuntimeError {
  const message = `a message of another worker is damaged: ${why}; this is an error of Turntable's, please report it`;
  return new RuntimeError('TT_DAMAGED_MESSAGE', message, cause === undefined ? undefined : { cause });
}
