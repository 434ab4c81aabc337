// The notes of one thread, read: columns of numbers, a row for each stretch, and what binds them to other threads. Notes are good as far as they go: what is cut off in the
// midst of a cell is not there.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Numbers, type WordsOf } from './numbers.ts';
import {
  CELL,
  END_KINDS,
  isPrinted,
  isTextMark,
  MARK_KINDS,
  NOBODY,
  NOTES_MAGIC,
  NOTES_VERSION,
  TAGS,
  type NotesEnd,
} from '../notes.ts';

/** Texts of all threads, each once. */
export class Texts {
  readonly all: string[] = [''];
  readonly #numbers = new Map([['', 0]]);

  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.all.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

type Words = Uint8Array | Uint32Array | Float64Array;

/** Returns the next words of what was kept, or undefined if nothing was. */
export type WordSource = <T extends Words>(type: WordsOf<T>) => T | undefined;
const NOTHING: WordSource = () => undefined;

/** Lists of numbers that are kept one after the other, in the order in which a subclass defines them. */
abstract class Lists {
  readonly #source: WordSource;
  readonly #all: { readonly words: Words }[] = [];

  /** @param source what was kept, list by list */
  constructor(source: WordSource = NOTHING) {
    this.#source = source;
  }

  protected list<T extends Words>(type: WordsOf<T>): Numbers<T> {
    const list = new Numbers(type, this.#source(type));
    this.#all.push(list);
    return list;
  }

  get words(): Words[] {
    return this.#all.map(({ words }) => words);
  }
}

/** Of all stretches, thread by thread; a row each. */
export class Columns extends Lists {
  readonly kinds: Numbers<Uint8Array> = this.list(Uint8Array);
  readonly actors: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly methods: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly places: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly turns: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly events: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly times: Numbers<Float64Array> = this.list(Float64Array);
  readonly lists: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly sent: Numbers<Uint32Array> = this.list(Uint32Array);
  /** Of an entry, its callback; of any other, once that is known, the row of the stretch that has sent it, from 1 on. */
  readonly causes: Numbers<Uint32Array> = this.list(Uint32Array);
}

/** What stands at a row: numbers of rows, kinds and values side by side. */
export class Marks extends Lists {
  readonly rows: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly kinds: Numbers<Uint8Array> = this.list(Uint8Array);
  /** Bytes, a phase, the number of a text. */
  readonly values: Numbers<Float64Array> = this.list(Float64Array);
  /** Those that are of a request, ascending; and of which: numbers from 0 on, those of one thread behind those of another. */
  readonly served: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly requests: Numbers<Uint32Array> = this.list(Uint32Array);
  /** Those of which it is known what was printed, ascending; and what: numbers of texts. */
  readonly printed: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly lines: Numbers<Uint32Array> = this.list(Uint32Array);

  add(row: number, kind: number, value: number): void {
    this.rows.push(row);
    this.kinds.push(kind);
    this.values.push(value);
  }

  /** The last one that was added is of this request. */
  serves(request: number): void {
    this.served.push(this.rows.length - 1);
    this.requests.push(request);
  }

  /** The last one that was added says this: the number of a text. */
  says(line: number): void {
    this.printed.push(this.rows.length - 1);
    this.lines.push(line);
  }

  get requestCount(): number {
    return this.requests.words.reduce((most, each) => Math.max(most, each + 1), 0);
  }

  /** Of which request one is; nothing, if it is of none. */
  requestOf(mark: number): number | undefined {
    return beside(mark, this.served, this.requests);
  }

  /** What was printed, as the number of a text; nothing, if that is not known. */
  lineOf(mark: number): number | undefined {
    return beside(mark, this.printed, this.lines);
  }
}

/** Messages that have come to no turn, of each actor in the order in which they wait. */
export class Left extends Lists {
  readonly workers: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly lives: Numbers<Uint32Array> = this.list(Uint32Array);
  /** Numbers of texts. */
  readonly actors: Numbers<Uint32Array> = this.list(Uint32Array);
  readonly whats: Numbers<Uint32Array> = this.list(Uint32Array);
  /** Rows of the stretches that have sent them, from 1 on; 0 where that is not known. */
  readonly causes: Numbers<Uint32Array> = this.list(Uint32Array);
}

function beside(mark: number, marks: Numbers<Uint32Array>, its: Numbers<Uint32Array>): number | undefined {
  const at = marks.firstFrom(mark);
  return at < marks.length && marks.at(at) === mark ? its.at(at) : undefined;
}

/** Messages between two threads, as their totals grew: at which of the thread's steps, and how many it has been then. */
export class Traffic {
  readonly steps = new Numbers(Uint32Array);
  readonly totals = new Numbers(Uint32Array);

