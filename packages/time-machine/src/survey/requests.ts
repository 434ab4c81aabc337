// Requests to services, each with what it was answered, in the order in which they came: a request's number is its place among all, from 1 on. Marks say which of them are of one request;
// here the two stand side by side, in columns, since a service may have millions.
import { MARK_KINDS } from '../notes.ts';
import type { Columns, Marks } from './thread-notes.ts';

export interface ServedRequest {
  /** Among all, in the order in which they came, from 1 on. */
  readonly number: number;
  /** `?` where the program has not asked for it in time. */
  readonly method: string;
  readonly url: string;
  /** As the program has given it; nothing, if it was not seen to answer. */
  readonly status: string | undefined;
  /** The stretch in which it came; nothing, if that was before the survey begins. */
  readonly came: number | undefined;
  readonly answered: number | undefined;
  /** Milliseconds between the two, by the times of stretches. */
  readonly duration: number | undefined;
}

export interface RequestWish {
  /** Of method and URL, with and without the status. */
  readonly isMeant?: ((text: string) => boolean) | undefined;
  /** Answered with this or more. */
  readonly status?: number | undefined;
  /** Open are those that were not seen to be answered. */
  readonly state?: 'open' | 'answered' | undefined;
  /** Only those that the program was at between these places, both within. */
  readonly between?: readonly [first: number, last: number] | undefined;
  /** Otherwise in the order in which they came. */
  readonly isSlowestFirst?: boolean | undefined;
}

const REQUEST = MARK_KINDS.indexOf('request');
const RESPONSE = MARK_KINDS.indexOf('response');
/** Of a method or URL that nobody has asked for. */
const UNKNOWN = '?';

/** What of a survey requests are read from. */
interface RequestParts {
  readonly columns: Columns;
  readonly marks: Marks;
  readonly texts: readonly string[];
}

export class Requests {
  readonly #parts: RequestParts;
  readonly #placeOf: (row: number) => number;
  /** By what marks call them: where they came and were answered, as numbers of marks from 1 on; 0 where there is none. */
  readonly #came: Uint32Array;
  readonly #answered: Uint32Array;
  /** What marks call them, by their numbers; and the other way round. */
  readonly #byNumber: Uint32Array;
  readonly #numbers: Uint32Array;
  #slowestFirst: Uint32Array | undefined;

  /** @param placeOf of a row of a stretch, from 1 on */
  constructor(parts: RequestParts, placeOf: (row: number) => number) {
    this.#parts = parts;
    this.#placeOf = placeOf;
    const { marks } = parts;
    const count = marks.requestCount;
    this.#came = new Uint32Array(count);
    this.#answered = new Uint32Array(count);
    for (let i = 0; i < marks.served.length; i++) {
      const mark = marks.served.at(i);
      const kind = marks.kinds.at(mark);
      // What fails may be answered otherwise then: the last time counts.
      if (kind === REQUEST) this.#came[marks.requests.at(i)] = mark + 1;
      else if (kind === RESPONSE) this.#answered[marks.requests.at(i)] = mark + 1;
    }
    this.#byNumber = this.#inOrder();
    this.#numbers = new Uint32Array(count);
    this.#byNumber.forEach((request, at) => (this.#numbers[request] = at + 1));
  }

