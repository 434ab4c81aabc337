// All tasks of a recording as columns, as the protocol's `overview` tells of them, and what follows of these: the lane of each actor, what came of each task, where errors are. A million take
// some 15 MB and a fraction of a second. It is seen before all of it has come: of the rest nothing is known.
import { Buckets } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { Column, decodeColumn, type NumberArray } from './column.ts';

type OverviewPage = ResultOf<'overview'>;

/** Tasks that are asked for at once. */
export const OVERVIEW_PAGE_SIZE = 65_536;

/** Tasks of which it is kept what came of them. */
const MAX_CACHED_RECEIVERS = 16;

interface EventColumns {
  readonly orders: Uint32Array;
  readonly kinds: NumberArray;
}

interface TimeLineColumns {
  readonly times: Column;
  readonly actors: Column;
  readonly kinds: Column;
  readonly senders: Column;
  readonly statementLists: Column;
}

function createColumns(count: number): TimeLineColumns {
  const [times, actors, kinds] = [new Column(count), new Column(count), new Column(count)];
  return { times, actors, kinds, senders: new Column(count), statementLists: new Column(count) };
}

/** Columns of so many tasks, of which the first ones are known. What follows of them is made when it is asked for, once. */
export class TimeLine {
  readonly taskCount: number;
  /** So many are known. */
  readonly loadedCount: number;
  readonly #columns: TimeLineColumns;
  readonly #events: readonly EventColumns[];
  #lanes: Buckets | undefined;
  /** What came of tasks that were asked for lately. */
  readonly #receiverCache = new Map<number, Uint32Array>();
  #knownActorCount = 0;
  #knownDurationMs: number | undefined;
  readonly #eventLanes = new Map<number, Buckets>();
  /** Of several actors, by the list of these. */
  readonly #mergedLanes = new WeakMap<readonly number[], Uint32Array>();
  readonly #mergedEventLanes = new Map<number, WeakMap<readonly number[], Uint32Array>>();

  /** @param previous of which the columns are, with what has come since: nothing, unless it is said */
  constructor(count: number, previous?: TimeLine, added?: EventColumns & { readonly count: number }) {
    this.taskCount = count;
    this.loadedCount = (previous?.loadedCount ?? 0) + (added?.count ?? 0);
    this.#columns = previous === undefined ? createColumns(count) : previous.#columns;
    this.#events = previous === undefined || added === undefined ? [] : [...previous.#events, added];
  }

  /** The first that is not there yet. */
  get nextOrder(): number {
    return this.loadedCount + 1;
  }

  get isComplete(): boolean {
    return this.loadedCount >= this.taskCount;
  }

  /** With the next piece, in the same columns: of this one nothing changes that it knows. */
  append({ count, eventCount, eventTasks, eventKinds, ...page }: OverviewPage): TimeLine {
    const offset = this.loadedCount;
    for (const name of ['times', 'actors', 'kinds', 'senders', 'statementLists'] as const)
      this.#columns[name].write(offset, decodeColumn(page[name], count));
    const orders = Uint32Array.from(decodeColumn(eventTasks, eventCount), (index) => offset + 1 + index);
    return new TimeLine(this.taskCount, this, { count, orders, kinds: decodeColumn(eventKinds, eventCount) });
  }

  /** Milliseconds since the first began. @param order a place among all, from 1 on, as everywhere here */
  startMs(order: number): number {
    return this.#columns.times.at(order - 1) / 1000;
  }

  /** A place in the list of actors; undefined, if that is not known. */
  actor(order: number): number | undefined {
    return order < 1 || order > this.loadedCount ? undefined : this.#columns.actors.at(order - 1);
  }

  /** A place in the list of kinds. */
  kind(order: number): number {
    return this.#columns.kinds.at(order - 1);
  }

  /** Lists of statements that it enters. */
  statementListsOf(order: number): number {
    return this.#columns.statementLists.at(order - 1);
  }

