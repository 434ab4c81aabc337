// Task log: the file in which one replaying thread records its tasks, for the run index. It consists of cells of 16
// bytes and is read after the replay. A thread may be killed at any moment, so a file is valid up to its last whole
// cell. A task is written when it ends; the cells before it (events, message totals) belong to it. This module is a
// separate entry point (`@turntable/time-machine/task-log`), so that threads load nothing else. docs/internals/replay.md defines
// tasks.
import { closeSync, openSync, writeSync } from 'node:fs';

export { firstLineMatcher } from './moves/pattern.ts';
export { RUN_EVENT_KINDS, NAVIGABLE_EVENT_KINDS, type RunEventKind } from './run-event-kinds.ts';

export const TASK_LOG_MAGIC = 0x56_53_54_54; // "TTSV"
/** Version of task logs and of cached run indexes. Caches of another version are rebuilt. */
export const TASK_LOG_VERSION = 9;
export const CELL_BYTES = 16;

/** First byte of each record. The numbers are part of the format. */
export const CELL_TAGS = {
  /** A task, in three cells. */
  task: 1,
  /** A step between tasks, in which the runtime sent messages without running the program. */
  runtimeStep: 2,
  /** Number of messages from another worker that had been taken when the task began. */
  received: 3,
  /** Number of messages to another worker that had been sent when the task ended. */
  sent: 4,
  event: 5,
  /** A text; cells with its bytes follow. */
  text: 6,
  end: 7,
  /** A message that waits when the thread ends, in two cells. */
  undelivered: 8,
  /** A cut point, with which a phase begins without a snapshot. */
  phase: 9,
} as const;

