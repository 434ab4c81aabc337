// All stretches of a recording: who ran, what about, on whose behalf, when. In memory there are a few typed arrays, whose rows are the stretches of one thread after the
// other; what is told of a stretch is made when it is asked for. `order` numbers stretches from 1 on in the one order of all workers (linear-order.ts), `number`
// those of a thread. What threads know only of their own side is joined here: a thread says which message of which other one a stretch is about, and that one
// how many it had sent at the end of each of its own.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { linearOrder } from './linear-order.ts';
import { MarksByPlace } from './marks-by-place.ts';
import { Requests } from './requests.ts';
import {
  isPrinted,
  isTextMark,
  MARK_KINDS,
  STRETCH_KINDS,
  type MarkKind,
  type NotesEnd,
  type SaidMark,
  type StretchKind,
} from '../notes.ts';
import {
  Columns,
  Left,
  Marks,
  readNotes,
  Texts,
  threadKey,
  type Foreign,
  type ThreadNotes,
  type ThreadRows,
  type Traffic,
} from './thread-notes.ts';

export interface Stretch {
  /** Its place among all, from 1 on. */
  readonly order: number;
  readonly worker: number;
  readonly life: number;
  /** Among those of its thread, from 1 on. */
  readonly number: number;
  readonly phase: number;
  readonly kind: StretchKind;
  readonly actor: string;
  /** Of a call, and of the making of an actor; of an entry, who calls: a source of traces. */
  readonly method: string | undefined;
  /** Where the method begins. */
  readonly place: string | undefined;
  /** As `--until turn=` counts them, if it is a turn. */
  readonly turn: number | undefined;
  /** The first event of the trace that comes behind its beginning, as `--until event=` counts them. */
  readonly event: number;
  /** Milliseconds since 1970, as far as traces tell. */
  readonly time: number;
  /** Statement lists that were entered; 0 if they were not counted. */
  readonly lists: number;
  /** Messages, to actors of its own worker and of others. */
  readonly sent: number;
  /** The stretch that has sent what it is about, if that is known. */
  readonly sender: number | undefined;
  /** Of an entry, which of its source's callbacks it calls. */
  readonly callback: number | undefined;
}

export interface Mark {
  readonly order: number;
  readonly kind: MarkKind;
  /** Bytes that were written; the phase that has begun; a text. */
  readonly value: number | string;
  /** Of a request, and of what it is answered: its number among all (requests.ts). */
  readonly request: number | undefined;
  /** What was printed, as far as it was noted. */
  readonly text: string | undefined;
}

/** What is said there, if that is known. */
export function saidAt({ value, text }: Mark): string | undefined {
  return typeof value === 'string' ? value : text;
}

/** A message that waits at the end. */
export interface LeftMessage {
  readonly worker: number;
  readonly life: number;
  readonly actor: string;
  /** A method, or what else a turn is about. */
  readonly what: string;
  /** The stretch that has sent it, if that is known. */
  readonly sender: number | undefined;
}

export interface SurveyedThread {
  readonly worker: number;
  readonly life: number;
  readonly count: number;
  /** Nothing, if its notes do not say how it ended: it was cut off in the midst of something. */
  readonly end: NotesEnd | undefined;
  readonly events: number;
}

/** Milliseconds between stretches of which nothing but their order is known. */
const APART = 0.001;
/** Kinds that are no turns. */
const OTHERS: ReadonlySet<number> = new Set(
  (['evaluation', 'entry', 'jobs'] satisfies StretchKind[]).map((kind) => STRETCH_KINDS.indexOf(kind)),
);
const ENTRY = STRETCH_KINDS.indexOf('entry');

export interface SurveyParts {
  readonly columns: Columns;
  readonly marks: Marks;
  readonly left: Left;
  readonly texts: readonly string[];
  /** By worker and life. */
  readonly threads: readonly ThreadRows[];
  /** Rows, by their places. */
  readonly order: Uint32Array;
}

