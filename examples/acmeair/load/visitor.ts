// A visitor who uses the airline repeatedly: logs in, may view and change the account, queries flights five times,
// books the last one found, lists bookings, may cancel all but two, logs out. Each request follows from the previous
// responses.

import type { LoadPlan } from './plan.ts';

export const VISIT_REQUEST_KINDS = [
  'login',
  'view profile',
  'update profile',
  'query',
  'book',
  'list bookings',
  'cancel',
  'logout',
] as const;
export type VisitRequestKind = (typeof VISIT_REQUEST_KINDS)[number];

export interface VisitorRequest {
  readonly kind: VisitRequestKind;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface VisitorResponse {
  readonly status: number;
  readonly body: string;
  /** Values of `set-cookie`. */
  readonly cookies: readonly string[];
}

const NO_RESPONSE: VisitorResponse = { status: 0, body: '', cookies: [] };
const QUERIES = 5;
/** Number of bookings that a cancelling visitor keeps. */
const KEPT_BOOKINGS = 2;
const DAY = 24 * 60 * 60 * 1000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_HEADERS = { 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' };

interface OfferedFlight {
  readonly _id: string;
  readonly flightSegmentId: string;
}

interface Profile {
  readonly address: { readonly streetAddress1: string; readonly postalCode: string };
}

export class Visitor {
  readonly #plan: LoadPlan;
  readonly #steps: Generator<VisitorRequest, never, VisitorResponse>;
  /** Response to the last request; `NO_RESPONSE` if there was none. */
  #response = NO_RESPONSE;
  #hasStarted = false;
  readonly #cookies = new Map<string, string>();

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#steps = this.#visits();
  }

  /** Returns the next request. The previous one has been answered, or never will be. */
  next(): VisitorRequest {
    const { value } = this.#hasStarted ? this.#steps.next(this.#response) : this.#steps.next();
    this.#hasStarted = true;
    this.#response = NO_RESPONSE;
    const cookie = [...this.#cookies].map(([name, text]) => `${name}=${text}`).join('; ');
    return cookie === '' ? value : { ...value, headers: { ...value.headers, cookie } };
  }

  receive(answer: VisitorResponse): void {
    this.#response = answer;
    for (const cookie of answer.cookies) {
      const [pair = ''] = cookie.split(';');
      const separator = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, separator), pair.slice(separator + 1));
    }
  }

  *#visits(): Generator<VisitorRequest, never, VisitorResponse> {
    for (;;) yield* this.#visit();
  }

  *#visit(): Generator<VisitorRequest, void, VisitorResponse> {
    const plan = this.#plan;
    const user = `uid${plan.integer(0, plan.customers - 1)}@email.com`;
    yield post('login', 'login', { login: user, password: 'password' });

    if (plan.shouldViewAccount()) {
      const { status, body } = yield get('view profile', `customer/byid/${user}`);
      if (status === 200)
        yield {
          kind: 'update profile',
          method: 'POST',
          path: `/rest/api/customer/byid/${user}`,
          headers: JSON_HEADERS,
          body: JSON.stringify(withNextAddress(JSON.parse(body) as Profile)),
        };
    }

    let outboundFlight: OfferedFlight | undefined;
    let returnFlight: OfferedFlight | undefined;
    for (let query = 0; query < QUERIES; query++) {
      const { status, body } = yield this.#query();
      [outboundFlight, returnFlight] = status === 200 ? lastOfEach(body) : [];
    }

    if (outboundFlight !== undefined)
      yield post('book', 'bookings/bookflights', {
        userid: user,
        toFlightId: outboundFlight._id,
        toFlightSegId: outboundFlight.flightSegmentId,
        retFlightId: returnFlight?._id ?? '',
        retFlightSegId: returnFlight?.flightSegmentId ?? '',
        oneWayFlight: String(returnFlight === undefined),
      });

    const { status, body } = yield get('list bookings', `bookings/byuser/${user}`);
    const bookings = status === 200 ? (JSON.parse(body) as { readonly _id: string }[]) : [];
    if (plan.shouldCancel())
      for (const { _id } of bookings.slice(0, Math.max(0, bookings.length - KEPT_BOOKINGS)))
        yield post('cancel', 'bookings/cancelbooking', { number: _id, userid: user });

    yield get('logout', `login/logout?login=${user}`);
  }

  #query(): VisitorRequest {
    const { from, to } = this.#plan.route();
    return post('query', 'flights/queryflights', {
      fromAirport: from,
      toAirport: to,
      fromDate: dateAfterDays(this.#plan.integer(0, 5)),
      returnDate: dateAfterDays(this.#plan.integer(6, 12)),
      oneWay: 'false',
    });
  }
}

function get(kind: VisitRequestKind, path: string): VisitorRequest {
  return { kind, method: 'GET', path: `/rest/api/${path}`, headers: {} };
}

function post(kind: VisitRequestKind, path: string, form: Record<string, string>): VisitorRequest {
  const body = new URLSearchParams(form).toString();
  return { kind, method: 'POST', path: `/rest/api/${path}`, headers: FORM, body };
}

function lastOfEach(body: string): (OfferedFlight | undefined)[] {
  const { tripFlights } = JSON.parse(body) as {
    readonly tripFlights: readonly { readonly flightsOptions: readonly OfferedFlight[] }[];
  };
  return tripFlights.map(({ flightsOptions }) => flightsOptions.at(-1));
}

/** Moves the customer to the next house number and the next postal code. */
function withNextAddress<P extends Profile>(profile: P): P & { readonly password: string } {
  const { address } = profile;
  const [house = '0', ...street] = address.streetAddress1.split(' ');
  const postalCode = Number(address.postalCode) + 1;
  return {
    ...profile,
    password: 'password',
    address: {
      ...address,
      streetAddress1: [Number(house) + 1, ...street].join(' '),
      postalCode: String(postalCode > 99_999 ? 10_000 : postalCode),
    },
  };
}

/** Formats a date like `Tue Nov 24 00:00:00 UTC 2026`. */
function dateAfterDays(days: number): string {
  const [weekday, day, month, year] = new Date(Date.now() + days * DAY).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} 00:00:00 UTC ${year}`;
}
