// Graph of the tasks of a run, for moves. Its columns are ordered by the number of the task among all, and not by row
// as in the run index. It adds the tasks that handle the messages of a task, the creation of each actor, and the start
// of each phase. It is immutable, and takes a fraction of a second to build for a million tasks.
import { Buckets } from '../buckets.ts';
import { findFirst } from '../binary-search.ts';
import { INDEXED_EVENT_KINDS, TASK_KINDS } from '../task-log.ts';
import type { IndexedEventKind, EventKindWithText, TaskKind } from '../task-log.ts';
import type { PhaseStart } from '../position.ts';
import type { UndeliveredMessage, RunIndex } from './run-index.ts';

/** An actor, or the main program of a worker. Worker and name identify it. */
export interface IndexedActor {
  readonly worker: number;
  readonly name: string;
  /** The actor's tasks, ascending. */
  readonly tasks: Uint32Array;
  /** The turn that constructed the actor, if the run index has it. */
  readonly creation: number | undefined;
}

const CONSTRUCT_KIND = TASK_KINDS.indexOf('construct');
const NO_TASKS = new Uint32Array();
/** Upper bound of the number of texts in a run index. */
const MAX_TEXTS = 2 ** 32;

const taskGraphs = new WeakMap<RunIndex, TaskGraph>();

export class TaskGraph {
  readonly runIndex: RunIndex;
  // Columns by the number of the task; index 0 is unused.
  readonly #kinds: Uint8Array;
  readonly #actorIndexes: Uint32Array;
  readonly #threads: Uint16Array;
  readonly #senders: Uint32Array;
  /** The tasks that handle the messages of each task. */
  readonly #receivers: Buckets;
  readonly #sources: Uint32Array;
  readonly actors: readonly IndexedActor[];
  #actorsByName: Map<string, IndexedActor> | undefined;
  readonly #threadNames: readonly { readonly worker: number; readonly epoch: number }[];
  readonly #tasksByWorker = new Map<number, Uint32Array>();
  /** The phases that have tasks, ascending. */
  readonly phases: readonly PhaseStart[];
  readonly #tasksByEventKinds = new Map<string, Uint32Array>();

  /** The graph of a run index, built on first use. */
  static of(runIndex: RunIndex): TaskGraph {
    let graph = taskGraphs.get(runIndex);
    if (graph === undefined) taskGraphs.set(runIndex, (graph = new TaskGraph(runIndex)));
    return graph;
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

  /** The actor of a task; undefined at the end of the recording. */
  actorAt(order: number): IndexedActor | undefined {
    return order > this.count ? undefined : this.actors[this.#actorIndexes[order] as number];
  }

  /** The actor of a worker with a name; undefined if the actor has no tasks. */
  actorNamed(worker: number, name: string): IndexedActor | undefined {
    this.#actorsByName ??= new Map(this.actors.map((each) => [actorKey(each.worker, each.name), each]));
    return this.#actorsByName.get(actorKey(worker, name));
  }

  #undeliveredByActor: Map<string, UndeliveredMessage[]> | undefined;
  #undeliveredBySender: Map<number | undefined, UndeliveredMessage[]> | undefined;

  /** Messages to an actor that no turn has handled, in the order of the actor's mailbox. */
  undeliveredTo(worker: number, epoch: number, name: string): readonly UndeliveredMessage[] {
    this.#undeliveredByActor ??= Map.groupBy(
      this.runIndex.undeliveredMessages(),
      (each) => `${each.epoch} ${actorKey(each.worker, each.actor)}`,
    );
    return this.#undeliveredByActor.get(`${epoch} ${actorKey(worker, name)}`) ?? [];
  }

  /** Messages sent by a task that no turn has handled. */
  undeliveredFrom(order: number): readonly UndeliveredMessage[] {
    this.#undeliveredBySender ??= Map.groupBy(this.runIndex.undeliveredMessages(), ({ sender }) => sender);
    return this.#undeliveredBySender.get(order) ?? [];
  }

  worker(order: number): number {
    return this.#threadNames[this.#threads[order] as number]?.worker ?? 0;
  }

  epoch(order: number): number {
    return this.#threadNames[this.#threads[order] as number]?.epoch ?? 0;
  }

  /** The task that sent the message of a task; undefined if it is unknown. */
  sender(order: number): number | undefined {
    const sender = this.#senders[order] as number;
    return sender === 0 ? undefined : sender;
  }

  /** The tasks that handle the messages of a task, ascending. */
  receivers(order: number): Uint32Array {
    return this.#receivers.of(order);
  }

  /** Whether a task handles a settled promise of another actor. */
  isReply(order: number): boolean {
    if (order > this.count) return false;
    const kind = this.kind(order);
    return kind === 'fulfil' || kind === 'reject';
  }

  /** The tasks that handle replies of a task, ascending. */
  replies(order: number): Uint32Array {
    return this.receivers(order).filter((each) => this.isReply(each));
  }

  /** The source of an entry's callback, for example `timer` or `device`; empty for other tasks. */
  source(order: number): string {
    return this.runIndex.tables.texts[this.#sources[order] as number] ?? '';
  }

  /** The distinct sources of all entries, sorted. */
  get sources(): readonly string[] {
    const { texts } = this.runIndex.tables;
    return [...new Set(this.#sources)].flatMap((each) => (each === 0 ? [] : (texts[each] ?? []))).toSorted();
  }

  /** The tasks that have events of at least one of these kinds, ascending. */
  tasksWithEvents(...kinds: readonly IndexedEventKind[]): Uint32Array {
    const key = kinds.join(' ');
    let tasks = this.#tasksByEventKinds.get(key);
    if (tasks === undefined) {
      tasks = kinds.map((kind) => this.runIndex.tasksWithEvent(kind)).reduce(mergeSorted, NO_TASKS);
      this.#tasksByEventKinds.set(key, tasks);
    }
    return tasks;
  }

  /** The tasks that have events of these kinds whose texts match, ascending. */
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

/** The union of two ascending lists. */
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

/** The starts of the phases. A cut point does not start one here, since users see only snapshots. */
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
