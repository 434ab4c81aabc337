// Reader of task logs (task-log.ts). It appends the tasks of one thread to columns that all threads share, one row per
// task, and returns the links of the thread to other threads: message totals and senders. A log is valid up to its last
// whole cell.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { NumberList, type WordArrayType } from './number-list.ts';
import {
  CELL_BYTES,
  THREAD_END_KINDS,
  isOutputKind,
  isTextEventKind,
  INDEXED_EVENT_KINDS,
  NO_SENDER,
  TASK_LOG_MAGIC,
  TASK_LOG_VERSION,
  CELL_TAGS,
  type ThreadEndKind,
} from '../task-log.ts';

/** The distinct texts of all threads, by id. Id 0 is the empty text. */
export class StringTable {
  readonly all: string[] = [''];
  readonly #ids = new Map([['', 0]]);

  idOf(text: string): number {
    let number = this.#ids.get(text);
    if (number === undefined) {
      number = this.all.push(text) - 1;
      this.#ids.set(text, number);
    }
    return number;
  }
}

type WordArray = Uint8Array | Uint32Array | Float64Array;

/** Returns the words of the next stored column; undefined if there is none. */
export type WordSource = <T extends WordArray>(type: WordArrayType<T>) => T | undefined;
const NO_WORDS: WordSource = () => undefined;

/** A set of columns that are stored one after the other, in the order in which the subclass defines them. */
abstract class ColumnSet {
  readonly #source: WordSource;
  readonly #columns: { readonly words: WordArray }[] = [];

  constructor(source: WordSource = NO_WORDS) {
    this.#source = source;
  }

  protected column<T extends WordArray>(type: WordArrayType<T>): NumberList<T> {
    const list = new NumberList(type, this.#source(type));
    this.#columns.push(list);
    return list;
  }

  get words(): WordArray[] {
    return this.#columns.map(({ words }) => words);
  }
}

/** Columns of tasks, one row per task, thread by thread. */
export class TaskColumns extends ColumnSet {
  readonly kinds: NumberList<Uint8Array> = this.column(Uint8Array);
  readonly actors: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly methods: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly methodLocations: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly turns: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly traceEvents: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly times: NumberList<Float64Array> = this.column(Float64Array);
  readonly statementLists: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly sentCounts: NumberList<Uint32Array> = this.column(Uint32Array);
  /** For an entry, the number of its callback. Otherwise the row of the sending task, from 1 on; 0 if unknown. */
  readonly causes: NumberList<Uint32Array> = this.column(Uint32Array);
}

/** Columns of events. `rows` has the row of each event's task. */
export class RunEventColumns extends ColumnSet {
  readonly rows: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly kinds: NumberList<Uint8Array> = this.column(Uint8Array);
  /** For each event a number of bytes, a phase, or the id of a text. */
  readonly values: NumberList<Float64Array> = this.column(Float64Array);
  /** The events that belong to a request, ascending, and the ids of these requests, from 0 on, thread by thread. */
  readonly requestRows: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly requestIds: NumberList<Uint32Array> = this.column(Uint32Array);
  /** The events whose printed text is recorded, ascending, and the ids of these texts. */
  readonly outputRows: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly outputTexts: NumberList<Uint32Array> = this.column(Uint32Array);

  add(row: number, kind: number, value: number): void {
    this.rows.push(row);
    this.kinds.push(kind);
    this.values.push(value);
  }

  /** Assigns the last added event to a request. */
  addRequest(request: number): void {
    this.requestRows.push(this.rows.length - 1);
    this.requestIds.push(request);
  }

  /** Assigns a printed text to the last added event. */
  addOutputText(textId: number): void {
    this.outputRows.push(this.rows.length - 1);
    this.outputTexts.push(textId);
  }

  get requestCount(): number {
    return this.requestIds.words.reduce((most, each) => Math.max(most, each + 1), 0);
  }

