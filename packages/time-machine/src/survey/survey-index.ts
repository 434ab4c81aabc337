// A survey turned around, to be moved about in: what it tells of each stretch by its row stands here by its place in the order, with what nobody has noted because it follows: which
// stretches have come of what one has sent, where each actor began, where each phase does. Built once, in a fraction of a second for a million; nothing of it changes.
import { Buckets } from '../buckets.ts';
import { firstThat } from '../first-from.ts';
import { MARK_KINDS, STRETCH_KINDS, type MarkKind, type SaidMark, type StretchKind } from '../notes.ts';
import type { PhaseOfOrder } from '../position.ts';
import type { LeftMessage, Survey } from './survey.ts';

/** An actor, or a worker's main program: they are told apart by worker and name. */
export interface Performer {
  readonly worker: number;
  readonly name: string;
  /** The places of its stretches, ascending. */
  readonly stretches: Uint32Array;
  /** The turn in which it was made, if that was seen. */
  readonly birth: number | undefined;
}

const CONSTRUCT = STRETCH_KINDS.indexOf('construct');
const NONE = new Uint32Array();
/** More than there are texts. */
const TEXTS = 2 ** 32;

const indexes = new WeakMap<Survey, SurveyIndex>();

export class SurveyIndex {
  readonly survey: Survey;
  /** By place, from 1 on; there is nothing at 0. */
  readonly #kinds: Uint8Array;
  readonly #performers: Uint32Array;
  readonly #threads: Uint16Array;
  readonly #senders: Uint32Array;
  /** The places of the stretches that were sent at each. */
  readonly #received: Buckets;
  readonly #sources: Uint32Array;
  readonly performers: readonly Performer[];
  #byName: Map<string, Performer> | undefined;
  readonly #workers: readonly { readonly worker: number; readonly life: number }[];
  readonly #byWorker = new Map<number, Uint32Array>();
  /** Of which something ran, ascending. */
  readonly phases: readonly PhaseOfOrder[];
  readonly #marks = new Map<string, Uint32Array>();

  /** The index of a survey, which is made when it is first needed. */
  static of(survey: Survey): SurveyIndex {
    let index = indexes.get(survey);
    if (index === undefined) indexes.set(survey, (index = new SurveyIndex(survey)));
    return index;
  }