export class Survey {
  readonly parts: SurveyParts;
  /** Places in the order, by their rows. */
  readonly #places: Uint32Array;
  #marksByPlace: MarksByPlace | undefined;
  #requests: Requests | undefined;

  /** Of the notes in a directory, which are not needed any more then. */
  static read(directory: string): Survey {
    const columns = new Columns();
    const marks = new Marks();
    const left = new Left();
    const texts = new Texts();
    const threads = readdirSync(directory)
      .filter((name) => name.endsWith('.tsv'))
      .map((name) => readNotes(join(directory, name), { columns, marks, left, texts }))
      .filter((notes) => notes !== undefined)
      .toSorted((a, b) => a.worker - b.worker || a.life - b.life);
    for (const thread of threads) spread(columns, thread);
    joinSenders({ columns, left }, threads);
    const order = linearOrder(threads, (row) => columns.times.at(row));
    return new Survey({ columns, marks, left, texts: texts.all, threads, order });
  }

  constructor(parts: SurveyParts) {
    this.parts = parts;
    this.#places = new Uint32Array(parts.order.length);
    parts.order.forEach((row, place) => (this.#places[row] = place + 1));
  }

  get count(): number {
    return this.parts.order.length;
  }

  get threads(): readonly SurveyedThread[] {
    return this.parts.threads.map(({ worker, life, count, end, events }) => ({ worker, life, count, end, events }));
  }

  /** @param order from 1 on */
  stretch(order: number): Stretch {
    const row = this.parts.order[order - 1];
    if (row === undefined)
      throw new RangeError(`there is no stretch ${order}: they are numbered from 1 to ${this.count}`);
    const columns = this.parts.columns;
    const thread = this.#threadOf(row);
    const number = row - thread.row + 1;
    const kind = columns.kinds.at(row);
    const cause = columns.causes.at(row);
    const isEntry = kind === ENTRY;
    return {
      order,
      worker: thread.worker,
      life: thread.life,
      number,
      phase: phaseOf(thread, number),
      kind: STRETCH_KINDS[kind] ?? 'jobs',
      actor: this.#textOf(columns.actors.at(row)) ?? '',
      method: this.#textOf(columns.methods.at(row)),
      place: this.#textOf(columns.places.at(row)),
      turn: OTHERS.has(kind) ? undefined : columns.turns.at(row),
      event: columns.events.at(row),
      time: columns.times.at(row),
      lists: columns.lists.at(row),
      sent: columns.sent.at(row),
      sender: isEntry || cause === 0 ? undefined : this.#places[cause - 1],
      callback: isEntry ? cause : undefined,
    };
  }

  #textOf(number: number): string | undefined {
    const text = this.parts.texts[number];
    return text === '' ? undefined : text;
  }

  #threadOf(row: number): ThreadRows {
    const found = this.parts.threads.find((thread) => row >= thread.row && row < thread.row + thread.count);
    if (found === undefined) throw new RangeError(`there is no row ${row}`);
    return found;
  }

  /** The name of the actor, without all the rest of the stretch. */
  actor(order: number): string {
    return this.parts.texts[this.parts.columns.actors.at(this.parts.order[order - 1] as number)] ?? '';
  }

  /** The order numbers of a worker's stretches, life after life; they ascend. */
  ofWorker(worker: number): Uint32Array {
    const those = this.parts.threads.filter((each) => each.worker === worker);
    const found = new Uint32Array(those.reduce((sum, { count }) => sum + count, 0));
    let at = 0;
    for (const { row, count } of those) {
      found.set(this.#places.subarray(row, row + count), at);
      at += count;
    }
    return found;
  }

  orderOf(worker: number, life: number, number: number): number | undefined {
    const thread = this.#thread(worker, life);
    return thread === undefined || number < 1 || number > thread.count
      ? undefined
      : this.#places[thread.row + number - 1];
  }

  /** The stretch of a turn, as `--until turn=` counts them. */
  ofTurn(worker: number, turn: number): number | undefined {
    const thread = this.#thread(worker, 0);
    if (thread === undefined) return undefined;
    const { turns, kinds } = this.parts.columns;
    const end = thread.row + thread.count;
    for (let row = turns.firstFrom(turn, thread.row, end); row < end && turns.at(row) === turn; row++)
      if (!OTHERS.has(kinds.at(row))) return this.#places[row];
    return undefined;
  }

  #thread(worker: number, life: number): ThreadRows | undefined {
    return this.parts.threads.find((each) => each.worker === worker && each.life === life);
  }

