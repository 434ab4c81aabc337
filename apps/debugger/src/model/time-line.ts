// All stretches of a recording as columns, as the protocol's `overview` tells of them, and what follows of these: the lane of each actor, what came of each stretch, where errors are. A million take
// 25 MB and a fraction of a second. It is seen before all of it has come: of the rest nothing is known.
import type { ResultOf } from '@turntable/replay/protocol';
import { Buckets } from './buckets.ts';

type Piece = ResultOf<'overview'>;

/** Stretches that are asked for at once. */
export const PIECE = 65_536;

/** Whose a stretch is that is not known yet: nobody's. */
const NOBODY = 2 ** 32 - 1;

interface Marked {
  readonly orders: Uint32Array;
  readonly kinds: Uint8Array;
}

/** Columns of so many stretches, of which the first ones are known. What follows of them is made when it is asked for, once. */
export class TimeLine {
  readonly count: number;
  /** So many are known. */
  readonly filled: number;
  /** Milliseconds since the first began; of a stretch at its place less one, as in all columns. */
  readonly times: Float64Array;
  /** Places in the list of actors. */
  readonly actors: Uint32Array;
  /** Places in the list of kinds. */
  readonly kinds: Uint8Array;
  /** Places of stretches among all, from 1 on; 0 where none is known. */
  readonly senders: Uint32Array;
  readonly lists: Uint32Array;
  readonly #marked: readonly Marked[];
  #lanes: Buckets | undefined;
  #received: Buckets | undefined;
  #mostActors = 0;
  #duration: number | undefined;
  readonly #lanesOfMarks = new Map<number, Buckets>();
  /** Of several actors, by the list of these. */
  readonly #together = new WeakMap<readonly number[], Uint32Array>();
  readonly #markedTogether = new Map<number, WeakMap<readonly number[], Uint32Array>>();

  /** @param before of which the columns are, with what has come since: nothing, unless it is said */
  constructor(count: number, before?: TimeLine, added?: Marked & { readonly count: number }) {
    this.count = count;
    this.filled = (before?.filled ?? 0) + (added?.count ?? 0);
    this.times = before?.times ?? new Float64Array(count);
    this.actors = before?.actors ?? new Uint32Array(count).fill(NOBODY);
    this.kinds = before?.kinds ?? new Uint8Array(count);
    this.senders = before?.senders ?? new Uint32Array(count);
    this.lists = before?.lists ?? new Uint32Array(count);
    this.#marked = before === undefined || added === undefined ? [] : [...before.#marked, added];
  }

  /** The first that is not there yet. */
  get next(): number {
    return this.filled + 1;
  }

  get isFilled(): boolean {
    return this.filled >= this.count;
  }

  /** With the next piece, in the same columns: of this one nothing changes that it knows. */
  with({ count, times, actors, kinds, senders, lists, marked, marks }: Piece): TimeLine {
    const at = this.filled;
    this.times.set(new Float64Array(bytesOf(times)), at);
    this.actors.set(new Uint32Array(bytesOf(actors)), at);
    this.kinds.set(new Uint8Array(bytesOf(kinds)), at);
    this.senders.set(new Uint32Array(bytesOf(senders)), at);
    this.lists.set(new Uint32Array(bytesOf(lists)), at);
    const added = { count, orders: new Uint32Array(bytesOf(marked)), kinds: new Uint8Array(bytesOf(marks)) };
    return new TimeLine(this.count, this, added);
  }

  /** Milliseconds from the first to the last. */
  get duration(): number {
    if (this.#duration === undefined) {
      this.#duration = 0;
      for (let i = 0; i < this.filled; i++) this.#duration = Math.max(this.#duration, this.times[i] as number);
    }
    return this.#duration;
  }

  /** An actor's stretches, ascending. */
  lane(actor: number): Uint32Array {
    this.#lanes ??= new Buckets(this.actors.subarray(0, this.filled), this.#actorCount);
    return this.#lanes.of(actor);
  }

  /** The stretches of several actors, ascending. */
  laneOfAll(actors: readonly number[]): Uint32Array {
    let found = this.#together.get(actors);
    if (found === undefined) {
      found = this.#ofActors(actors, this.actors.subarray(0, this.filled));
      this.#together.set(actors, found);
    }
    return found;
  }

  /** Those of several actors at which such a thing stands. @param kind a place in the list of marks */
  markedOfAll(actors: readonly number[], kind: number): Uint32Array {
    let those = this.#markedTogether.get(kind);
    if (those === undefined) this.#markedTogether.set(kind, (those = new WeakMap()));
    let found = those.get(actors);
    if (found === undefined) {
      const orders = this.marked(kind);
      const own = orders.map((order) => this.actors[order - 1] ?? 0);
      found = this.#ofActors(actors, own).map((place) => orders[place - 1] ?? 0);
      those.set(actors, found);
    }
    return found;
  }

  /** Places from 1 on at which one of these stands. */
  #ofActors(actors: readonly number[], all: Uint32Array): Uint32Array {
    const isOne = new Uint8Array(this.#actorCount);
    for (const actor of actors) isOne[actor] = 1;
    const found = new Uint32Array(all.length);
    let count = 0;
    for (let i = 0; i < all.length; i++) if (isOne[all[i] as number] === 1) found[count++] = i + 1;
    return found.slice(0, count);
  }

  /** What came of the messages that a stretch has sent, ascending. */
  receivers(order: number): Uint32Array {
    this.#received ??= new Buckets(this.senders.subarray(0, this.filled), this.count + 1);
    return this.#received.of(order);
  }

  sender(order: number): number | undefined {
    const sender = this.senders[order - 1] ?? 0;
    return sender === 0 ? undefined : sender;
  }

  /** The stretches that led to one, message by message, the last first. @param most how many */
  chainTo(order: number, most: number): number[] {
    const found: number[] = [];
    for (let at = this.sender(order); at !== undefined && found.length < most; at = this.sender(at)) found.push(at);
    return found;
  }

  /** Stretches at which such a thing stands, ascending. @param kind a place in the list of marks */
  marked(kind: number): Uint32Array {
    const found: number[] = [];
    for (const { orders, kinds } of this.#marked)
      for (let i = 0; i < orders.length; i++) {
        const order = orders[i] as number;
        if (kinds[i] === kind && found.at(-1) !== order) found.push(order);
      }
    return Uint32Array.from(found);
  }

  /** Those of an actor. */
  markedOf(actor: number, kind: number): Uint32Array {
    let lanes = this.#lanesOfMarks.get(kind);
    if (lanes === undefined) {
      const orders = this.marked(kind);
      lanes = new Buckets(
        orders.map((order) => this.actors[order - 1] ?? 0),
        this.#actorCount,
        orders,
      );
      this.#lanesOfMarks.set(kind, lanes);
    }
    return lanes.of(actor);
  }

  get #actorCount(): number {
    if (this.#mostActors === 0) {
      let most = 0;
      for (let i = 0; i < this.filled; i++) most = Math.max(most, this.actors[i] as number);
      this.#mostActors = most + 1;
    }
    return this.#mostActors;
  }
}

function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
