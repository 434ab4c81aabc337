// All tasks of a recording: who ran, what about, on whose behalf, when. In memory there are a few typed arrays, whose rows are the tasks of one thread after the
// other; what is told of a task is made when it is asked for. `order` numbers tasks from 1 on in the one order of all workers (linear-order.ts), `number`
// those of a thread. What threads know only of their own side is joined here: a thread says which message of which other one a task is about, and that one
// how many it had sent at the end of each of its own.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { linearOrder } from './linear-order.ts';
import { EventsByTask } from './events-by-task.ts';
import { RequestTable } from './request-table.ts';
import {
  isOutputKind,
  isTextEventKind,
  INDEXED_EVENT_KINDS,
  TASK_KINDS,
  type IndexedEventKind,
  type ThreadEndKind,
  type EventKindWithText,
  type TaskKind,
} from '../task-log.ts';
import {
  TaskColumns,
  UndeliveredColumns,
  RunEventColumns,
  readTaskLog,
  StringTable,
  threadKey,
  type RemoteSenders,
  type ThreadTaskLog,
  type ThreadRows,
  type MessageTotals,
} from './thread-task-log.ts';

export interface Task {
  /** Its place among all, from 1 on. */
  readonly order: number;
  readonly worker: number;
  readonly epoch: number;
  /** Among those of its thread, from 1 on. */
  readonly number: number;
  readonly phase: number;
  readonly kind: TaskKind;
  readonly actor: string;
  /** Of a call, and of the making of an actor; of an entry, who calls: a source of traces. */
  readonly method: string | undefined;
  /** Where the method begins. */
  readonly methodLocation: string | undefined;
  /** As `--until turn=` counts them, if it is a turn. */
  readonly turn: number | undefined;
  /** The first event of the trace that comes behind its beginning, as `--until event=` counts them. */
  readonly traceEvent: number;
  /** Milliseconds since 1970, as far as traces tell. */
  readonly time: number;
  /** Statement lists that were entered; 0 if they were not counted. */
  readonly statementLists: number;
  /** Messages, to actors of its own worker and of others. */
  readonly sentCount: number;
  /** The task that has sent what it is about, if that is known. */
  readonly sender: number | undefined;
  /** Of an entry, which of its source's callbacks it calls. */
  readonly callback: number | undefined;
}

export interface RunEvent {
  readonly order: number;
  readonly kind: IndexedEventKind;
  /** Bytes that were written; the phase that has begun; a text. */
  readonly value: number | string;
  /** Of a request, and of what it is answered: its number among all (requests.ts). */
  readonly request: number | undefined;
  /** What was printed, as far as it was noted. */
  readonly text: string | undefined;
}

/** What is said there, if that is known. */
export function eventText({ value, text }: RunEvent): string | undefined {
  return typeof value === 'string' ? value : text;
}

/** A message that waits at the end. */
export interface UndeliveredMessage {
  readonly worker: number;
  readonly epoch: number;
  readonly actor: string;
  /** A method, or what else a turn is about. */
  readonly subject: string;
  /** The task that has sent it, if that is known. */
  readonly sender: number | undefined;
}

export interface IndexedThread {
  readonly worker: number;
  readonly epoch: number;
  readonly count: number;
  /** Nothing, if its notes do not say how it ended: it was cut off in the midst of something. */
  readonly end: ThreadEndKind | undefined;
  readonly traceEvents: number;
}

/** Milliseconds between tasks of which nothing but their order is known. */
const MIN_TASK_GAP_MS = 0.001;
/** Kinds that are no turns. */
const NON_TURN_KINDS: ReadonlySet<number> = new Set(
  (['evaluation', 'entry', 'jobs'] satisfies TaskKind[]).map((kind) => TASK_KINDS.indexOf(kind)),
);
const ENTRY_KIND = TASK_KINDS.indexOf('entry');

export interface RunIndexTables {
  readonly columns: TaskColumns;
  readonly events: RunEventColumns;
  readonly undelivered: UndeliveredColumns;
  readonly texts: readonly string[];
  /** By worker and life. */
  readonly threads: readonly ThreadRows[];
  /** Rows, by their places. */
  readonly order: Uint32Array;
}

