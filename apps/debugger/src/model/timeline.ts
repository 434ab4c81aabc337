// All tasks of a recording as columns (`overview` of the protocol), and data derived from the columns: lanes of actors,
// receivers of messages, events. A million tasks take about 15 MB, and a fraction of a second to load. Usable while
// pages are being loaded.
import { Buckets } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { Column, decodeColumn, type NumberArray } from './column.ts';

type OverviewPage = ResultOf<'overview'>;

/** Number of tasks in a page of the overview. */
export const OVERVIEW_PAGE_SIZE = 65_536;

/** Maximum number of tasks whose receivers are cached. */
const MAX_CACHED_RECEIVERS = 16;

interface EventColumns {
  readonly orders: Uint32Array;
  readonly kinds: NumberArray;
}

interface TimelineColumns {
  readonly times: Column;
  readonly actors: Column;
  readonly kinds: Column;
  readonly senders: Column;
  readonly statementLists: Column;
}

function createColumns(count: number): TimelineColumns {
  const [times, actors, kinds] = [new Column(count), new Column(count), new Column(count)];
  return { times, actors, kinds, senders: new Column(count), statementLists: new Column(count) };
}

/** The tasks of a recording; only the first `loadedCount` are loaded. Derived data is computed on first use. */
export class Timeline {
  readonly taskCount: number;
  readonly loadedCount: number;
  readonly #columns: TimelineColumns;
  readonly #events: readonly EventColumns[];
  #lanes: Buckets | undefined;
  /** Receivers of the tasks that were queried last, by the order of the task. */
  readonly #receiverCache = new Map<number, Uint32Array>();
  #knownActorCount = 0;
  #knownDurationMs: number | undefined;
  readonly #eventLanes = new Map<number, Buckets>();
  /** Lanes of groups of actors, by the array of the actors' indexes. */
  readonly #mergedLanes = new WeakMap<readonly number[], Uint32Array>();
  readonly #mergedEventLanes = new Map<number, WeakMap<readonly number[], Uint32Array>>();

  /** @param previous the timeline whose columns are extended, and shared with the new one */
  constructor(count: number, previous?: Timeline, added?: EventColumns & { readonly count: number }) {
    this.taskCount = count;
    this.loadedCount = (previous?.loadedCount ?? 0) + (added?.count ?? 0);
    this.#columns = previous === undefined ? createColumns(count) : previous.#columns;
    this.#events = previous === undefined || added === undefined ? [] : [...previous.#events, added];
  }

  /** The order of the first task that is not loaded. */
  get nextOrder(): number {
    return this.loadedCount + 1;
  }

  get isComplete(): boolean {
    return this.loadedCount >= this.taskCount;
  }

  /** Returns a timeline with one page more. It shares the columns of this timeline, which stays valid. */
  append({ count, eventCount, eventTasks, eventKinds, ...page }: OverviewPage): Timeline {
    const offset = this.loadedCount;
    for (const name of ['times', 'actors', 'kinds', 'senders', 'statementLists'] as const)
      this.#columns[name].write(offset, decodeColumn(page[name], count));
    const orders = Uint32Array.from(decodeColumn(eventTasks, eventCount), (index) => offset + 1 + index);
    return new Timeline(this.taskCount, this, { count, orders, kinds: decodeColumn(eventKinds, eventCount) });
  }

  /** Returns when a task started, in milliseconds since the first task. @param order from 1 on, as everywhere here */
  startMs(order: number): number {
    return this.#columns.times.at(order - 1) / 1000;
  }

  /** Returns the index of the actor that ran a task; undefined if the task is not loaded. */
  actor(order: number): number | undefined {
    return order < 1 || order > this.loadedCount ? undefined : this.#columns.actors.at(order - 1);
  }

  /** Returns the index of a task's kind. */
  kind(order: number): number {
    return this.#columns.kinds.at(order - 1);
  }

  /** Returns the number of statement lists (blocks, function bodies) that a task enters: a measure of its work. */
  statementListsOf(order: number): number {
    return this.#columns.statementLists.at(order - 1);
  }

  /** Milliseconds from the start of the first loaded task to the start of the last. */
  get durationMs(): number {
    if (this.#knownDurationMs === undefined) {
      let latest = 0;
      for (const time of this.#columns.times.prefix(this.loadedCount)) latest = Math.max(latest, time);
      this.#knownDurationMs = latest / 1000;
    }
    return this.#knownDurationMs;
  }

  /** Returns the lane of an actor: the orders of its loaded tasks, ascending. */
  lane(actor: number): Uint32Array {
    this.#lanes ??= new Buckets(this.#columns.actors.prefix(this.loadedCount), this.#actorCount);
    return this.#lanes.of(actor);
  }

  /** Returns the tasks of a group of actors, ascending. Cached by the array, which must not change. */
  mergedLane(actors: readonly number[]): Uint32Array {
    let found = this.#mergedLanes.get(actors);
    if (found === undefined) {
      found = this.#indexesOfActors(actors, this.#columns.actors.prefix(this.loadedCount));
      this.#mergedLanes.set(actors, found);
    }
    return found;
  }

  /** Returns a group's tasks that have an event of a kind, ascending. @param kind index of the event kind */
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

  /** Returns the ordinals, from 1 on, of the elements of `values` that are one of the actors. */
  #indexesOfActors(actors: readonly number[], values: NumberArray): Uint32Array {
    const isIncluded = new Uint8Array(this.#actorCount);
    for (const actor of actors) isIncluded[actor] = 1;
    const found = new Uint32Array(values.length);
    let count = 0;
    for (let i = 0; i < values.length; i++) if (isIncluded[values[i] as number] === 1) found[count++] = i + 1;
    return found.slice(0, count);
  }

  /** Returns the tasks that handle messages of a task, ascending. Found by a scan: an index would double the memory. */
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

  /** Returns the chain of senders of a task, the nearest first. @param maxLength maximum number of senders */
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

  /** Returns the tasks that have an event of a kind, ascending. @param kind index of the event kind */
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