  /** Milliseconds from the first to the last. */
  get durationMs(): number {
    if (this.#knownDurationMs === undefined) {
      let latest = 0;
      for (const time of this.#columns.times.prefix(this.loadedCount)) latest = Math.max(latest, time);
      this.#knownDurationMs = latest / 1000;
    }
    return this.#knownDurationMs;
  }

  /** An actor's tasks, ascending. */
  lane(actor: number): Uint32Array {
    this.#lanes ??= new Buckets(this.#columns.actors.prefix(this.loadedCount), this.#actorCount);
    return this.#lanes.of(actor);
  }

  /** The tasks of several actors, ascending. */
  mergedLane(actors: readonly number[]): Uint32Array {
    let found = this.#mergedLanes.get(actors);
    if (found === undefined) {
      found = this.#indexesOfActors(actors, this.#columns.actors.prefix(this.loadedCount));
      this.#mergedLanes.set(actors, found);
    }
    return found;
  }

  /** Those of several actors at which such a thing stands. @param kind a place in the list of marks */
  mergedEventLane(actors: readonly number[], kind: number): Uint32Array {
    let lanes = this.#mergedEventLanes.get(kind);
    if (lanes === undefined) this.#mergedEventLanes.set(kind, (lanes = new WeakMap()));
    let found = lanes.get(actors);
    if (found === undefined) {
      const orders = this.tasksWithEvent(kind);
      const actorOfEvent = orders.map((order) => this.actor(order) ?? 0);
      found = this.#indexesOfActors(actors, actorOfEvent).map((index) => orders[index - 1] ?? 0);
      lanes.set(actors, found);
    }
    return found;
  }

  /** Places from 1 on at which one of these stands. */
  #indexesOfActors(actors: readonly number[], values: NumberArray): Uint32Array {
    const isIncluded = new Uint8Array(this.#actorCount);
    for (const actor of actors) isIncluded[actor] = 1;
    const found = new Uint32Array(values.length);
    let count = 0;
    for (let i = 0; i < values.length; i++) if (isIncluded[values[i] as number] === 1) found[count++] = i + 1;
    return found.slice(0, count);
  }

  /** What came of the messages that a task has sent, ascending: looked for when somebody asks, since a table of all would take as much as all else. */
  receivers(order: number): Uint32Array {
    let found = this.#receiverCache.get(order);
    if (found === undefined) {
      const senders = this.#columns.senders.prefix(this.loadedCount);
      const orders: number[] = [];
      for (let i = order; i < senders.length; i++) if (senders[i] === i + 1 - order) orders.push(i + 1);
      found = Uint32Array.from(orders);
      if (this.#receiverCache.size >= MAX_CACHED_RECEIVERS) this.#receiverCache.clear();
      this.#receiverCache.set(order, found);
    }
    return found;
  }

  sender(order: number): number | undefined {
    if (order < 1 || order > this.loadedCount) return undefined;
    const distance = this.#columns.senders.at(order - 1);
    return distance === 0 ? undefined : order - distance;
  }

  /** The tasks that led to one, message by message, the last first. @param maxLength how many */
  senderChain(order: number, maxLength: number): number[] {
    const found: number[] = [];
    for (
      let current = this.sender(order);
      current !== undefined && found.length < maxLength;
      current = this.sender(current)
    )
      found.push(current);
    return found;
  }

  /** Tasks at which such a thing stands, ascending. @param kind a place in the list of marks */
  tasksWithEvent(kind: number): Uint32Array {
    const found: number[] = [];
    for (const { orders, kinds } of this.#events)
      for (let i = 0; i < orders.length; i++) {
        const order = orders[i] as number;
        if (kinds[i] === kind && found.at(-1) !== order) found.push(order);
      }
    return Uint32Array.from(found);
  }

  eventLane(actor: number, kind: number): Uint32Array {
    let lanes = this.#eventLanes.get(kind);
    if (lanes === undefined) {
      const orders = this.tasksWithEvent(kind);
      lanes = new Buckets(
        orders.map((order) => this.actor(order) ?? 0),
        this.#actorCount,
        orders,
      );
      this.#eventLanes.set(kind, lanes);
    }
    return lanes.of(actor);
  }

  get #actorCount(): number {
    if (this.#knownActorCount === 0) {
      let maxActor = 0;
      for (const actor of this.#columns.actors.prefix(this.loadedCount)) maxActor = Math.max(maxActor, actor);
      this.#knownActorCount = maxActor + 1;
    }
    return this.#knownActorCount;
  }
}
