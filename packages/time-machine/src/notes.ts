// What a thread that runs again notes of its stretches, in a file of its own: cells of 16 bytes, written one behind the other and read when the run is over. A
// thread may be ended at any moment, so a file is good as far as its last whole cell. What stands before the cell of a stretch (marks, messages) belongs to it:
// a stretch is written when it is over. A door of its own (`@turntable/time-machine/notes`): threads that write load nothing else. docs/replay.md says what stretches are.
import { closeSync, openSync, writeSync } from 'node:fs';

export { HAPPENINGS, NOTED_HAPPENINGS, type HappeningKind } from './happenings.ts';

export const NOTES_MAGIC = 0x56_53_54_54; // "TTSV"
/** Of the notes and of all that is made of them: what is kept of another version is made anew. */
export const NOTES_VERSION = 7;
export const CELL = 16;

/** First byte of a cell. */
export const TAGS = {
  /** Three cells. */
  stretch: 1,
  /** What was sent since the last stretch, or the last of these, was sent by the runtime, which was taking what had come: nothing of the program ran. */
  between: 2,
  /** So many messages of another worker had been taken when it began. */
  took: 3,
  /** So many had been sent to another worker when it was over. */
  sent: 4,
  mark: 5,
  /** A text, and its bytes in cells of their own. */
  text: 6,
  /** The thread goes no further. */
  end: 7,
  /** Two cells: a message that waits then. */
  left: 8,
  /** A phase begins without a snapshot. */
  phase: 9,
} as const;

