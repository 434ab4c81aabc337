// All stretches of a recording as columns, as the protocol's `overview` tells of them, and what follows of these: the lane of each actor, what came of each stretch, where errors are. A million take
// 25 MB and a fraction of a second.
import type { ResultOf } from '@turntable/replay/protocol';
import { Buckets } from './buckets.ts';

type Piece = ResultOf<'overview'>;

/** Stretches that are asked for at once. */
export const PIECE = 65_536;

/** Columns of so many stretches, filled piece by piece. */
export class TimeLine {
  readonly count: number;
  /** Milliseconds since the first began; of a stretch at its place less one, as in all columns. */
  readonly times: Float64Array;
  /** Places in the list of actors. */
  readonly actors: Uint32Array;
  /** Places in the list of kinds. */
  readonly kinds: Uint8Array;
  /** Places of stretches among all, from 1 on; 0 where none is known. */
  readonly senders: Uint32Array;
  readonly lists: Uint32Array;
  readonly #marked: Uint32Array[] = [];
  readonly #marks: Uint8Array[] = [];
  #filled = 0;
  #lanes: Buckets | undefined;
  #received: Buckets | undefined;
  #mostActors = 0;
  readonly #lanesOfMarks = new Map<number, Buckets>();
  /** Of several actors, by the list of these. */
  readonly #together = new WeakMap<readonly number[], Uint32Array>();
  readonly #markedTogether = new Map<number, WeakMap<readonly number[], Uint32Array>>();

  constructor(count: number) {
    this.count = count;
    this.times = new Float64Array(count);
    this.actors = new Uint32Array(count);
    this.kinds = new Uint8Array(count);
    this.senders = new Uint32Array(count);
    this.lists = new Uint32Array(count);
  }

  /** The first that is not there yet. */
  get next(): number {
    return this.#filled + 1;
  }

  get isFilled(): boolean {
    return this.#filled >= this.count;
  }

  add({ count, times, actors, kinds, senders, lists, marked, marks }: Piece): void {
    const at = this.#filled;
    this.times.set(new Float64Array(bytesOf(times)), at);
    this.actors.set(new Uint32Array(bytesOf(actors)), at);
    this.kinds.set(new Uint8Array(bytesOf(kinds)), at);
    this.senders.set(new Uint32Array(bytesOf(senders)), at);
    this.lists.set(new Uint32Array(bytesOf(lists)), at);
    this.#marked.push(new Uint32Array(bytesOf(marked)));
    this.#marks.push(new Uint8Array(bytesOf(marks)));
    this.#filled += count;
  }

  /** Milliseconds from the first to the last. */
  get duration(): number {
    return this.times.reduce((most, time) => Math.max(most, time), 0);
  }

  /** An actor's stretches, ascending. */
  lane(actor: number): Uint32Array {
    this.#lanes ??= new Buckets(this.actors, this.#actorCount);
    return this.#lanes.of(actor);
  }

  /** The stretches of several actors, ascending. */
  laneOfAll(actors: readonly number[]): Uint32Array {
    let found = this.#together.get(actors);
    if (found === undefined) {
      found = this.#ofActors(actors, this.actors);
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
    this.#received ??= new Buckets(this.senders, this.count + 1);
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
    this.#marked.forEach((orders, piece) => {
      const marks = this.#marks[piece] ?? new Uint8Array();
      orders.forEach((order, i) => {
        if (marks[i] === kind && found.at(-1) !== order) found.push(order);
      });
    });
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
    if (this.#mostActors === 0 || !this.isFilled)
      this.#mostActors = this.actors.reduce((most, actor) => Math.max(most, actor), 0) + 1;
    return this.#mostActors;
  }
}

function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
