// Requests to services, each with what it was answered, in the order in which they came: a request's number is its place among all, from 1 on. Marks say which of them are of one request;
// here the two stand side by side, in columns, since a service may have millions.
import { INDEXED_EVENT_KINDS } from '../task-log.ts';
import type { TaskColumns, RunEventColumns } from './thread-task-log.ts';

export interface ServedRequest {
  /** Among all, in the order in which they came, from 1 on. */
  readonly number: number;
  /** `?` where the program has not asked for it in time. */
  readonly method: string;
  readonly url: string;
  /** As the program has given it; nothing, if it was not seen to answer. */
  readonly status: string | undefined;
  /** The task in which it came; nothing, if that was before the run index begins. */
  readonly received: number | undefined;
  readonly answered: number | undefined;
  /** Milliseconds between the two, by the times of tasks. */
  readonly durationMs: number | undefined;
}

export interface RequestFilter {
  /** Of method and URL, with and without the status. */
  readonly matches?: ((text: string) => boolean) | undefined;
  /** Answered with this or more. */
  readonly status?: number | undefined;
  /** Open are those that were not seen to be answered. */
  readonly state?: 'open' | 'answered' | undefined;
  /** Only those that the program was at between these places, both within. */
  readonly between?: readonly [first: number, last: number] | undefined;
  /** Otherwise in the order in which they came. */
  readonly isSlowestFirst?: boolean | undefined;
}

const REQUEST_KIND = INDEXED_EVENT_KINDS.indexOf('request');
const RESPONSE_KIND = INDEXED_EVENT_KINDS.indexOf('response');
/** Of a method or URL that nobody has asked for. */
const UNKNOWN = '?';

/** What of a run index requests are read from. */
interface RequestColumns {
  readonly columns: TaskColumns;
  readonly events: RunEventColumns;
  readonly texts: readonly string[];
}

export class RequestTable {
  readonly #columns: RequestColumns;
  readonly #orderOfRow: (row: number) => number;
  /** By what marks call them: where they came and were answered, as numbers of marks from 1 on; 0 where there is none. */
  readonly #received: Uint32Array;
  readonly #answered: Uint32Array;
  /** What marks call them, by their numbers; and the other way round. */
  readonly #idsByNumber: Uint32Array;
  readonly #numbers: Uint32Array;
  #slowestFirst: Uint32Array | undefined;

  /** @param orderOfRow of a row of a task, from 1 on */
  constructor(parts: RequestColumns, orderOfRow: (row: number) => number) {
    this.#columns = parts;
    this.#orderOfRow = orderOfRow;
    const { events: marks } = parts;
    const count = marks.requestCount;
    this.#received = new Uint32Array(count);
    this.#answered = new Uint32Array(count);
    for (let i = 0; i < marks.requestRows.length; i++) {
      const mark = marks.requestRows.at(i);
      const kind = marks.kinds.at(mark);
      // What fails may be answered otherwise then: the last time counts.
      if (kind === REQUEST_KIND) this.#received[marks.requestIds.at(i)] = mark + 1;
      else if (kind === RESPONSE_KIND) this.#answered[marks.requestIds.at(i)] = mark + 1;
    }
    this.#idsByNumber = this.#sortIds();
    this.#numbers = new Uint32Array(count);
    this.#idsByNumber.forEach((request, at) => (this.#numbers[request] = at + 1));
  }