  /** The last stretch of all that had begun by then on any thread; 0 before the first. @param time milliseconds since 1970 */
  atTime(time: number): number {
    const { times } = this.parts.columns;
    return Math.max(
      0,
      ...this.parts.threads.map(({ row, count }) => {
        const at = times.firstFrom(time, row, row + count);
        const last = at < row + count && times.at(at) === time ? at : at - 1;
        return last < row ? 0 : (this.#places[last] as number);
      }),
    );
  }

  /** @param part from 0 to 1 */
  atPart(part: number): number {
    return Math.min(this.count, Math.max(this.count === 0 ? 0 : 1, Math.round(part * this.count)));
  }

  /** Errors, snapshots, what was printed: in the order of their stretches. */
  marks(): Mark[] {
    return Array.from({ length: this.#ordered.length }, (_, at) => this.#mark(at));
  }

  marksAt(order: number): Mark[] {
    const [begin, end] = this.#ordered.at(order);
    return Array.from({ length: end - begin }, (_, i) => this.#mark(begin + i));
  }

  /** What stands at stretches from one to another, without what it says. @param visit is told the place, and the kind as a place in the list of kinds */
  eachMark(from: number, to: number, visit: (order: number, kind: number) => void): void {
    const marks = this.#ordered;
    const [begin] = marks.at(from);
    for (let at = begin; at < marks.length && marks.place(at) <= to; at++)
      visit(marks.place(at), this.parts.marks.kinds.at(marks.row(at)));
  }

  /** The places of all that are of a kind, ascending, each once. @param isMeant of a text: only where it is such a one */
  placesOf(kind: MarkKind, isMeant?: (text: string) => boolean): Uint32Array {
    const marks = this.#ordered;
    const wanted = MARK_KINDS.indexOf(kind);
    const meant = isMeant && new Set(this.#textsOf(kind).filter((number) => isMeant(this.parts.texts[number] ?? '')));
    const found = new Uint32Array(marks.length);
    let count = 0;
    for (let at = 0; at < marks.length; at++) {
      const row = marks.row(at);
      if (this.parts.marks.kinds.at(row) !== wanted) continue;
      if (meant?.has(this.#textAt(row) ?? -1) === false) continue;
      const place = marks.place(at);
      if (count === 0 || found[count - 1] !== place) found[count++] = place;
    }
    return found.slice(0, count);
  }

  /** What marks of a kind say, each text once. */
  textsOf(kind: SaidMark): readonly string[] {
    return this.#textsOf(kind)
      .map((number) => this.parts.texts[number] ?? '')
      .toSorted();
  }

  #textsOf(kind: MarkKind): number[] {
    const { kinds } = this.parts.marks;
    const wanted = MARK_KINDS.indexOf(kind);
    const found = new Set<number>();
    for (let row = 0; row < kinds.length; row++)
      if (kinds.at(row) === wanted) {
        const text = this.#textAt(row);
        if (text !== undefined) found.add(text);
      }
    return [...found];
  }

  /** What a mark says, as the number of a text. */
  #textAt(row: number): number | undefined {
    const kind = MARK_KINDS[this.parts.marks.kinds.at(row)];
    if (isTextMark(kind)) return this.parts.marks.values.at(row);
    return isPrinted(kind) ? this.parts.marks.lineOf(row) : undefined;
  }

  /** Messages that have come to no turn, of each actor in the order in which they wait. */
  left(): LeftMessage[] {
    const { workers, lives, actors, whats, causes } = this.parts.left;
    return Array.from({ length: workers.length }, (_, at) => ({
      worker: workers.at(at),
      life: lives.at(at),
      actor: this.parts.texts[actors.at(at)] ?? '',
      what: this.parts.texts[whats.at(at)] ?? '',
      sender: causes.at(at) === 0 ? undefined : this.#places[causes.at(at) - 1],
    }));
  }

  /** Those to services, each with what it was answered. */
  get requests(): Requests {
    return (this.#requests ??= new Requests(this.parts, (row) => this.#placeOf(row)));
  }

  get #ordered(): MarksByPlace {
    return (this.#marksByPlace ??= new MarksByPlace(this.parts.marks, (row) => this.#placeOf(row)));
  }

  /** Behind the last stretch of its thread stands what belongs to none. */
  #placeOf(row: number): number {
    return this.#places[row] ?? this.count;
  }

  #mark(at: number): Mark {
    const marks = this.#ordered;
    const row = marks.row(at);
    const kind = MARK_KINDS[this.parts.marks.kinds.at(row)] ?? 'error';
    const value = this.parts.marks.values.at(row);
    const its = this.parts.marks.requestOf(row);
    const line = this.parts.marks.lineOf(row);
    return {
      order: marks.place(at),
      kind,
      value: isTextMark(kind) ? (this.parts.texts[value] ?? '') : value,
      request: its === undefined ? undefined : this.requests.numberOf(its),
      text: line === undefined ? undefined : this.parts.texts[line],
    };
  }
}

function phaseOf({ phases, phaseSteps, between }: ThreadRows, number: number): number {
  // Of the number-th stretch, the step.
  let step = number - 1;
  for (let i = 0; i < between.length && between.at(i) <= step; i++) step++;
  return phases.at(phaseSteps.firstFrom(step + 1) - 1);
}

/** Traces tell the time now and then: stretches between two such times stand at equal distances, behind the last one in their order. */
function spread({ times }: Columns, { row, count }: ThreadNotes): void {
  const end = row + count;
  for (let from = row; from < end;) {
    const time = times.at(from);
    let to = from + 1;
    while (to < end && times.at(to) === time) to++;
    const step = to === end ? APART : Math.max(0, times.at(to) - time) / (to - from);
    for (let i = from + 1; i < to; i++) times.set(i, time + (i - from) * step);
    from = to;
  }
}

/** Which stretch of another thread has sent what a stretch is about, or what was left. */
function joinSenders({ columns, left }: Pick<SurveyParts, 'columns' | 'left'>, threads: readonly ThreadNotes[]): void {
  const byKey = new Map(threads.map((thread) => [threadKey(thread.worker, thread.life), thread]));
  const join = (causes: Columns['causes'], { rows, keys, messages }: Foreign, own: number): void => {
    for (let i = 0; i < rows.length; i++) {
      const from = byKey.get(keys.at(i));
      const step = from === undefined ? undefined : stepOf(from.sent.get(own), messages.at(i));
      const row = from === undefined || step === undefined ? undefined : rowOf(from, step);
      if (row !== undefined) causes.set(rows.at(i), row + 1);
    }
  };
  for (const { worker, life, foreign, foreignLeft } of threads) {
    const own = threadKey(worker, life);
    join(columns.causes, foreign, own);
    join(left.causes, foreignLeft, own);
  }
}

function stepOf(sent: Traffic | undefined, message: number): number | undefined {
  if (sent === undefined) return undefined;
  const at = sent.totals.firstFrom(message);
  return at === sent.totals.length ? undefined : sent.steps.at(at);
}

/** Nothing, if it is none of the program's. */
function rowOf({ row, count, between }: ThreadNotes, step: number): number | undefined {
  const before = between.firstFrom(step);
  if (before < between.length && between.at(before) === step) return undefined;
  return step - before < count ? row + step - before : undefined;
}