  add(step: number, total: number): void {
    this.steps.push(step);
    this.totals.push(total);
  }
}

/**
 * A thread's *steps* are its stretches, and what its runtime has sent between two of them: these keep a place in the order, since others may depend on them, and have no
 * number.
 */
export interface ThreadRows {
  readonly worker: number;
  readonly life: number;
  /** Of its first stretch, and how many. */
  readonly row: number;
  readonly count: number;
  /** Those steps that are no stretches, ascending. */
  readonly between: Numbers<Uint32Array>;
  /** Phases and the first step of each, ascending. */
  readonly phases: Numbers<Uint32Array>;
  readonly phaseSteps: Numbers<Uint32Array>;
  /** Nothing, if it does not say how it ended. */
  readonly end: NotesEnd | undefined;
  readonly events: number;
}

/** With what binds it to others. */
export interface ThreadNotes extends ThreadRows {
  readonly steps: number;
  /** By `threadKey`. */
  readonly took: ReadonlyMap<number, Traffic>;
  readonly sent: ReadonlyMap<number, Traffic>;
  /** What another worker has sent: stretches by their rows, and what was left. */
  readonly foreign: Foreign;
  readonly foreignLeft: Foreign;
}

/** Rows of what another worker has sent, its key, and the message. */
export class Foreign {
  readonly rows: Numbers<Uint32Array> = new Numbers(Uint32Array);
  readonly keys: Numbers<Float64Array> = new Numbers(Float64Array);
  readonly messages: Numbers<Uint32Array> = new Numbers(Uint32Array);