  /** Those that came before are the first, as they are answered. */
  #sortIds(): Uint32Array {
    const placesOf = (marks: Uint32Array): Uint32Array =>
      marks.map((mark) => (mark === 0 ? 0 : this.#orderOfRow(this.#rowOf(mark))));
    const [received, answered] = [placesOf(this.#received), placesOf(this.#answered)];
    return received
      .map((_, request) => request)
      .sort((first, second) => {
        const [firstOrder, secondOrder] = [received[first] as number, received[second] as number];
        if (firstOrder !== secondOrder) return firstOrder - secondOrder;
        return (firstOrder === 0 ? (answered[first] as number) - (answered[second] as number) : 0) || first - second;
      });
  }

  get count(): number {
    return this.#idsByNumber.length;
  }

  /** @param request as marks call it */
  numberOf(request: number): number {
    return this.#numbers[request] as number;
  }

  /** @param number from 1 on */
  request(number: number): ServedRequest {
    const request = this.#idsByNumber[number - 1];
    if (request === undefined)
      throw new RangeError(`there is no request ${number}: they are numbered from 1 to ${this.count}`);
    const [received, answered] = [this.#received[request] as number, this.#answered[request] as number];
    const methodAndUrl = this.#methodAndUrl(request);
    const separator = methodAndUrl.indexOf(' ');
    const duration = this.#durationOf(request);
    return {
      number,
      method: methodAndUrl.slice(0, separator),
      url: methodAndUrl.slice(separator + 1),
      status: answered === 0 ? undefined : splitResponse(this.#textOf(answered)).status,
      received: received === 0 ? undefined : this.#orderOfRow(this.#rowOf(received)),
      answered: answered === 0 ? undefined : this.#orderOfRow(this.#rowOf(answered)),
      durationMs: Number.isNaN(duration) ? undefined : duration,
    };
  }

  numbers({ matches, status, state, between, isSlowestFirst = false }: RequestFilter): number[] {
    const known = new Map<string, boolean>();
    const isMatch = (text: string): boolean => {
      let isKnownMatch = known.get(text);
      if (isKnownMatch === undefined) known.set(text, (isKnownMatch = matches === undefined || matches(text)));
      return isKnownMatch;
    };
    const found: number[] = [];
    for (const request of isSlowestFirst ? this.#slowestIds : this.#idsByNumber) {
      if (between !== undefined && !this.#isActiveBetween(request, between)) continue;
      const answered = this.#answered[request] as number;
      const response = answered === 0 ? undefined : this.#textOf(answered);
      if (state !== undefined && (response === undefined) !== (state === 'open')) continue;
      if (status !== undefined && !(Number(response === undefined ? NaN : splitResponse(response).status) >= status))
        continue;
      if (isMatch(this.#methodAndUrl(request)) || (response !== undefined && isMatch(response)))
        found.push(this.numberOf(request));
    }
    return found;
  }

  /** It had come by the last of these places, and was not answered before the first. */
  #isActiveBetween(request: number, [first, last]: readonly [number, number]): boolean {
    const [received, answered] = [this.#received[request] as number, this.#answered[request] as number];
    if (received !== 0 && this.#orderOfRow(this.#rowOf(received)) > last) return false;
    return answered === 0 || this.#orderOfRow(this.#rowOf(answered)) >= first;
  }

  /** Those of which nobody knows how long they took are the last. */
  get #slowestIds(): Uint32Array {
    if (this.#slowestFirst !== undefined) return this.#slowestFirst;
    const durations = Float64Array.from(this.#idsByNumber, (_, request) => this.#durationOf(request));
    const slownessOf = (request: number): number => {
      const duration = durations[request] as number;
      return Number.isNaN(duration) ? -1 : duration;
    };
    return (this.#slowestFirst = this.#idsByNumber
      .slice()
      .sort((first, second) => slownessOf(second) - slownessOf(first) || this.numberOf(first) - this.numberOf(second)));
  }

  /** Milliseconds; NaN if it is not known. */
  #durationOf(request: number): number {
    const [received, answered] = [this.#received[request] as number, this.#answered[request] as number];
    if (received === 0 || answered === 0) return NaN;
    const { times } = this.#columns.columns;
    return times.at(this.#rowOf(answered)) - times.at(this.#rowOf(received));
  }

  /** Method and URL. What was not known yet when it came may be known when it is answered. */
  #methodAndUrl(request: number): string {
    const [received, answered] = [this.#received[request] as number, this.#answered[request] as number];
    const logged = received === 0 ? undefined : this.#textOf(received);
    if (answered === 0) return logged ?? '';
    return logged === undefined || logged.startsWith(`${UNKNOWN} `) || logged.endsWith(` ${UNKNOWN}`)
      ? splitResponse(this.#textOf(answered)).methodAndUrl
      : logged;
  }

  #rowOf(mark: number): number {
    return this.#columns.events.rows.at(mark - 1);
  }

  #textOf(mark: number): string {
    return this.#columns.texts[this.#columns.events.values.at(mark - 1)] ?? '';
  }
}

/** Of what is said of an answer. */
function splitResponse(response: string): { readonly methodAndUrl: string; readonly status: string } {
  const space = response.lastIndexOf(' ');
  return { methodAndUrl: response.slice(0, space), status: response.slice(space + 1) };
}