/** How a stretch begins. Numbers are part of the format. */
export const STRETCH_KINDS = [
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
export type StretchKind = (typeof STRETCH_KINDS)[number];

export const MARK_KINDS = [
  /** So many bytes of standard output, of standard error; and what they say, as far as that is noted. */
  'stdout',
  'stderr',
  /** An error that nobody has caught, in the program or in an actor: a text. */
  'error',
  /** A phase has begun with a snapshot, before the stretch. */
  'cut',
  // Texts, of code in debug mode alone; the same of one stretch once.
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
export type MarkKind = (typeof MARK_KINDS)[number];
export type TextMark = Exclude<MarkKind, 'stdout' | 'stderr' | 'cut'>;

/** Those that say something: a text, or what was printed. */
export type SaidMark = Exclude<MarkKind, 'cut'>;

export function isSaid(kind: MarkKind): kind is SaidMark {
  return kind !== 'cut';
}

/** Of which the value is a number of bytes. */
export function isPrinted(kind: MarkKind | undefined): kind is 'stdout' | 'stderr' {
  return kind === 'stdout' || kind === 'stderr';
}

/** Whether what stands there is a text. */
export function isTextMark(kind: MarkKind | undefined): kind is TextMark {
  return kind !== undefined && !isPrinted(kind) && kind !== 'cut';
}

/** What has texts that can be looked through: what a stretch is, in words, and what stands at it. */
export const SEARCHED = [
  'stretch',
  'error',
  'exception',
  'rejection',
  'device',
  'request',
  'response',
  'stdout',
  'stderr',
] as const;

export const END_KINDS = ['ended', 'cut off', 'diverged'] as const;
export type NotesEnd = (typeof END_KINDS)[number];

/** A stretch that nobody is known to have sent. */
export const NOBODY = 0xff_ff;

/** In the place of a total: all that a life of a worker has done, which is over. */
export const ALL = 0xff_ff_ff_ff;

export interface NotedStretch {
  readonly kind: StretchKind;
  /** Of the actor, once it is known. */
  actor: string;
  /** Of a call; of an entry, who calls. */
  readonly method: string;
  readonly place: string;
  /** The worker's turns so far, this one among them. */
  readonly turn: number;
  /** The number of the next event of the trace, from 1 on. */
  readonly event: number;
  /** Milliseconds since 1970, as far as the trace had told them. */
  readonly time: number;
  /** A worker and its life, or `NOBODY`: of this one the number of the stretch that has sent it, of another one that of the message between the two, 0 if it is not known. */
  readonly sender: number;
  readonly senderLife: number;
  /** Of an entry, which of its source's callbacks it calls. */
  readonly number: number;
}

/** A message that has come to no turn. */
export interface NotedLeft extends Pick<NotedStretch, 'actor' | 'sender' | 'senderLife' | 'number'> {
  /** A method, or what else a turn is about. */
  readonly what: string;
}

/** Bytes that are kept together until they are written. */
const ROOM = 1 << 15;
/** Texts that are known by their numbers; of more they are forgotten, and written again. */
const MOST_TEXTS = 1 << 16;
const LONGEST_TEXT = 1 << 10;
/** Units of what a thread prints that are noted: of what it prints then it is only noted how much that is. */
const MOST_PRINTED = 1 << 23;

export interface NotesOf {
  readonly worker: number;
  readonly life: number;
  readonly phase: number;
}

export class NotesWriter {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(ROOM);
  readonly #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, ROOM);
  #at = 0;
  readonly #texts = new Map<string, number>();
  #count = 0;
  #printed = 0;
  #isOver = false;

  constructor(path: string, { worker, life, phase }: NotesOf) {
    this.#file = openSync(path, 'w');
    const at = this.#cell(1);
    this.#view.setUint32(at, NOTES_MAGIC, true);
    this.#view.setUint16(at + 4, NOTES_VERSION, true);
    this.#view.setUint16(at + 6, worker, true);
    this.#view.setUint32(at + 8, life, true);
    this.#view.setUint32(at + 12, phase, true);
    this.flush();
  }

  stretch(its: NotedStretch, lists: number, sent: number): void {
    const actor = this.#text(its.actor);
    const method = this.#text(its.method);
    const place = this.#text(its.place);
    const at = this.#tagged(TAGS.stretch, 3);
    const view = this.#view;
    view.setUint8(at + 1, STRETCH_KINDS.indexOf(its.kind));
    view.setUint16(at + 2, its.sender, true);
    view.setUint32(at + 4, actor, true);
    view.setUint32(at + 8, method, true);
    view.setUint32(at + 12, place, true);
    view.setUint32(at + 16, its.turn, true);
    view.setUint32(at + 20, its.event, true);
    view.setUint32(at + 24, its.senderLife, true);
    view.setUint32(at + 28, its.number, true);
    view.setFloat64(at + 32, its.time, true);
    view.setUint32(at + 40, lists, true);
    view.setUint32(at + 44, sent, true);
  }

  between(): void {
    this.#tagged(TAGS.between, 1);
  }

  /** In the order in which they would come. */
  left({ actor, what, sender, senderLife, number }: NotedLeft): void {
    const [whose, called] = [this.#text(actor), this.#text(what)];
    const at = this.#tagged(TAGS.left, 2);
    const view = this.#view;
    view.setUint16(at + 2, sender, true);
    view.setUint32(at + 4, whose, true);
    view.setUint32(at + 8, called, true);
    view.setUint32(at + 16, senderLife, true);
    view.setUint32(at + 20, number, true);
  }

  /** One begins without a snapshot: nothing that anybody is told of. */
  phase(phase: number): void {
    const at = this.#tagged(TAGS.phase, 1);
    this.#view.setFloat64(at + 8, phase, true);
  }

  took(worker: number, life: number, total: number): void {
    this.#messages(TAGS.took, worker, life, total);
  }

  sent(worker: number, life: number, total: number): void {
    this.#messages(TAGS.sent, worker, life, total);
  }

  #messages(tag: number, worker: number, life: number, total: number): void {
    const at = this.#tagged(tag, 1);
    this.#view.setUint16(at + 2, worker, true);
    this.#view.setUint32(at + 4, life, true);
    this.#view.setUint32(at + 8, total, true);
  }

  mark(kind: Exclude<MarkKind, TextMark>, value: number): void {
    this.#mark(kind, value);
  }

  /** @param text what it says, for who wants to know */
  printed(kind: 'stdout' | 'stderr', bytes: number, text: () => string): void {
    const said = this.#printed < MOST_PRINTED ? text() : '';
    this.#printed += said.length;
    this.#mark(kind, bytes, said === '' ? 0 : this.#text(said) + 1);
  }

  error(text: string): void {
    this.text('error', text);
  }

  /** @param request of a request, and of what it is answered: its number on the thread, from 1 on */
  text(kind: TextMark, text: string, request = 0): void {
    this.#mark(kind, this.#text(text), request);
  }

  /** @param more of which request it is; of what is printed the number of its text, from 1 on */
  #mark(kind: MarkKind, value: number, more = 0): void {
    const at = this.#tagged(TAGS.mark, 1);
    this.#view.setUint8(at + 1, MARK_KINDS.indexOf(kind));
    this.#view.setUint32(at + 4, more, true);
    this.#view.setFloat64(at + 8, value, true);
  }

  end(why: NotesEnd, events: number, turns: number): void {
    if (this.#isOver) return;
    const at = this.#tagged(TAGS.end, 1);
    this.#view.setUint8(at + 1, END_KINDS.indexOf(why));
    this.#view.setUint32(at + 4, events, true);
    this.#view.setUint32(at + 8, turns, true);
    this.flush();
    this.#isOver = true;
    closeSync(this.#file);
  }

  /** What is noted so far is in the file. */
  flush(): void {
    for (let at = 0; at < this.#at;) at += writeSync(this.#file, this.#bytes, at, this.#at - at);
    this.#at = 0;
  }

  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    const bytes = Buffer.from(text.slice(0, LONGEST_TEXT));
    const cells = Math.ceil(bytes.length / CELL);
    const at = this.#tagged(TAGS.text, 1 + cells);
    this.#view.setUint32(at + 4, bytes.length, true);
    this.#bytes.set(bytes, at + CELL);
    const number = this.#count++;
    this.#texts.set(text, number);
    return number;
  }

  #tagged(tag: number, cells: number): number {
    const at = this.#cell(cells);
    this.#bytes[at] = tag;
    return at;
  }

  /** Room for so many, all zero. */
  #cell(count: number): number {
    const size = count * CELL;
    if (this.#at + size > ROOM) this.flush();
    const at = this.#at;
    this.#at += size;
    this.#bytes.fill(0, at, at + size);
    return at;
  }
}