  /** Id of an event's request; undefined if it has none. */
  requestOf(event: number): number | undefined {
    return valueBeside(event, this.requestRows, this.requestIds);
  }

  /** Id of an event's printed text; undefined if it is not recorded. */
  outputTextOf(event: number): number | undefined {
    return valueBeside(event, this.outputRows, this.outputTexts);
  }
}

/** Columns of messages that no turn has handled. The messages of an actor are in the order of its mailbox. */
export class UndeliveredColumns extends ColumnSet {
  readonly workers: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly epochs: NumberList<Uint32Array> = this.column(Uint32Array);
  /** Text ids, as in `subjects`. */
  readonly actors: NumberList<Uint32Array> = this.column(Uint32Array);
  readonly subjects: NumberList<Uint32Array> = this.column(Uint32Array);
  /** Rows of the sending tasks, from 1 on; 0 if unknown. */
  readonly causes: NumberList<Uint32Array> = this.column(Uint32Array);
}

/** Looks up the value that belongs to a key; undefined if the key is missing. The keys must be ascending. */
function valueBeside(key: number, keys: NumberList<Uint32Array>, values: NumberList<Uint32Array>): number | undefined {
  const index = keys.lowerBound(key);
  return index < keys.length && keys.at(index) === key ? values.at(index) : undefined;
}

/** Number of messages from one thread to another: the steps in which it grew, and the total after each. */
export class MessageTotals {
  readonly steps = new NumberList(Uint32Array);
  readonly totals = new NumberList(Uint32Array);

  add(step: number, total: number): void {
    this.steps.push(step);
    this.totals.push(total);
  }
}

/**
 * The rows and steps of a thread. Its *steps* are its tasks and its runtime steps. A runtime step sends messages
 * between two tasks; it matters for the linear order, but has no number among the tasks.
 */
export interface ThreadRows {
  readonly worker: number;
  readonly epoch: number;
  /** Row of the thread's first task. */
  readonly firstRow: number;
  readonly count: number;
  /** Numbers of the steps that are not tasks, ascending. */
  readonly runtimeSteps: NumberList<Uint32Array>;
  /** The thread's phases, and the number of the first step of each, both ascending. */
  readonly phases: NumberList<Uint32Array>;
  readonly phaseSteps: NumberList<Uint32Array>;
  /** Undefined if the log is cut off. */
  readonly end: ThreadEndKind | undefined;
  readonly traceEvents: number;
}

/** A thread with its links to other threads. */
export interface ThreadTaskLog extends ThreadRows {
  readonly steps: number;
  /** Message totals by the `threadKey` of the other thread. */
  readonly received: ReadonlyMap<number, MessageTotals>;
  readonly sent: ReadonlyMap<number, MessageTotals>;
  /** Senders on other threads: of the messages of tasks, and of undelivered messages. */
  readonly remoteSenders: RemoteSenders;
  readonly remoteUndelivered: RemoteSenders;
}

/** Messages from other threads: row of the task or undelivered message, key of the sender, number of the message. */
export class RemoteSenders {
  readonly rows: NumberList<Uint32Array> = new NumberList(Uint32Array);
  readonly keys: NumberList<Float64Array> = new NumberList(Float64Array);
  readonly messages: NumberList<Uint32Array> = new NumberList(Uint32Array);