  /** Those that came before are the first, as they are answered. */
  #inOrder(): Uint32Array {
    const placesOf = (marks: Uint32Array): Uint32Array =>
      marks.map((mark) => (mark === 0 ? 0 : this.#placeOf(this.#rowOf(mark))));
    const [came, answered] = [placesOf(this.#came), placesOf(this.#answered)];
    return came
      .map((_, request) => request)
      .sort((one, other) => {
        const [first, second] = [came[one] as number, came[other] as number];
        if (first !== second) return first - second;
        return (first === 0 ? (answered[one] as number) - (answered[other] as number) : 0) || one - other;
      });
  }

  get count(): number {
    return this.#byNumber.length;
  }

  /** @param request as marks call it */
  numberOf(request: number): number {
    return this.#numbers[request] as number;
  }

  /** @param number from 1 on */
  request(number: number): ServedRequest {
    const request = this.#byNumber[number - 1];
    if (request === undefined)
      throw new RangeError(`there is no request ${number}: they are numbered from 1 to ${this.count}`);
    const [came, answered] = [this.#came[request] as number, this.#answered[request] as number];
    const what = this.#whatOf(request);
    const space = what.indexOf(' ');
    const duration = this.#durationOf(request);
    return {
      number,
      method: what.slice(0, space),
      url: what.slice(space + 1),
      status: answered === 0 ? undefined : partsOf(this.#textOf(answered)).status,
      came: came === 0 ? undefined : this.#placeOf(this.#rowOf(came)),
      answered: answered === 0 ? undefined : this.#placeOf(this.#rowOf(answered)),
      duration: Number.isNaN(duration) ? undefined : duration,
    };
  }

  numbers({ isMeant, status, state, between, isSlowestFirst = false }: RequestWish): number[] {
    const known = new Map<string, boolean>();
    const isLike = (text: string): boolean => {
      let its = known.get(text);
      if (its === undefined) known.set(text, (its = isMeant === undefined || isMeant(text)));
      return its;
    };
    const found: number[] = [];
    for (const request of isSlowestFirst ? this.#bySlowness : this.#byNumber) {
      if (between !== undefined && !this.#isUnderWay(request, between)) continue;
      const answered = this.#answered[request] as number;
      const answer = answered === 0 ? undefined : this.#textOf(answered);
      if (state !== undefined && (answer === undefined) !== (state === 'open')) continue;
      if (status !== undefined && !(Number(answer === undefined ? NaN : partsOf(answer).status) >= status)) continue;
      if (isLike(this.#whatOf(request)) || (answer !== undefined && isLike(answer))) found.push(this.numberOf(request));
    }
    return found;
  }

  /** It had come by the last of these places, and was not answered before the first. */
  #isUnderWay(request: number, [first, last]: readonly [number, number]): boolean {
    const [came, answered] = [this.#came[request] as number, this.#answered[request] as number];
    if (came !== 0 && this.#placeOf(this.#rowOf(came)) > last) return false;
    return answered === 0 || this.#placeOf(this.#rowOf(answered)) >= first;
  }

  /** Those of which nobody knows how long they took are the last. */
  get #bySlowness(): Uint32Array {
    if (this.#slowestFirst !== undefined) return this.#slowestFirst;
    const durations = Float64Array.from(this.#byNumber, (_, request) => this.#durationOf(request));
    const slownessOf = (request: number): number => {
      const duration = durations[request] as number;
      return Number.isNaN(duration) ? -1 : duration;
    };
    return (this.#slowestFirst = this.#byNumber
      .slice()
      .sort((one, other) => slownessOf(other) - slownessOf(one) || this.numberOf(one) - this.numberOf(other)));
  }

  /** Milliseconds; NaN if it is not known. */
  #durationOf(request: number): number {
    const [came, answered] = [this.#came[request] as number, this.#answered[request] as number];
    if (came === 0 || answered === 0) return NaN;
    const { times } = this.#parts.columns;
    return times.at(this.#rowOf(answered)) - times.at(this.#rowOf(came));
  }

  /** Method and URL. What was not known yet when it came may be known when it is answered. */
  #whatOf(request: number): string {
    const [came, answered] = [this.#came[request] as number, this.#answered[request] as number];
    const said = came === 0 ? undefined : this.#textOf(came);
    if (answered === 0) return said ?? '';
    return said === undefined || said.startsWith(`${UNKNOWN} `) || said.endsWith(` ${UNKNOWN}`)
      ? partsOf(this.#textOf(answered)).what
      : said;
  }

  #rowOf(mark: number): number {
    return this.#parts.marks.rows.at(mark - 1);
  }

  #textOf(mark: number): string {
    return this.#parts.texts[this.#parts.marks.values.at(mark - 1)] ?? '';
  }
}

/** Of what is said of an answer. */
function partsOf(answer: string): { readonly what: string; readonly status: string } {
  const space = answer.lastIndexOf(' ');
  return { what: answer.slice(0, space), status: answer.slice(space + 1) };
}
