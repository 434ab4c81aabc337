// All stretches of a recording as columns, as the protocol's `overview` tells of them, and what follows of these: the lane of each actor, what came of each stretch, where errors are. A million take
// some 15 MB and a fraction of a second. It is seen before all of it has come: of the rest nothing is known.
import { Buckets } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { Column, wordsOf, type Words } from './column.ts';

type Piece = ResultOf<'overview'>;

/** Stretches that are asked for at once. */
export const PIECE = 65_536;

/** Stretches of which it is kept what came of them. */
const MOST_KEPT = 16;

interface Marked {
  readonly orders: Uint32Array;
  readonly kinds: Words;
}

interface Columns {
  readonly times: Column;
  readonly actors: Column;
  readonly kinds: Column;
  readonly senders: Column;
  readonly lists: Column;
}

function columnsOf(count: number): Columns {
  const [times, actors, kinds] = [new Column(count), new Column(count), new Column(count)];
  return { times, actors, kinds, senders: new Column(count), lists: new Column(count) };
}

/** Columns of so many stretches, of which the first ones are known. What follows of them is made when it is asked for, once. */
export class TimeLine {
  readonly count: number;
  /** So many are known. */
  readonly filled: number;
  readonly #columns: Columns;
  readonly #marked: readonly Marked[];
  #lanes: Buckets | undefined;
  /** What came of stretches that were asked for lately. */
  readonly #received = new Map<number, Uint32Array>();
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
    this.#columns = before === undefined ? columnsOf(count) : before.#columns;
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
  with({ count, standing, marked, marks, ...piece }: Piece): TimeLine {
    const at = this.filled;
    for (const name of ['times', 'actors', 'kinds', 'senders', 'lists'] as const)
      this.#columns[name].put(at, wordsOf(piece[name], count));
    const orders = Uint32Array.from(wordsOf(marked, standing), (place) => at + 1 + place);
    return new TimeLine(this.count, this, { count, orders, kinds: wordsOf(marks, standing) });
  }

  /** Milliseconds since the first began. @param order a place among all, from 1 on, as everywhere here */
  time(order: number): number {
    return this.#columns.times.at(order - 1) / 1000;
  }

  /** A place in the list of actors; undefined, if that is not known. */
  actor(order: number): number | undefined {
    return order < 1 || order > this.filled ? undefined : this.#columns.actors.at(order - 1);
  }

  /** A place in the list of kinds. */
  kind(order: number): number {
    return this.#columns.kinds.at(order - 1);
  }

  /** Lists of statements that it enters. */
  lists(order: number): number {
    return this.#columns.lists.at(order - 1);
  }

  /** Milliseconds from the first to the last. */
  get duration(): number {
    if (this.#duration === undefined) {
      let longest = 0;
      for (const time of this.#columns.times.first(this.filled)) longest = Math.max(longest, time);
      this.#duration = longest / 1000;
    }
    return this.#duration;
  }

  /** An actor's stretches, ascending. */
  lane(actor: number): Uint32Array {
    this.#lanes ??= new Buckets(this.#columns.actors.first(this.filled), this.#actorCount);
    return this.#lanes.of(actor);
  }

  /** The stretches of several actors, ascending. */
  laneOfAll(actors: readonly number[]): Uint32Array {
    let found = this.#together.get(actors);
    if (found === undefined) {
      found = this.#ofActors(actors, this.#columns.actors.first(this.filled));
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
      const own = orders.map((order) => this.actor(order) ?? 0);
      found = this.#ofActors(actors, own).map((place) => orders[place - 1] ?? 0);
      those.set(actors, found);
    }
    return found;
  }

  /** Places from 1 on at which one of these stands. */
  #ofActors(actors: readonly number[], all: Words): Uint32Array {
    const isOne = new Uint8Array(this.#actorCount);
    for (const actor of actors) isOne[actor] = 1;
    const found = new Uint32Array(all.length);
    let count = 0;
    for (let i = 0; i < all.length; i++) if (isOne[all[i] as number] === 1) found[count++] = i + 1;
    return found.slice(0, count);
  }

  /** What came of the messages that a stretch has sent, ascending: looked for when somebody asks, since a table of all would take as much as all else. */
  receivers(order: number): Uint32Array {
    let found = this.#received.get(order);
    if (found === undefined) {
      const senders = this.#columns.senders.first(this.filled);
      const all: number[] = [];
      for (let i = order; i < senders.length; i++) if (senders[i] === i + 1 - order) all.push(i + 1);
      found = Uint32Array.from(all);
      if (this.#received.size >= MOST_KEPT) this.#received.clear();
      this.#received.set(order, found);
    }
    return found;
  }

  sender(order: number): number | undefined {
    if (order < 1 || order > this.filled) return undefined;
    const before = this.#columns.senders.at(order - 1);
    return before === 0 ? undefined : order - before;
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

  markedOf(actor: number, kind: number): Uint32Array {
    let lanes = this.#lanesOfMarks.get(kind);
    if (lanes === undefined) {
      const orders = this.marked(kind);
      lanes = new Buckets(
        orders.map((order) => this.actor(order) ?? 0),
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
      for (const actor of this.#columns.actors.first(this.filled)) most = Math.max(most, actor);
      this.#mostActors = most + 1;
    }
    return this.#mostActors;
  }
}
