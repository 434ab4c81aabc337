// What a thread that runs again notes of its tasks, in a file of its own: cells of 16 bytes, written one behind the other and read when the run is over. A
// thread may be ended at any moment, so a file is good as far as its last whole cell. What stands before the cell of a task (marks, messages) belongs to it:
// a task is written when it is over. A door of its own (`@turntable/time-machine/task-log`): threads that write load nothing else. docs/replay.md says what tasks are.
import { closeSync, openSync, writeSync } from 'node:fs';

export { RUN_EVENT_KINDS, NAVIGABLE_EVENT_KINDS, type RunEventKind } from './run-event-kinds.ts';

export const TASK_LOG_MAGIC = 0x56_53_54_54; // "TTSV"
/** Of the notes and of all that is made of them: what is kept of another version is made anew. */
export const TASK_LOG_VERSION = 8;
export const CELL_BYTES = 16;

/** First byte of a cell. */
export const CELL_TAGS = {
  /** Three cells. */
  task: 1,
  /** What was sent since the last task, or the last of these, was sent by the runtime, which was taking what had come: nothing of the program ran. */
  runtimeStep: 2,
  /** So many messages of another worker had been taken when it began. */
  received: 3,
  /** So many had been sent to another worker when it was over. */
  sent: 4,
  event: 5,
  /** A text, and its bytes in cells of their own. */
  text: 6,
  /** The thread goes no further. */
  end: 7,
  /** Two cells: a message that waits then. */
  undelivered: 8,
  /** A phase begins without a snapshot. */
  phase: 9,
} as const;

/** How a task begins. Numbers are part of the format. */
export const TASK_KINDS = [
  /** The entry module, and all it imports, up to the first entry. */
  'evaluation',
  /** Native code calls. */
  'entry',
  'call',
  'construct',
  'fulfil',
  'reject',
  'stop',
  /** Jobs and ticks that come of what the worker has taken, of no turn. */
  'jobs',
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const INDEXED_EVENT_KINDS = [
  /** So many bytes of standard output, of standard error; and what they say, as far as that is noted. */
  'stdout',
  'stderr',
  /** An error that nobody has caught, in the program or in an actor: a text. */
  'error',
  /** A phase has begun with a snapshot, before the task. */
  'cut',
  // Texts, of code in debug mode alone; the same of one task once.
  /** What has come to a `catch`, where it was thrown, or has ended a turn. */
  'exception',
  /** What has rejected an eventual, and nothing before. */
  'rejection',
  /** What the program has called outside of it. */
  'device',
  /** What a service was asked for, and what it has answered. */
  'request',
  'response',
] as const;
export type IndexedEventKind = (typeof INDEXED_EVENT_KINDS)[number];
export type TextEventKind = Exclude<IndexedEventKind, 'stdout' | 'stderr' | 'cut'>;

/** Those that say something: a text, or what was printed. */
export type EventKindWithText = Exclude<IndexedEventKind, 'cut'>;

export function canHaveText(kind: IndexedEventKind): kind is EventKindWithText {
  return kind !== 'cut';
}

/** Of which the value is a number of bytes. */
export function isOutputKind(kind: IndexedEventKind | undefined): kind is 'stdout' | 'stderr' {
  return kind === 'stdout' || kind === 'stderr';
}

/** Whether what stands there is a text. */
export function isTextEventKind(kind: IndexedEventKind | undefined): kind is TextEventKind {
  return kind !== undefined && !isOutputKind(kind) && kind !== 'cut';
}

/** What has texts that can be looked through: what a task is, in words, and what stands at it. */
export const SEARCH_SCOPES = [
  'task',
  'error',
  'exception',
  'rejection',
  'device',
  'request',
  'response',
  'stdout',
  'stderr',
] as const;

export const THREAD_END_KINDS = ['ended', 'cut off', 'diverged'] as const;
export type ThreadEndKind = (typeof THREAD_END_KINDS)[number];

/** A task that nobody is known to have sent. */
export const NO_SENDER = 0xff_ff;

/** In the place of a total: all that a life of a worker has done, which is over. */
export const ALL_MESSAGES = 0xff_ff_ff_ff;

export interface LoggedTask {
  readonly kind: TaskKind;
  /** Of the actor, once it is known. */
  actor: string;
  /** Of a call; of an entry, who calls. */
  readonly method: string;
  readonly methodLocation: string;
  /** The worker's turns so far, this one among them. */
  readonly turn: number;
  /** The number of the next event of the trace, from 1 on. */
  readonly traceEvent: number;
  /** Milliseconds since 1970, as far as the trace had told them. */
  readonly time: number;
  /** A worker and its life, or `NO_SENDER`: of this one the number of the task that has sent it, of another one that of the message between the two, 0 if it is not known. */
  readonly sender: number;
  readonly senderEpoch: number;
  /** Of an entry, which of its source's callbacks it calls. */
  readonly causeNumber: number;
}

/** A message that has come to no turn. */
export interface LoggedUndeliveredMessage extends Pick<LoggedTask, 'actor' | 'sender' | 'senderEpoch' | 'causeNumber'> {
  /** A method, or what else a turn is about. */
  readonly subject: string;
}

/** Bytes that are kept together until they are written. */
const BUFFER_BYTES = 1 << 15;
/** Texts that are known by their numbers; of more they are forgotten, and written again. */
const MAX_KNOWN_TEXTS = 1 << 16;
const MAX_TEXT_LENGTH = 1 << 10;
/** Units of what a thread prints that are noted: of what it prints then it is only noted how much that is. */
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

  /** In the order in which they would come. */
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

  /** One begins without a snapshot: nothing that anybody is told of. */
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

  /** @param text what it says, for who wants to know */
  writeOutput(kind: 'stdout' | 'stderr', bytes: number, text: () => string): void {
    const output = this.#outputLength < MAX_OUTPUT_LENGTH ? text() : '';
    this.#outputLength += output.length;
    this.#writeEvent(kind, bytes, output === '' ? 0 : this.#textId(output) + 1);
  }

  writeError(text: string): void {
    this.writeTextEvent('error', text);
  }

  /** @param request of a request, and of what it is answered: its number on the thread, from 1 on */
  writeTextEvent(kind: TextEventKind, text: string, request = 0): void {
    this.#writeEvent(kind, this.#textId(text), request);
  }

  /** @param extra of which request it is; of what is printed the number of its text, from 1 on */
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

  /** What is noted so far is in the file. */
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

  /** Room for so many, all zero. */
  #reserveCells(count: number): number {
    const size = count * CELL_BYTES;
    if (this.#used + size > BUFFER_BYTES) this.flush();
    const offset = this.#used;
    this.#used += size;
    this.#bytes.fill(0, offset, offset + size);
    return offset;
  }
}