  add(row: number, key: number, message: number): void {
    this.rows.push(row);
    this.keys.push(key);
    this.messages.push(message);
  }
}

export interface RunIndexColumns {
  readonly columns: TaskColumns;
  readonly events: RunEventColumns;
  readonly undelivered: UndeliveredColumns;
  readonly texts: StringTable;
}

const EPOCHS_PER_WORKER = 2 ** 32;

export function threadKey(worker: number, epoch: number): number {
  return worker * EPOCHS_PER_WORKER + epoch;
}

const READ_CHUNK_BYTES = 1 << 20;

/** Appends a task log to the columns; undefined if the file is not a task log of this version. */
export function readTaskLog(path: string, columns: RunIndexColumns): ThreadTaskLog | undefined {
  const cells = new CellReader(path);
  try {
    return readCells(cells, columns);
  } finally {
    cells.close();
  }
}

function readCells(
  cells: CellReader,
  { columns, events: eventColumns, undelivered: undeliveredColumns, texts }: RunIndexColumns,
): ThreadTaskLog | undefined {
  if (!cells.has(1) || cells.u32(0) !== TASK_LOG_MAGIC || cells.u16(4) !== TASK_LOG_VERSION) return undefined;
  const worker = cells.u16(6);
  const epoch = cells.u32(8);
  const ownKey = threadKey(worker, epoch);
  const firstRow = columns.kinds.length;
  const runtimeSteps = new NumberList(Uint32Array);
  const [phases, phaseSteps] = [new NumberList(Uint32Array), new NumberList(Uint32Array)];
  phases.push(cells.u32(12));
  phaseSteps.push(0);
  const received = new Map<number, MessageTotals>();
  const sent = new Map<number, MessageTotals>();
  const [remoteSenders, remoteUndelivered] = [new RemoteSenders(), new RemoteSenders()];
  const textIds: number[] = [];
  /** Request ids by the numbers of requests in the log. */
  const requests = new Map<number, number>();
  const firstRequest = eventColumns.requestCount;
  let stepCount = 0;
  let end: ThreadEndKind | undefined;
  let traceEvents = 0;
  for (let size = 1; end === undefined;) {
    cells.skip(size);
    if (!cells.has(1)) break;
    const tag = cells.u8(0);
    size = cellCount(tag, cells);
    if (!cells.has(size)) break;
    const at = columns.kinds.length;
    if (tag === CELL_TAGS.task) {
      columns.kinds.push(cells.u8(1));
      columns.actors.push(textIds[cells.u32(4)] ?? 0);
      columns.methods.push(textIds[cells.u32(8)] ?? 0);
      columns.methodLocations.push(textIds[cells.u32(12)] ?? 0);
      columns.turns.push(cells.u32(16));
      columns.traceEvents.push(cells.u32(20));
      columns.times.push(cells.f64(32));
      columns.statementLists.push(cells.u32(40));
      columns.sentCounts.push(cells.u32(44));
      const sender = cells.u16(2);
      const number = cells.u32(28);
      const key = threadKey(sender, cells.u32(24));
      const isLocal = key === ownKey && number > 0;
      columns.causes.push(sender === NO_SENDER ? number : isLocal ? firstRow + number : 0);
      if (sender !== NO_SENDER && key !== ownKey && number > 0) remoteSenders.add(at, key, number);
      stepCount++;
    } else if (tag === CELL_TAGS.runtimeStep) {
      runtimeSteps.push(stepCount);
      stepCount++;
    } else if (tag === CELL_TAGS.text) textIds.push(texts.idOf(cells.text(CELL_BYTES, cells.u32(4))));
    else if (tag === CELL_TAGS.received || tag === CELL_TAGS.sent) {
      const totalsByThread = tag === CELL_TAGS.received ? received : sent;
      const key = threadKey(cells.u16(2), cells.u32(4));
      let traffic = totalsByThread.get(key);
      if (traffic === undefined) totalsByThread.set(key, (traffic = new MessageTotals()));
      traffic.add(stepCount, cells.u32(8));
    } else if (tag === CELL_TAGS.phase) {
      phases.push(cells.f64(8));
      phaseSteps.push(stepCount);
    } else if (tag === CELL_TAGS.event) {
      const kind = cells.u8(1);
      const value = cells.f64(8);
      if (INDEXED_EVENT_KINDS[kind] === 'cut') {
        phases.push(value);
        phaseSteps.push(stepCount);
      }
      eventColumns.add(at, kind, isTextEventKind(INDEXED_EVENT_KINDS[kind]) ? (textIds[value] ?? 0) : value);
      const extra = cells.u32(4);
      if (extra > 0 && isOutputKind(INDEXED_EVENT_KINDS[kind])) eventColumns.addOutputText(textIds[extra - 1] ?? 0);
      else if (extra > 0) {
        if (!requests.has(extra)) requests.set(extra, firstRequest + requests.size);
        eventColumns.addRequest(requests.get(extra) ?? 0);
      }
    } else if (tag === CELL_TAGS.undelivered) {
      const sender = cells.u16(2);
      const key = threadKey(sender, cells.u32(16));
      const number = cells.u32(20);
      const isKnown = sender !== NO_SENDER && number > 0;
      if (isKnown && key !== ownKey) remoteUndelivered.add(undeliveredColumns.workers.length, key, number);
      undeliveredColumns.workers.push(worker);
      undeliveredColumns.epochs.push(epoch);
      undeliveredColumns.actors.push(textIds[cells.u32(4)] ?? 0);
      undeliveredColumns.subjects.push(textIds[cells.u32(8)] ?? 0);
      undeliveredColumns.causes.push(isKnown && key === ownKey ? firstRow + number : 0);
    } else if (tag === CELL_TAGS.end) {
      end = THREAD_END_KINDS[cells.u8(1)];
      traceEvents = cells.u32(4);
    } else break;
  }
  const count = columns.kinds.length - firstRow;
  // Events after the last task belong to that task.
  const lastRow = Math.max(firstRow, firstRow + count - 1);
  for (let i = eventColumns.rows.length - 1; i >= 0 && eventColumns.rows.at(i) > lastRow; i--)
    eventColumns.rows.set(i, lastRow);
  const joined = { steps: stepCount, received, sent, remoteSenders, remoteUndelivered };
  return { worker, epoch, firstRow, count, runtimeSteps, phases, phaseSteps, end, traceEvents, ...joined };
}

/** Number of cells of the record at the current cell. */
function cellCount(tag: number, cells: CellReader): number {
  if (tag === CELL_TAGS.task) return 3;
  if (tag === CELL_TAGS.undelivered) return 2;
  return tag === CELL_TAGS.text ? 1 + Math.ceil(cells.u32(4) / CELL_BYTES) : 1;
}

/** Buffered reader of the cells of a file. Offsets are relative to the current cell. */
class CellReader {
  readonly #file: number;
  readonly #size: number;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  /** Position of the buffer's first byte in the file. */
  #base = 0;
  /** Number of valid bytes in the buffer. */
  #length = 0;
  /** Position of the current cell in the buffer. */
  #at = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.#size = fstatSync(this.#file).size;
    this.#bytes = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, this.#size));
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Whether the file has a number of cells from the current one on. If so, they are loaded into the buffer. */
  has(count: number): boolean {
    const needed = count * CELL_BYTES;
    if (this.#at + needed <= this.#length) return true;
    const from = this.#base + this.#at;
    if (needed > this.#bytes.length || from + needed > this.#size) return false;
    this.#base = from;
    this.#at = this.#length = 0;
    while (this.#length < this.#bytes.length) {
      const space = this.#bytes.length - this.#length;
      const read = readSync(this.#file, this.#bytes, this.#length, space, from + this.#length);
      if (read === 0) break;
      this.#length += read;
    }
    return needed <= this.#length;
  }

  skip(count: number): void {
    this.#at += count * CELL_BYTES;
  }

  u8(offset: number): number {
    return this.#view.getUint8(this.#at + offset);
  }

  u16(offset: number): number {
    return this.#view.getUint16(this.#at + offset, true);
  }

  u32(offset: number): number {
    return this.#view.getUint32(this.#at + offset, true);
  }

  f64(offset: number): number {
    return this.#view.getFloat64(this.#at + offset, true);
  }

  text(offset: number, length: number): string {
    return this.#bytes.toString('utf8', this.#at + offset, this.#at + offset + length);
  }
}