/** Kinds of tasks. Their indexes are part of the format. */
export const TASK_KINDS = [
  /** Evaluation of the entry module and its imports, up to the first `entry`. */
  'evaluation',
  /** A callback that native code calls. */
  'entry',
  'call',
  'construct',
  'fulfil',
  'reject',
  'stop',
  /** Jobs and ticks that Node runs outside of turns. */
  'jobs',
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** Event kinds in a run index. Their indexes are part of the format. */
export const INDEXED_EVENT_KINDS = [
  /** Bytes of standard output or standard error: their number and, up to a limit, their text. */
  'stdout',
  'stderr',
  /** An uncaught error in the program or an actor, unless it was recorded before as another kind. */
  'uncaught',
  /** A snapshot before the task, with which a phase began. */
  'cut',
  // The kinds below need debug mode. A task records each text once.
  /** An error that reached a `catch`, at its throw, or that ended a turn. */
  'caught',
  /** An error that rejected an eventual, unless it has been recorded before. */
  'rejection',
  /** An uncaught error that was recorded before, as caught or as a rejection. */
  'unhandled',
  /** A host call. */
  'device',
  /** A request to a service, and its response. */
  'request',
  'response',
] as const;
export type IndexedEventKind = (typeof INDEXED_EVENT_KINDS)[number];
export type TextEventKind = Exclude<IndexedEventKind, 'stdout' | 'stderr' | 'cut'>;

export type EventKindWithText = Exclude<IndexedEventKind, 'cut'>;

export function canHaveText(kind: IndexedEventKind): kind is EventKindWithText {
  return kind !== 'cut';
}

/** Whether the value of an event of this kind is a number of bytes. */
export function isOutputKind(kind: IndexedEventKind | undefined): kind is 'stdout' | 'stderr' {
  return kind === 'stdout' || kind === 'stderr';
}

/** Whether the value of an event of this kind is a text. */
export function isTextEventKind(kind: IndexedEventKind | undefined): kind is TextEventKind {
  return kind !== undefined && !isOutputKind(kind) && kind !== 'cut';
}

/** Texts that clients can search: titles of tasks, and texts of events. */
export const SEARCH_SCOPES = [
  'task',
  'uncaught',
  'unhandled',
  'caught',
  'rejection',
  'device',
  'request',
  'response',
  'stdout',
  'stderr',
] as const;

export const THREAD_END_KINDS = ['ended', 'cut off', 'diverged'] as const;
export type ThreadEndKind = (typeof THREAD_END_KINDS)[number];

/** Sender of a task whose sender is unknown, in place of the worker. */
export const NO_SENDER = 0xff_ff;

/** In place of a message total: all messages of a thread that has ended. */
export const ALL_MESSAGES = 0xff_ff_ff_ff;

export interface LoggedTask {
  readonly kind: TaskKind;
  /** Name of the actor. It may become known during the task. */
  actor: string;
  /** The method of a call, or the source of the callback of an entry. */
  readonly method: string;
  readonly methodLocation: string;
  /** Number of the worker's turns so far, including this one. */
  readonly turn: number;
  /** Number of the next event of the trace, from 1 on. */
  readonly traceEvent: number;
  /** Time in milliseconds since 1970: the last one in the trace before the task. */
  readonly time: number;
  /** The worker that sent the message, or `NO_SENDER`. */
  readonly sender: number;
  readonly senderEpoch: number;
  /**
   * For a message from this thread: number of the sending task. For a message from another thread: its number among all
   * from that thread to this one. For an entry: number of the callback at its source. 0 if unknown.
   */
  readonly causeNumber: number;
}

/** A message that no turn has handled. */
export interface LoggedUndeliveredMessage extends Pick<LoggedTask, 'actor' | 'sender' | 'senderEpoch' | 'causeNumber'> {
  /** A method, or another subject of a turn: construct, fulfil, reject, stop. */
  readonly subject: string;
}

const BUFFER_BYTES = 1 << 15;
/** Maximum number of known texts. At the limit all are forgotten, and written again when they recur. */
const MAX_KNOWN_TEXTS = 1 << 16;
const MAX_TEXT_LENGTH = 1 << 10;
/** Maximum length of recorded output, in UTF-16 units. Later output is recorded as a number of bytes only. */
const MAX_OUTPUT_LENGTH = 1 << 23;

export interface TaskLogHeader {
  readonly worker: number;
  readonly epoch: number;
  readonly phase: number;
}

export class TaskLogWriter {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(BUFFER_BYTES);
  readonly #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, BUFFER_BYTES);
  #used = 0;
  readonly #textIds = new Map<string, number>();
  #textCount = 0;
  #outputLength = 0;
  #isFinished = false;

  constructor(path: string, { worker, epoch, phase }: TaskLogHeader) {
    this.#file = openSync(path, 'w');
    const offset = this.#reserveCells(1);
    this.#view.setUint32(offset, TASK_LOG_MAGIC, true);
    this.#view.setUint16(offset + 4, TASK_LOG_VERSION, true);
    this.#view.setUint16(offset + 6, worker, true);
    this.#view.setUint32(offset + 8, epoch, true);
    this.#view.setUint32(offset + 12, phase, true);
    this.flush();
  }

  writeTask(task: LoggedTask, statementLists: number, sent: number): void {
    const actor = this.#textId(task.actor);
    const method = this.#textId(task.method);
    const methodLocation = this.#textId(task.methodLocation);
    const offset = this.#appendRecord(CELL_TAGS.task, 3);
    const view = this.#view;
    view.setUint8(offset + 1, TASK_KINDS.indexOf(task.kind));
    view.setUint16(offset + 2, task.sender, true);
    view.setUint32(offset + 4, actor, true);
    view.setUint32(offset + 8, method, true);
    view.setUint32(offset + 12, methodLocation, true);
    view.setUint32(offset + 16, task.turn, true);
    view.setUint32(offset + 20, task.traceEvent, true);
    view.setUint32(offset + 24, task.senderEpoch, true);
    view.setUint32(offset + 28, task.causeNumber, true);
    view.setFloat64(offset + 32, task.time, true);
    view.setUint32(offset + 40, statementLists, true);
    view.setUint32(offset + 44, sent, true);
  }

  writeRuntimeStep(): void {
    this.#appendRecord(CELL_TAGS.runtimeStep, 1);
  }

  /** Records an undelivered message. The messages of an actor must be written in the order of its mailbox. */
  writeUndelivered({ actor, subject, sender, senderEpoch, causeNumber }: LoggedUndeliveredMessage): void {
    const [actorId, subjectId] = [this.#textId(actor), this.#textId(subject)];
    const offset = this.#appendRecord(CELL_TAGS.undelivered, 2);
    const view = this.#view;
    view.setUint16(offset + 2, sender, true);
    view.setUint32(offset + 4, actorId, true);
    view.setUint32(offset + 8, subjectId, true);
    view.setUint32(offset + 16, senderEpoch, true);
    view.setUint32(offset + 20, causeNumber, true);
  }

  /** Records a cut point, which is not an event. */
  writePhase(phase: number): void {
    const offset = this.#appendRecord(CELL_TAGS.phase, 1);
    this.#view.setFloat64(offset + 8, phase, true);
  }

  writeReceived(worker: number, epoch: number, total: number): void {
    this.#writeMessageTotal(CELL_TAGS.received, worker, epoch, total);
  }

  writeSent(worker: number, epoch: number, total: number): void {
    this.#writeMessageTotal(CELL_TAGS.sent, worker, epoch, total);
  }

  #writeMessageTotal(tag: number, worker: number, epoch: number, total: number): void {
    const offset = this.#appendRecord(tag, 1);
    this.#view.setUint16(offset + 2, worker, true);
    this.#view.setUint32(offset + 4, epoch, true);
    this.#view.setUint32(offset + 8, total, true);
  }

  writeEvent(kind: Exclude<IndexedEventKind, TextEventKind>, value: number): void {
    this.#writeEvent(kind, value);
  }

  /** @param text called only if the text of this output is recorded */
  writeOutput(kind: 'stdout' | 'stderr', bytes: number, text: () => string): void {
    const output = this.#outputLength < MAX_OUTPUT_LENGTH ? text() : '';
    this.#outputLength += output.length;
    this.#writeEvent(kind, bytes, output === '' ? 0 : this.#textId(output) + 1);
  }

  /** @param request number of the request on this thread, from 1 on, for a request or its response */
  writeTextEvent(kind: TextEventKind, text: string, request = 0): void {
    this.#writeEvent(kind, this.#textId(text), request);
  }

  /** @param extra number of the request, or of the output's text, from 1 on; 0 if there is none */
  #writeEvent(kind: IndexedEventKind, value: number, extra = 0): void {
    const offset = this.#appendRecord(CELL_TAGS.event, 1);
    this.#view.setUint8(offset + 1, INDEXED_EVENT_KINDS.indexOf(kind));
    this.#view.setUint32(offset + 4, extra, true);
    this.#view.setFloat64(offset + 8, value, true);
  }

  finish(end: ThreadEndKind, events: number, turns: number): void {
    if (this.#isFinished) return;
    const offset = this.#appendRecord(CELL_TAGS.end, 1);
    this.#view.setUint8(offset + 1, THREAD_END_KINDS.indexOf(end));
    this.#view.setUint32(offset + 4, events, true);
    this.#view.setUint32(offset + 8, turns, true);
    this.flush();
    this.#isFinished = true;
    closeSync(this.#file);
  }

  flush(): void {
    for (let offset = 0; offset < this.#used;)
      offset += writeSync(this.#file, this.#bytes, offset, this.#used - offset);
    this.#used = 0;
  }

  #textId(text: string): number {
    const knownId = this.#textIds.get(text);
    if (knownId !== undefined) return knownId;
    if (this.#textIds.size >= MAX_KNOWN_TEXTS) this.#textIds.clear();
    const bytes = Buffer.from(text.slice(0, MAX_TEXT_LENGTH));
    const cells = Math.ceil(bytes.length / CELL_BYTES);
    const offset = this.#appendRecord(CELL_TAGS.text, 1 + cells);
    this.#view.setUint32(offset + 4, bytes.length, true);
    this.#bytes.set(bytes, offset + CELL_BYTES);
    const number = this.#textCount++;
    this.#textIds.set(text, number);
    return number;
  }

  #appendRecord(tag: number, cells: number): number {
    const offset = this.#reserveCells(cells);
    this.#bytes[offset] = tag;
    return offset;
  }

  /** Reserves cells, filled with zeros; returns their offset in the buffer. */
  #reserveCells(count: number): number {
    const size = count * CELL_BYTES;
    if (this.#used + size > BUFFER_BYTES) this.flush();
    const offset = this.#used;
    this.#used += size;
    this.#bytes.fill(0, offset, offset + size);
    return offset;
  }
}
