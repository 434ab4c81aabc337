// Requests to services with their responses, numbered from 1 on in the order in which they were received. Events refer
// to a request by an id; this table joins the events of a request and of its response. It consists of columns, since a
// service may get millions of requests.
import { INDEXED_EVENT_KINDS } from '../task-log.ts';
import type { TaskColumns, RunEventColumns } from './thread-task-log.ts';

export interface ServedRequest {
  readonly number: number;
  /** `?`, like `url`, if the program did not read it before the event was recorded. */
  readonly method: string;
  readonly url: string;
  /** Undefined if no response was recorded. */
  readonly status: string | undefined;
  /** The task that received the request; undefined if the request was received before the start of the run index. */
  readonly received: number | undefined;
  readonly answered: number | undefined;
  /** Time between the two tasks; undefined if one of them is. */
  readonly durationMs: number | undefined;
}

export interface RequestFilter {
  /** Tests the texts `METHOD URL` and `METHOD URL STATUS` of a request. */
  readonly matches?: ((text: string) => boolean) | undefined;
  /** Minimum status of the response. */
  readonly status?: number | undefined;
  /** `open`: only requests without a recorded response. `answered`: only requests with one. */
  readonly state?: 'open' | 'answered' | undefined;
  /** First and last task: only requests that were open in at least one task of this range. */
  readonly between?: readonly [first: number, last: number] | undefined;
  /** Sorts by duration, descending. Default: in the order in which the requests were received. */
  readonly isSlowestFirst?: boolean | undefined;
}

const REQUEST_KIND = INDEXED_EVENT_KINDS.indexOf('request');
const RESPONSE_KIND = INDEXED_EVENT_KINDS.indexOf('response');
/** Method or URL in the text of an event, if the program had not read it. */
const UNKNOWN = '?';

/** The tables of a run index from which requests are read. */
interface RequestColumns {
  readonly columns: TaskColumns;
  readonly events: RunEventColumns;
  readonly texts: readonly string[];
}

export class RequestTable {
  readonly #columns: RequestColumns;
  readonly #orderOfRow: (row: number) => number;
  /** By request id: number of the event row of the request, and of the response, from 1 on; 0 if there is none. */
  readonly #received: Uint32Array;
  readonly #answered: Uint32Array;
  /** Request ids by the numbers of requests, and numbers by ids. */
  readonly #idsByNumber: Uint32Array;
  readonly #numbers: Uint32Array;
  #slowestFirst: Uint32Array | undefined;

  /** @param orderOfRow converts the row of a task into its number among all tasks */
  constructor(columns: RequestColumns, orderOfRow: (row: number) => number) {
    this.#columns = columns;
    this.#orderOfRow = orderOfRow;
    const { events } = columns;
    const count = events.requestCount;
    this.#received = new Uint32Array(count);
    this.#answered = new Uint32Array(count);
    for (let i = 0; i < events.requestRows.length; i++) {
      const row = events.requestRows.at(i);
      const kind = events.kinds.at(row);
      // The program may respond again after a failure: then the last response counts.
      if (kind === REQUEST_KIND) this.#received[events.requestIds.at(i)] = row + 1;
      else if (kind === RESPONSE_KIND) this.#answered[events.requestIds.at(i)] = row + 1;
    }
    this.#idsByNumber = this.#sortIds();
    this.#numbers = new Uint32Array(count);
    this.#idsByNumber.forEach((request, index) => (this.#numbers[request] = index + 1));
  }

  /** Ids in the order of receipt. Requests that were received before the run index begins are first, by response. */
  #sortIds(): Uint32Array {
    const ordersOf = (events: Uint32Array): Uint32Array =>
      events.map((event) => (event === 0 ? 0 : this.#orderOfRow(this.#rowOf(event))));
    const [received, answered] = [ordersOf(this.#received), ordersOf(this.#answered)];
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

  /** Number of a request. @param request id of the request in events */
  numberOf(request: number): number {
    return this.#numbers[request] as number;
  }

  /** The request with a number. @param number from 1 on */
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

  #isActiveBetween(request: number, [first, last]: readonly [number, number]): boolean {
    const [received, answered] = [this.#received[request] as number, this.#answered[request] as number];
    if (received !== 0 && this.#orderOfRow(this.#rowOf(received)) > last) return false;
    return answered === 0 || this.#orderOfRow(this.#rowOf(answered)) >= first;
  }

  /** Ids with the longest duration first and unknown durations last. */
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

  /** Duration in milliseconds; NaN if unknown. */
  #durationOf(request: number): number {
    const [received, answered] = [this.#received[request] as number, this.#answered[request] as number];
    if (received === 0 || answered === 0) return NaN;
    const { times } = this.#columns.columns;
    return times.at(this.#rowOf(answered)) - times.at(this.#rowOf(received));
  }

  /** Text `METHOD URL`. It is taken from the response if the program read it after the request was recorded. */
  #methodAndUrl(request: number): string {
    const [received, answered] = [this.#received[request] as number, this.#answered[request] as number];
    const logged = received === 0 ? undefined : this.#textOf(received);
    if (answered === 0) return logged ?? '';
    return logged === undefined || logged.startsWith(`${UNKNOWN} `) || logged.endsWith(` ${UNKNOWN}`)
      ? splitResponse(this.#textOf(answered)).methodAndUrl
      : logged;
  }

  #rowOf(event: number): number {
    return this.#columns.events.rows.at(event - 1);
  }

  #textOf(event: number): string {
    return this.#columns.texts[this.#columns.events.values.at(event - 1)] ?? '';
  }
}

function splitResponse(response: string): { readonly methodAndUrl: string; readonly status: string } {
  const space = response.lastIndexOf(' ');
  return { methodAndUrl: response.slice(0, space), status: response.slice(space + 1) };
}