  add(row: number, key: number, message: number): void {
    this.rows.push(row);
    this.keys.push(key);
    this.messages.push(message);
  }
}

/** What all threads have told. */
export interface Told {
  readonly columns: Columns;
  readonly marks: Marks;
  readonly left: Left;
  readonly texts: Texts;
}

const LIVES = 2 ** 32;

export function threadKey(worker: number, life: number): number {
  return worker * LIVES + life;
}

/** Bytes that are read at a time. */
const PIECE = 1 << 20;

/** What it tells is added. Nothing, if these are no notes. */
export function readNotes(path: string, told: Told): ThreadNotes | undefined {
  const cells = new Cells(path);
  try {
    return read(cells, told);
  } finally {
    cells.close();
  }
}

function read(cells: Cells, { columns, marks, left, texts }: Told): ThreadNotes | undefined {
  if (!cells.has(1) || cells.u32(0) !== NOTES_MAGIC || cells.u16(4) !== NOTES_VERSION) return undefined;
  const worker = cells.u16(6);
  const life = cells.u32(8);
  const own = threadKey(worker, life);
  const row = columns.kinds.length;
  const between = new Numbers(Uint32Array);
  const [phases, phaseSteps] = [new Numbers(Uint32Array), new Numbers(Uint32Array)];
  phases.push(cells.u32(12));
  phaseSteps.push(0);
  const took = new Map<number, Traffic>();
  const sent = new Map<number, Traffic>();
  const [foreign, foreignLeft] = [new Foreign(), new Foreign()];
  const names: number[] = [];
  /** By what the thread calls them. */
  const requests = new Map<number, number>();
  const firstRequest = marks.requestCount;
  let step = 0;
  let end: NotesEnd | undefined;
  let events = 0;
  for (let size = 1; end === undefined;) {
    cells.skip(size);
    if (!cells.has(1)) break;
    const tag = cells.u8(0);
    size = sizeOf(tag, cells);
    if (!cells.has(size)) break;
    const at = columns.kinds.length;
    if (tag === TAGS.stretch) {
      columns.kinds.push(cells.u8(1));
      columns.actors.push(names[cells.u32(4)] ?? 0);
      columns.methods.push(names[cells.u32(8)] ?? 0);
      columns.places.push(names[cells.u32(12)] ?? 0);
      columns.turns.push(cells.u32(16));
      columns.events.push(cells.u32(20));
      columns.times.push(cells.f64(32));
      columns.lists.push(cells.u32(40));
      columns.sent.push(cells.u32(44));
      const sender = cells.u16(2);
      const number = cells.u32(28);
      const key = threadKey(sender, cells.u32(24));
      const isLocal = key === own && number > 0;
      columns.causes.push(sender === NOBODY ? number : isLocal ? row + number : 0);
      if (sender !== NOBODY && key !== own && number > 0) foreign.add(at, key, number);
      step++;
    } else if (tag === TAGS.between) {
      between.push(step);
      step++;
    } else if (tag === TAGS.text) names.push(texts.numberOf(cells.text(CELL, cells.u32(4))));
    else if (tag === TAGS.took || tag === TAGS.sent) {
      const those = tag === TAGS.took ? took : sent;
      const key = threadKey(cells.u16(2), cells.u32(4));
      let traffic = those.get(key);
      if (traffic === undefined) those.set(key, (traffic = new Traffic()));
      traffic.add(step, cells.u32(8));
    } else if (tag === TAGS.phase) {
      phases.push(cells.f64(8));
      phaseSteps.push(step);
    } else if (tag === TAGS.mark) {
      const kind = cells.u8(1);
      const value = cells.f64(8);
      if (MARK_KINDS[kind] === 'cut') {
        phases.push(value);
        phaseSteps.push(step);
      }
      marks.add(at, kind, isTextMark(MARK_KINDS[kind]) ? (names[value] ?? 0) : value);
      const more = cells.u32(4);
      if (more > 0 && isPrinted(MARK_KINDS[kind])) marks.says(names[more - 1] ?? 0);
      else if (more > 0) {
        if (!requests.has(more)) requests.set(more, firstRequest + requests.size);
        marks.serves(requests.get(more) ?? 0);
      }
    } else if (tag === TAGS.left) {
      const sender = cells.u16(2);
      const key = threadKey(sender, cells.u32(16));
      const number = cells.u32(20);
      const isKnown = sender !== NOBODY && number > 0;
      if (isKnown && key !== own) foreignLeft.add(left.workers.length, key, number);
      left.workers.push(worker);
      left.lives.push(life);
      left.actors.push(names[cells.u32(4)] ?? 0);
      left.whats.push(names[cells.u32(8)] ?? 0);
      left.causes.push(isKnown && key === own ? row + number : 0);
    } else if (tag === TAGS.end) {
      end = END_KINDS[cells.u8(1)];
      events = cells.u32(4);
    } else break;
  }
  const count = columns.kinds.length - row;
  // What stands behind the last one is its own.
  const last = Math.max(row, row + count - 1);
  for (let i = marks.rows.length - 1; i >= 0 && marks.rows.at(i) > last; i--) marks.rows.set(i, last);
  const joined = { steps: step, took, sent, foreign, foreignLeft };
  return { worker, life, row, count, between, phases, phaseSteps, end, events, ...joined };
}

/** Of what begins at a cell, in cells. */
function sizeOf(tag: number, cells: Cells): number {
  if (tag === TAGS.stretch) return 3;
  if (tag === TAGS.left) return 2;
  return tag === TAGS.text ? 1 + Math.ceil(cells.u32(4) / CELL) : 1;
}

/** The cells of a file, from the one that is looked at on. */
class Cells {
  readonly #file: number;
  readonly #size: number;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  /** In the file: where the bytes begin, and how many are there. */
  #base = 0;
  #length = 0;
  #at = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.#size = fstatSync(this.#file).size;
    this.#bytes = Buffer.allocUnsafe(Math.min(PIECE, this.#size));
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Whether so many are there, and brings them. */
  has(count: number): boolean {
    const needed = count * CELL;
    if (this.#at + needed <= this.#length) return true;
    const from = this.#base + this.#at;
    if (needed > this.#bytes.length || from + needed > this.#size) return false;
    this.#base = from;
    this.#at = this.#length = 0;
    while (this.#length < this.#bytes.length) {
      const room = this.#bytes.length - this.#length;
      const read = readSync(this.#file, this.#bytes, this.#length, room, from + this.#length);
      if (read === 0) break;
      this.#length += read;
    }
    return needed <= this.#length;
  }

  skip(count: number): void {
    this.#at += count * CELL;
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
