// Run index: the table of all tasks, messages, requests and events of a recording, built from the task logs of one
// replay. It is kept in typed arrays, one row per task, thread by thread; objects are created on request. `order`
// numbers all tasks from 1 on in the linear order (linear-order.ts), `number` the tasks of one thread. A thread knows
// only its own side of a message between workers, so the index joins the sides: the receiver's log has the number of
// the message, and the sender's log has how many messages had been sent at the end of each task.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { linearOrder } from './linear-order.ts';
import { EventsByTask } from './events-by-task.ts';
import { RequestTable } from './request-table.ts';
import { isOutputKind, isTextEventKind, INDEXED_EVENT_KINDS, TASK_KINDS } from '../task-log.ts';
import type { IndexedEventKind, ThreadEndKind, EventKindWithText, TaskKind } from '../task-log.ts';
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
  /** Number among all tasks, from 1 on. */
  readonly order: number;
  readonly worker: number;
  readonly epoch: number;
  /** Number among the tasks of the same thread, from 1 on. */
  readonly number: number;
  readonly phase: number;
  readonly kind: TaskKind;
  readonly actor: string;
  /** Method of a call or construction; for an entry, the source of the callback as in traces. */
  readonly method: string | undefined;
  /** Source location of the method. */
  readonly methodLocation: string | undefined;
  /** Number of the turn on its worker, as in `--until turn=`; undefined if the task is not a turn. */
  readonly turn: number | undefined;
  /** Number of the first trace event after the start of the task, as in `--until event=`. */
  readonly traceEvent: number;
  /** Milliseconds since 1970, interpolated between the times in the trace. */
  readonly time: number;
  /** Number of statement lists that the task entered; 0 if they were not counted. */
  readonly statementLists: number;
  readonly sentCount: number;
  /** The task that sent the message of this task; undefined if it is unknown. */
  readonly sender: number | undefined;
  /** Number of an entry's callback at its source. */
  readonly callback: number | undefined;
}

export interface RunEvent {
  readonly order: number;
  readonly kind: IndexedEventKind;
  /** The number of bytes for output, the phase for a cut, otherwise a text. */
  readonly value: number | string;
  /** Number of the request (request-table.ts) for a request or its response. */
  readonly request: number | undefined;
  /** The printed text of output, up to a limit. */
  readonly text: string | undefined;
}

/** The text of an event; undefined if it has none. */
export function eventText({ value, text }: RunEvent): string | undefined {
  return typeof value === 'string' ? value : text;
}

/** A message that waits at the end of the recording. */
export interface UndeliveredMessage {
  readonly worker: number;
  readonly epoch: number;
  readonly actor: string;
  /** A method, or another subject of a turn: construct, fulfil, reject, stop. */
  readonly subject: string;
  /** The sending task; undefined if it is unknown. */
  readonly sender: number | undefined;
}

export interface IndexedThread {
  readonly worker: number;
  readonly epoch: number;
  readonly count: number;
  /** Undefined if the task log is cut off. */
  readonly end: ThreadEndKind | undefined;
  readonly traceEvents: number;
}

/** Distance between tasks after the last time in the trace. */
const MIN_TASK_GAP_MS = 0.001;
const NON_TURN_KINDS: ReadonlySet<number> = new Set(
  (['evaluation', 'entry', 'jobs'] satisfies TaskKind[]).map((kind) => TASK_KINDS.indexOf(kind)),
);
const ENTRY_KIND = TASK_KINDS.indexOf('entry');

export interface RunIndexTables {
  readonly columns: TaskColumns;
  readonly events: RunEventColumns;
  readonly undelivered: UndeliveredColumns;
  readonly texts: readonly string[];
  /** All threads, sorted by worker, then epoch. */
  readonly threads: readonly ThreadRows[];
  /** Row of each task, in the linear order. */
  readonly order: Uint32Array;
}

export class RunIndex {
  readonly tables: RunIndexTables;
  /** Number of each task among all tasks, by row. */
  readonly #orders: Uint32Array;
  #eventsByTask: EventsByTask | undefined;
  #requestTable: RequestTable | undefined;

  /** Reads all task logs of a directory. The files are not needed afterwards. */
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