export class RunIndex {
  readonly tables: RunIndexTables;
  /** Places in the order, by their rows. */
  readonly #orders: Uint32Array;
  #eventsByTask: EventsByTask | undefined;
  #requestTable: RequestTable | undefined;

  /** Of the notes in a directory, which are not needed any more then. */
  static read(directory: string): RunIndex {
    const columns = new TaskColumns();
    const events = new RunEventColumns();
    const undelivered = new UndeliveredColumns();
    const texts = new StringTable();
    const threads = readdirSync(directory)
      .filter((name) => name.endsWith('.tsv'))
      .map((name) => readTaskLog(join(directory, name), { columns, events, undelivered, texts }))
      .filter((notes) => notes !== undefined)
      .toSorted((a, b) => a.worker - b.worker || a.epoch - b.epoch);
    for (const thread of threads) spreadTimes(columns, thread);
    joinSenders({ columns, undelivered }, threads);
    const order = linearOrder(threads, (row) => columns.times.at(row));
    return new RunIndex({ columns, events, undelivered, texts: texts.all, threads, order });
  }

  constructor(parts: RunIndexTables) {
    this.tables = parts;
    this.#orders = new Uint32Array(parts.order.length);
    parts.order.forEach((row, order) => (this.#orders[row] = order + 1));
  }

  get count(): number {
    return this.tables.order.length;
  }

  get threads(): readonly IndexedThread[] {
    return this.tables.threads.map(({ worker, epoch, count, end, traceEvents: events }) => ({
      worker,
      epoch,
      count,
      end,
      traceEvents: events,
    }));
  }

  /** @param order from 1 on */
  task(order: number): Task {
    const row = this.tables.order[order - 1];
    if (row === undefined) throw new RangeError(`there is no task ${order}: they are numbered from 1 to ${this.count}`);
    const columns = this.tables.columns;
    const thread = this.#threadOf(row);
    const number = row - thread.firstRow + 1;
    const kind = columns.kinds.at(row);
    const cause = columns.causes.at(row);
    const isEntry = kind === ENTRY_KIND;
    return {
      order,
      worker: thread.worker,
      epoch: thread.epoch,
      number,
      phase: phaseOf(thread, number),
      kind: TASK_KINDS[kind] ?? 'jobs',
      actor: this.#textOf(columns.actors.at(row)) ?? '',
      method: this.#textOf(columns.methods.at(row)),
      methodLocation: this.#textOf(columns.methodLocations.at(row)),
      turn: NON_TURN_KINDS.has(kind) ? undefined : columns.turns.at(row),
      traceEvent: columns.traceEvents.at(row),
      time: columns.times.at(row),
      statementLists: columns.statementLists.at(row),
      sentCount: columns.sentCounts.at(row),
      sender: isEntry || cause === 0 ? undefined : this.#orders[cause - 1],
      callback: isEntry ? cause : undefined,
    };
  }

  #textOf(number: number): string | undefined {
    const text = this.tables.texts[number];
    return text === '' ? undefined : text;
  }

  #threadOf(row: number): ThreadRows {
    const found = this.tables.threads.find((thread) => row >= thread.firstRow && row < thread.firstRow + thread.count);
    if (found === undefined) throw new RangeError(`there is no row ${row}`);
    return found;
  }

  /** The name of the actor, without all the rest of the task. */
  actorName(order: number): string {
    return this.tables.texts[this.tables.columns.actors.at(this.tables.order[order - 1] as number)] ?? '';
  }

  /** The order numbers of a worker's tasks, life after life; they ascend. */
  tasksOfWorker(worker: number): Uint32Array {
    const threads = this.tables.threads.filter((each) => each.worker === worker);
    const found = new Uint32Array(threads.reduce((sum, { count }) => sum + count, 0));
    let at = 0;
    for (const { firstRow: row, count } of threads) {
      found.set(this.#orders.subarray(row, row + count), at);
      at += count;
    }
    return found;
  }

  orderOf(worker: number, epoch: number, number: number): number | undefined {
    const thread = this.#findThread(worker, epoch);
    return thread === undefined || number < 1 || number > thread.count
      ? undefined
      : this.#orders[thread.firstRow + number - 1];
  }

  /** The task of a turn, as `--until turn=` counts them. */
  taskOfTurn(worker: number, turn: number): number | undefined {
    const thread = this.#findThread(worker, 0);
    if (thread === undefined) return undefined;
    const { turns, kinds } = this.tables.columns;
    const end = thread.firstRow + thread.count;
    for (let row = turns.lowerBound(turn, thread.firstRow, end); row < end && turns.at(row) === turn; row++)
      if (!NON_TURN_KINDS.has(kinds.at(row))) return this.#orders[row];
    return undefined;
  }

  #findThread(worker: number, epoch: number): ThreadRows | undefined {
    return this.tables.threads.find((each) => each.worker === worker && each.epoch === epoch);
  }