  private constructor(survey: Survey) {
    this.survey = survey;
    const { columns, threads, order, texts } = survey.parts;
    const { count } = survey;
    this.#kinds = new Uint8Array(count + 1);
    this.#performers = new Uint32Array(count + 1);
    this.#threads = new Uint16Array(count + 1);
    this.#senders = new Uint32Array(count + 1);
    this.#sources = new Uint32Array(count + 1);
    this.#workers = threads.map(({ worker, life }) => ({ worker, life }));
    const places = new Uint32Array(count);
    order.forEach((row, at) => (places[row] = at + 1));
    const found = new Map<number, number>();
    const names: { worker: number; name: string; count: number; birth: number | undefined }[] = [];
    const kindEntry = STRETCH_KINDS.indexOf('entry');
    threads.forEach(({ worker, row, count: those }, thread) => {
      for (let i = row; i < row + those; i++) {
        const place = places[i] as number;
        const kind = columns.kinds.at(i);
        const name = columns.actors.at(i);
        const key = worker * TEXTS + name;
        let performer = found.get(key);
        if (performer === undefined) {
          performer = names.push({ worker, name: texts[name] ?? '', count: 0, birth: undefined }) - 1;
          found.set(key, performer);
        }
        const its = names[performer];
        if (its !== undefined) {
          its.count++;
          if (kind === CONSTRUCT) its.birth ??= place;
        }
        this.#kinds[place] = kind;
        this.#performers[place] = performer;
        this.#threads[place] = thread;
        const cause = columns.causes.at(i);
        if (kind === kindEntry) this.#sources[place] = columns.methods.at(i);
        else this.#senders[place] = cause === 0 ? 0 : (places[cause - 1] ?? 0);
      }
    });
    // There is nothing at 0.
    this.#received = new Buckets(this.#senders.subarray(1), count + 1);
    const theirs = new Buckets(this.#performers.subarray(1), names.length);
    this.performers = names.map(({ worker, name, birth }, i) => ({
      worker,
      name,
      birth,
      stretches: theirs.of(i),
    }));
    this.phases = phasesOf(survey);
  }

  get count(): number {
    return this.survey.count;
  }

  kind(place: number): StretchKind {
    return STRETCH_KINDS[this.#kinds[place] as number] ?? 'jobs';
  }

  /** Undefined at the end. */
  performer(place: number): Performer | undefined {
    return place > this.count ? undefined : this.performers[this.#performers[place] as number];
  }

  /** The one of a name, if it has stretches at all. */
  performerCalled(worker: number, name: string): Performer | undefined {
    this.#byName ??= new Map(this.performers.map((each) => [nameOf(each.worker, each.name), each]));
    return this.#byName.get(nameOf(worker, name));
  }

  #left: Map<string, LeftMessage[]> | undefined;
  #leftBySender: Map<number | undefined, LeftMessage[]> | undefined;

  /** What has come to no turn of an actor, the next one first. */
  leftFor(worker: number, life: number, name: string): readonly LeftMessage[] {
    this.#left ??= Map.groupBy(this.survey.left(), (each) => `${each.life} ${nameOf(each.worker, each.actor)}`);
    return this.#left.get(`${life} ${nameOf(worker, name)}`) ?? [];
  }

  /** Of what was sent there. */
  leftBy(place: number): readonly LeftMessage[] {
    this.#leftBySender ??= Map.groupBy(this.survey.left(), ({ sender }) => sender);
    return this.#leftBySender.get(place) ?? [];
  }

  worker(place: number): number {
    return this.#workers[this.#threads[place] as number]?.worker ?? 0;
  }

  /** Of its worker, at that place. */
  life(place: number): number {
    return this.#workers[this.#threads[place] as number]?.life ?? 0;
  }

  /** Whose turn's message it is about, if that is known. */
  sender(place: number): number | undefined {
    const sender = this.#senders[place] as number;
    return sender === 0 ? undefined : sender;
  }

  /** What has come of the messages that were sent there, ascending. */
  receivers(place: number): Uint32Array {
    return this.#received.of(place);
  }

  /** Of an entry, who calls: `timer`, `device`. */
  source(place: number): string {
    return this.survey.parts.texts[this.#sources[place] as number] ?? '';
  }

  /** Who calls, of all entries. */
  get sources(): readonly string[] {
    const { texts } = this.survey.parts;
    return [...new Set(this.#sources)].flatMap((each) => (each === 0 ? [] : (texts[each] ?? []))).toSorted();
  }

  /** Places where something of one of these kinds stands, ascending, each once. */
  marked(...kinds: readonly MarkKind[]): Uint32Array {
    const key = kinds.join(' ');
    let those = this.#marks.get(key);
    if (those === undefined) {
      those = kinds.map((kind) => this.survey.placesOf(kind)).reduce(merged, NONE);
      this.#marks.set(key, those);
    }
    return those;
  }

  /** The same of what says something that is meant. */
  markedWith(isMeant: (text: string) => boolean, ...kinds: readonly SaidMark[]): Uint32Array {
    return kinds.map((kind) => this.survey.placesOf(kind, isMeant)).reduce(merged, NONE);
  }

  ofWorker(worker: number): Uint32Array {
    let those = this.#byWorker.get(worker);
    if (those === undefined) this.#byWorker.set(worker, (those = this.survey.ofWorker(worker)));
    return those;
  }
}

function nameOf(worker: number, name: string): string {
  return `${worker} ${name}`;
}

/** Of both, ascending, each once. */
function merged(one: Uint32Array, other: Uint32Array): Uint32Array {
  if (one.length === 0) return other;
  const all = new Uint32Array(one.length + other.length);
  let count = 0;
  for (let i = 0, k = 0; i < one.length || k < other.length; count++) {
    const [first = Infinity, second = Infinity] = [one[i], other[k]];
    all[count] = Math.min(first, second);
    if (first <= second) i++;
    if (second <= first) k++;
  }
  return all.slice(0, count);
}

const CUT = MARK_KINDS.indexOf('cut');

/** The order is phase by phase, so that each phase is a piece of it. Those that begin without a snapshot belong to the ones before: they are nothing that anybody has asked for. */
function phasesOf(survey: Survey): PhaseOfOrder[] {
  const found: PhaseOfOrder[] = [];
  const cuts = cutsIn(survey);
  for (let begin = 1; begin <= survey.count;) {
    const { phase } = survey.stretch(begin);
    if (found.length === 0 || cuts.has(phase)) found.push({ phase, begin });
    begin = firstThat(begin + 1, survey.count + 1, (order) => survey.stretch(order).phase > phase);
  }
  return found;
}

function cutsIn({ parts: { marks } }: Survey): Set<number> {
  const cuts = new Set<number>();
  for (let i = 0; i < marks.kinds.length; i++) if (marks.kinds.at(i) === CUT) cuts.add(marks.values.at(i));
  return cuts;
}