  constructor(tables: RunIndexTables) {
    this.tables = tables;
    this.#orders = new Uint32Array(tables.order.length);
    tables.order.forEach((row, index) => (this.#orders[row] = index + 1));
  }

  get count(): number {
    return this.tables.order.length;
  }

  get threads(): readonly IndexedThread[] {
    return this.tables.threads.map(({ worker, epoch, count, end, traceEvents }) => {
      return { worker, epoch, count, end, traceEvents };
    });
  }

  /** The task with a number among all tasks, from 1 on. */
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

  /** Name of a task's actor. Faster than `task(order).actor`. */
  actorName(order: number): string {
    return this.tables.texts[this.tables.columns.actors.at(this.tables.order[order - 1] as number)] ?? '';
  }

  /** The tasks of a worker, ascending. */
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

  /** The task of a turn, numbered as in `--until turn=`; undefined if there is none. */
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

  /** The last task that had begun at a time on any thread; 0 if none had. @param time milliseconds since 1970 */
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

  /** The task at a fraction of the recording; 0 if there are no tasks. @param fraction from 0 to 1 */
  taskAtFraction(fraction: number): number {
    return Math.min(this.count, Math.max(this.count === 0 ? 0 : 1, Math.round(fraction * this.count)));
  }

  /** All events, in the linear order. */
  events(): RunEvent[] {
    return Array.from({ length: this.#orderedEvents.length }, (_, at) => this.#event(at));
  }

  eventsAt(order: number): RunEvent[] {
    const [begin, end] = this.#orderedEvents.rangeOf(order);
    return Array.from({ length: end - begin }, (_, i) => this.#event(begin + i));
  }

  /** Visits the events of the tasks `from` to `to`. @param visit gets the kind as an index of `INDEXED_EVENT_KINDS` */
  forEachEvent(from: number, to: number, visit: (order: number, kind: number) => void): void {
    const ordered = this.#orderedEvents;
    const [begin] = ordered.rangeOf(from);
    for (let at = begin; at < ordered.length && ordered.order(at) <= to; at++)
      visit(ordered.order(at), this.tables.events.kinds.at(ordered.row(at)));
  }

  /** The tasks that have events of a kind, ascending. @param matches tests the texts of the events */
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

  /** Distinct texts of all events of a kind, sorted. */
  eventTexts(kind: EventKindWithText): readonly string[] {
    return this.#textIdsOf(kind)
      .map((id) => this.tables.texts[id] ?? '')
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

  /** Id of an event's text; undefined if it has none. */
  #textIdAt(row: number): number | undefined {
    const kind = INDEXED_EVENT_KINDS[this.tables.events.kinds.at(row)];
    if (isTextEventKind(kind)) return this.tables.events.values.at(row);
    return isOutputKind(kind) ? this.tables.events.outputTextOf(row) : undefined;
  }

  /** Messages that no turn has handled. The messages of an actor are in the order of its mailbox. */
  undeliveredMessages(): UndeliveredMessage[] {
    const { workers, epochs, actors, subjects, causes } = this.tables.undelivered;
    return Array.from({ length: workers.length }, (_, at) => ({
      worker: workers.at(at),
      epoch: epochs.at(at),
      actor: this.tables.texts[actors.at(at)] ?? '',
      subject: this.tables.texts[subjects.at(at)] ?? '',
      sender: causes.at(at) === 0 ? undefined : this.#orders[causes.at(at) - 1],
    }));
  }

  /** Requests to services, with their responses. */
  get requests(): RequestTable {
    return (this.#requestTable ??= new RequestTable(this.tables, (row) => this.#orderOfRow(row)));
  }

  get #orderedEvents(): EventsByTask {
    return (this.#eventsByTask ??= new EventsByTask(this.tables.events, (row) => this.#orderOfRow(row)));
  }

  /** Number of a row's task among all tasks. A row after all tasks, of a thread without tasks, counts as the last. */
  #orderOfRow(row: number): number {
    return this.#orders[row] ?? this.count;
  }

  #event(index: number): RunEvent {
    const ordered = this.#orderedEvents;
    const row = ordered.row(index);
    const kind = INDEXED_EVENT_KINDS[this.tables.events.kinds.at(row)] ?? 'uncaught';
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
  let step = number - 1;
  for (let i = 0; i < runtimeSteps.length && runtimeSteps.at(i) <= step; i++) step++;
  return phases.at(phaseSteps.lowerBound(step + 1) - 1);
}

/** Interpolates the times of tasks, since traces have few times. After the last time, the distances are minimal. */
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

/** Finds the sending tasks of messages between threads, including unhandled ones. */
function joinSenders(
  { columns, undelivered }: Pick<RunIndexTables, 'columns' | 'undelivered'>,
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
    join(undelivered.causes, remoteUndelivered, ownKey);
  }
}

function sendingStep(sent: MessageTotals | undefined, message: number): number | undefined {
  if (sent === undefined) return undefined;
  const at = sent.totals.lowerBound(message);
  return at === sent.totals.length ? undefined : sent.steps.at(at);
}

/** Row of the task of a step; undefined for a runtime step. */
function rowOfStep({ firstRow: row, count, runtimeSteps }: ThreadTaskLog, step: number): number | undefined {
  const before = runtimeSteps.lowerBound(step);
  if (before < runtimeSteps.length && runtimeSteps.at(before) === step) return undefined;
  return step - before < count ? row + step - before : undefined;
}