  /** The last task of all that had begun by then on any thread; 0 before the first. @param time milliseconds since 1970 */
  taskAtTime(time: number): number {
    const { times } = this.tables.columns;
    return Math.max(
      0,
      ...this.tables.threads.map(({ firstRow: row, count }) => {
        const at = times.lowerBound(time, row, row + count);
        const last = at < row + count && times.at(at) === time ? at : at - 1;
        return last < row ? 0 : (this.#orders[last] as number);
      }),
    );
  }

  /** @param fraction from 0 to 1 */
  taskAtFraction(fraction: number): number {
    return Math.min(this.count, Math.max(this.count === 0 ? 0 : 1, Math.round(fraction * this.count)));
  }

  /** Errors, snapshots, what was printed: in the order of their tasks. */
  events(): RunEvent[] {
    return Array.from({ length: this.#orderedEvents.length }, (_, at) => this.#event(at));
  }

  eventsAt(order: number): RunEvent[] {
    const [begin, end] = this.#orderedEvents.rangeOf(order);
    return Array.from({ length: end - begin }, (_, i) => this.#event(begin + i));
  }

  /** What stands at tasks from one to another, without what it says. @param visit is told the place, and the kind as a place in the list of kinds */
  forEachEvent(from: number, to: number, visit: (order: number, kind: number) => void): void {
    const ordered = this.#orderedEvents;
    const [begin] = ordered.rangeOf(from);
    for (let at = begin; at < ordered.length && ordered.order(at) <= to; at++)
      visit(ordered.order(at), this.tables.events.kinds.at(ordered.row(at)));
  }

  /** The places of all that are of a kind, ascending, each once. @param matches of a text: only where it is such a one */
  tasksWithEvent(kind: IndexedEventKind, matches?: (text: string) => boolean): Uint32Array {
    const ordered = this.#orderedEvents;
    const kindIndex = INDEXED_EVENT_KINDS.indexOf(kind);
    const matchingTextIds =
      matches && new Set(this.#textIdsOf(kind).filter((number) => matches(this.tables.texts[number] ?? '')));
    const found = new Uint32Array(ordered.length);
    let count = 0;
    for (let at = 0; at < ordered.length; at++) {
      const row = ordered.row(at);
      if (this.tables.events.kinds.at(row) !== kindIndex) continue;
      if (matchingTextIds?.has(this.#textIdAt(row) ?? -1) === false) continue;
      const order = ordered.order(at);
      if (count === 0 || found[count - 1] !== order) found[count++] = order;
    }
    return found.slice(0, count);
  }

  /** What marks of a kind say, each text once. */
  eventTexts(kind: EventKindWithText): readonly string[] {
    return this.#textIdsOf(kind)
      .map((number) => this.tables.texts[number] ?? '')
      .toSorted();
  }

  #textIdsOf(kind: IndexedEventKind): number[] {
    const { kinds } = this.tables.events;
    const kindIndex = INDEXED_EVENT_KINDS.indexOf(kind);
    const found = new Set<number>();
    for (let row = 0; row < kinds.length; row++)
      if (kinds.at(row) === kindIndex) {
        const text = this.#textIdAt(row);
        if (text !== undefined) found.add(text);
      }
    return [...found];
  }

  /** What a mark says, as the number of a text. */
  #textIdAt(row: number): number | undefined {
    const kind = INDEXED_EVENT_KINDS[this.tables.events.kinds.at(row)];
    if (isTextEventKind(kind)) return this.tables.events.values.at(row);
    return isOutputKind(kind) ? this.tables.events.outputTextOf(row) : undefined;
  }

  /** Messages that have come to no turn, of each actor in the order in which they wait. */
  undeliveredMessages(): UndeliveredMessage[] {
    const { workers, epochs, actors, subjects: whats, causes } = this.tables.undelivered;
    return Array.from({ length: workers.length }, (_, at) => ({
      worker: workers.at(at),
      epoch: epochs.at(at),
      actor: this.tables.texts[actors.at(at)] ?? '',
      subject: this.tables.texts[whats.at(at)] ?? '',
      sender: causes.at(at) === 0 ? undefined : this.#orders[causes.at(at) - 1],
    }));
  }

  /** Those to services, each with what it was answered. */
  get requests(): RequestTable {
    return (this.#requestTable ??= new RequestTable(this.tables, (row) => this.#orderOfRow(row)));
  }

  get #orderedEvents(): EventsByTask {
    return (this.#eventsByTask ??= new EventsByTask(this.tables.events, (row) => this.#orderOfRow(row)));
  }

  /** Behind the last task of its thread stands what belongs to none. */
  #orderOfRow(row: number): number {
    return this.#orders[row] ?? this.count;
  }

  #event(index: number): RunEvent {
    const ordered = this.#orderedEvents;
    const row = ordered.row(index);
    const kind = INDEXED_EVENT_KINDS[this.tables.events.kinds.at(row)] ?? 'error';
    const value = this.tables.events.values.at(row);
    const requestId = this.tables.events.requestOf(row);
    const outputText = this.tables.events.outputTextOf(row);
    return {
      order: ordered.order(index),
      kind,
      value: isTextEventKind(kind) ? (this.tables.texts[value] ?? '') : value,
      request: requestId === undefined ? undefined : this.requests.numberOf(requestId),
      text: outputText === undefined ? undefined : this.tables.texts[outputText],
    };
  }
}

function phaseOf({ phases, phaseSteps, runtimeSteps }: ThreadRows, number: number): number {
  // Of the number-th task, the step.
  let step = number - 1;
  for (let i = 0; i < runtimeSteps.length && runtimeSteps.at(i) <= step; i++) step++;
  return phases.at(phaseSteps.lowerBound(step + 1) - 1);
}

/** Traces tell the time now and then: tasks between two such times stand at equal distances, behind the last one in their order. */
function spreadTimes({ times }: TaskColumns, { firstRow: row, count }: ThreadTaskLog): void {
  const end = row + count;
  for (let from = row; from < end;) {
    const time = times.at(from);
    let to = from + 1;
    while (to < end && times.at(to) === time) to++;
    const step = to === end ? MIN_TASK_GAP_MS : Math.max(0, times.at(to) - time) / (to - from);
    for (let i = from + 1; i < to; i++) times.set(i, time + (i - from) * step);
    from = to;
  }
}

/** Which task of another thread has sent what a task is about, or what was left. */
function joinSenders(
  { columns, undelivered: left }: Pick<RunIndexTables, 'columns' | 'undelivered'>,
  threads: readonly ThreadTaskLog[],
): void {
  const byKey = new Map(threads.map((thread) => [threadKey(thread.worker, thread.epoch), thread]));
  const join = (causes: TaskColumns['causes'], { rows, keys, messages }: RemoteSenders, ownKey: number): void => {
    for (let i = 0; i < rows.length; i++) {
      const from = byKey.get(keys.at(i));
      const step = from === undefined ? undefined : sendingStep(from.sent.get(ownKey), messages.at(i));
      const row = from === undefined || step === undefined ? undefined : rowOfStep(from, step);
      if (row !== undefined) causes.set(rows.at(i), row + 1);
    }
  };
  for (const { worker, epoch, remoteSenders, remoteUndelivered } of threads) {
    const ownKey = threadKey(worker, epoch);
    join(columns.causes, remoteSenders, ownKey);
    join(left.causes, remoteUndelivered, ownKey);
  }
}

function sendingStep(sent: MessageTotals | undefined, message: number): number | undefined {
  if (sent === undefined) return undefined;
  const at = sent.totals.lowerBound(message);
  return at === sent.totals.length ? undefined : sent.steps.at(at);
}

/** Nothing, if it is none of the program's. */
function rowOfStep({ firstRow: row, count, runtimeSteps }: ThreadTaskLog, step: number): number | undefined {
  const before = runtimeSteps.lowerBound(step);
  if (before < runtimeSteps.length && runtimeSteps.at(before) === step) return undefined;
  return step - before < count ? row + step - before : undefined;
}
