// A run index turned around, to be moved about in: what it tells of each task by its row stands here by its place in the order, with what nobody has noted because it follows: which
// tasks have come of what one has sent, where each actor began, where each phase does. Built once, in a fraction of a second for a million; nothing of it changes.
import { Buckets } from '../buckets.ts';
import { findFirst } from '../binary-search.ts';
import {
  INDEXED_EVENT_KINDS,
  TASK_KINDS,
  type IndexedEventKind,
  type EventKindWithText,
  type TaskKind,
} from '../task-log.ts';
import type { PhaseStart } from '../position.ts';
import type { UndeliveredMessage, RunIndex } from './run-index.ts';

/** An actor, or a worker's main program: they are told apart by worker and name. */
export interface IndexedActor {
  readonly worker: number;
  readonly name: string;
  /** The places of its tasks, ascending. */
  readonly tasks: Uint32Array;
  /** The turn in which it was made, if that was seen. */
  readonly creation: number | undefined;
}

const CONSTRUCT_KIND = TASK_KINDS.indexOf('construct');
const NO_TASKS = new Uint32Array();
/** More than there are texts. */
const MAX_TEXTS = 2 ** 32;

const taskGraphs = new WeakMap<RunIndex, TaskGraph>();

export class TaskGraph {
  readonly runIndex: RunIndex;
  /** By place, from 1 on; there is nothing at 0. */
  readonly #kinds: Uint8Array;
  readonly #actorIndexes: Uint32Array;
  readonly #threads: Uint16Array;
  readonly #senders: Uint32Array;
  /** The places of the tasks that were sent at each. */
  readonly #receivers: Buckets;
  readonly #sources: Uint32Array;
  readonly actors: readonly IndexedActor[];
  #actorsByName: Map<string, IndexedActor> | undefined;
  readonly #threadNames: readonly { readonly worker: number; readonly epoch: number }[];
  readonly #tasksByWorker = new Map<number, Uint32Array>();
  /** Of which something ran, ascending. */
  readonly phases: readonly PhaseStart[];
  readonly #tasksByEventKinds = new Map<string, Uint32Array>();

  /** The index of a run index, which is made when it is first needed. */
  static of(runIndex: RunIndex): TaskGraph {
    let index = taskGraphs.get(runIndex);
    if (index === undefined) taskGraphs.set(runIndex, (index = new TaskGraph(runIndex)));
    return index;
  }

  private constructor(runIndex: RunIndex) {
    this.runIndex = runIndex;
    const { columns, threads, order, texts } = runIndex.tables;
    const { count } = runIndex;
    this.#kinds = new Uint8Array(count + 1);
    this.#actorIndexes = new Uint32Array(count + 1);
    this.#threads = new Uint16Array(count + 1);
    this.#senders = new Uint32Array(count + 1);
    this.#sources = new Uint32Array(count + 1);
    this.#threadNames = threads.map(({ worker, epoch }) => ({ worker, epoch }));
    const orders = new Uint32Array(count);
    order.forEach((row, at) => (orders[row] = at + 1));
    const actorIds = new Map<number, number>();
    const collected: { worker: number; name: string; count: number; creation: number | undefined }[] = [];
    const kindEntry = TASK_KINDS.indexOf('entry');
    threads.forEach(({ worker, firstRow: row, count }, thread) => {
      for (let i = row; i < row + count; i++) {
        const order = orders[i] as number;
        const kind = columns.kinds.at(i);
        const name = columns.actors.at(i);
        const key = worker * MAX_TEXTS + name;
        let actorAt = actorIds.get(key);
        if (actorAt === undefined) {
          actorAt = collected.push({ worker, name: texts[name] ?? '', count: 0, creation: undefined }) - 1;
          actorIds.set(key, actorAt);
        }
        const entry = collected[actorAt];
        if (entry !== undefined) {
          entry.count++;
          if (kind === CONSTRUCT_KIND) entry.creation ??= order;
        }
        this.#kinds[order] = kind;
        this.#actorIndexes[order] = actorAt;
        this.#threads[order] = thread;
        const cause = columns.causes.at(i);
        if (kind === kindEntry) this.#sources[order] = columns.methods.at(i);
        else this.#senders[order] = cause === 0 ? 0 : (orders[cause - 1] ?? 0);
      }
    });
    // There is nothing at 0.
    this.#receivers = new Buckets(this.#senders.subarray(1), count + 1);
    const tasksByActor = new Buckets(this.#actorIndexes.subarray(1), collected.length);
    this.actors = collected.map(({ worker, name, creation }, i) => ({
      worker,
      name,
      creation,
      tasks: tasksByActor.of(i),
    }));
    this.phases = phaseStarts(runIndex);
  }

  get count(): number {
    return this.runIndex.count;
  }

  kind(order: number): TaskKind {
    return TASK_KINDS[this.#kinds[order] as number] ?? 'jobs';
  }

  /** Undefined at the end. */
  actorAt(order: number): IndexedActor | undefined {
    return order > this.count ? undefined : this.actors[this.#actorIndexes[order] as number];
  }

  /** The one of a name, if it has tasks at all. */
  actorNamed(worker: number, name: string): IndexedActor | undefined {
    this.#actorsByName ??= new Map(this.actors.map((each) => [actorKey(each.worker, each.name), each]));
    return this.#actorsByName.get(actorKey(worker, name));
  }

  #undeliveredByActor: Map<string, UndeliveredMessage[]> | undefined;
  #undeliveredBySender: Map<number | undefined, UndeliveredMessage[]> | undefined;

  /** What has come to no turn of an actor, the next one first. */
  undeliveredTo(worker: number, epoch: number, name: string): readonly UndeliveredMessage[] {
    this.#undeliveredByActor ??= Map.groupBy(
      this.runIndex.undeliveredMessages(),
      (each) => `${each.epoch} ${actorKey(each.worker, each.actor)}`,
    );
    return this.#undeliveredByActor.get(`${epoch} ${actorKey(worker, name)}`) ?? [];
  }

  /** Of what was sent there. */
  undeliveredFrom(order: number): readonly UndeliveredMessage[] {
    this.#undeliveredBySender ??= Map.groupBy(this.runIndex.undeliveredMessages(), ({ sender }) => sender);
    return this.#undeliveredBySender.get(order) ?? [];
  }

  worker(order: number): number {
    return this.#threadNames[this.#threads[order] as number]?.worker ?? 0;
  }

  /** Of its worker, at that place. */
  epoch(order: number): number {
    return this.#threadNames[this.#threads[order] as number]?.epoch ?? 0;
  }

  /** Whose turn's message it is about, if that is known. */
  sender(order: number): number | undefined {
    const sender = this.#senders[order] as number;
    return sender === 0 ? undefined : sender;
  }

  /** What has come of the messages that were sent there, ascending. */
  receivers(order: number): Uint32Array {
    return this.#receivers.of(order);
  }

  /** Of an entry, who calls: `timer`, `device`. */
  source(order: number): string {
    return this.runIndex.tables.texts[this.#sources[order] as number] ?? '';
  }

  /** Who calls, of all entries. */
  get sources(): readonly string[] {
    const { texts } = this.runIndex.tables;
    return [...new Set(this.#sources)].flatMap((each) => (each === 0 ? [] : (texts[each] ?? []))).toSorted();
  }

  /** Places where something of one of these kinds stands, ascending, each once. */
  tasksWithEvents(...kinds: readonly IndexedEventKind[]): Uint32Array {
    const key = kinds.join(' ');
    let tasks = this.#tasksByEventKinds.get(key);
    if (tasks === undefined) {
      tasks = kinds.map((kind) => this.runIndex.tasksWithEvent(kind)).reduce(mergeSorted, NO_TASKS);
      this.#tasksByEventKinds.set(key, tasks);
    }
    return tasks;
  }

  /** The same of what says something that is meant. */
  tasksWithMatchingEvents(matches: (text: string) => boolean, ...kinds: readonly EventKindWithText[]): Uint32Array {
    return kinds.map((kind) => this.runIndex.tasksWithEvent(kind, matches)).reduce(mergeSorted, NO_TASKS);
  }

  tasksOfWorker(worker: number): Uint32Array {
    let tasks = this.#tasksByWorker.get(worker);
    if (tasks === undefined) this.#tasksByWorker.set(worker, (tasks = this.runIndex.tasksOfWorker(worker)));
    return tasks;
  }
}

function actorKey(worker: number, name: string): string {
  return `${worker} ${name}`;
}

/** Of both, ascending, each once. */
function mergeSorted(first: Uint32Array, second: Uint32Array): Uint32Array {
  if (first.length === 0) return second;
  const all = new Uint32Array(first.length + second.length);
  let count = 0;
  for (let i = 0, k = 0; i < first.length || k < second.length; count++) {
    const [left = Infinity, right = Infinity] = [first[i], second[k]];
    all[count] = Math.min(left, right);
    if (left <= right) i++;
    if (right <= left) k++;
  }
  return all.slice(0, count);
}

const CUT_KIND = INDEXED_EVENT_KINDS.indexOf('cut');

/** The order is phase by phase, so that each phase is a piece of it. Those that begin without a snapshot belong to the ones before: they are nothing that anybody has asked for. */
function phaseStarts(runIndex: RunIndex): PhaseStart[] {
  const found: PhaseStart[] = [];
  const cuts = cutPhases(runIndex);
  for (let firstTask = 1; firstTask <= runIndex.count;) {
    const { phase } = runIndex.task(firstTask);
    if (found.length === 0 || cuts.has(phase)) found.push({ phase, firstTask });
    firstTask = findFirst(firstTask + 1, runIndex.count + 1, (order) => runIndex.task(order).phase > phase);
  }
  return found;
}

function cutPhases({ tables: { events } }: RunIndex): Set<number> {
  const cuts = new Set<number>();
  for (let i = 0; i < events.kinds.length; i++) if (events.kinds.at(i) === CUT_KIND) cuts.add(events.values.at(i));
  return cuts;
}
