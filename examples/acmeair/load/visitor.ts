// One who visits the airline again and again: logs in, perhaps looks at the account and changes it, asks five times for flights, books the last one found,
// looks at the bookings, perhaps cancels all but two, logs out. Each request follows from the answers before.

import type { Plan } from './plan.ts';

export const KINDS = [
  'login',
  'view profile',
  'update profile',
  'query',
  'book',
  'list bookings',
  'cancel',
  'logout',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Request {
  readonly kind: Kind;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Of `set-cookie`. */
  readonly cookies: readonly string[];
}

const UNANSWERED: Answer = { status: 0, body: '', cookies: [] };
const QUERIES = 5;
/** Bookings that a visitor who cancels keeps. */
const KEPT = 2;
const DAY = 24 * 60 * 60 * 1000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_HEADERS = { 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' };

interface Found {
  readonly _id: string;
  readonly flightSegmentId: string;
}

interface Profile {
  readonly address: { readonly streetAddress1: string; readonly postalCode: string };
}

export class Visitor {
  readonly #plan: Plan;
  readonly #steps: Generator<Request, never, Answer>;
  /** Of a request that nobody has answered. */
  #answer = UNANSWERED;
  #hasBegun = false;
  readonly #cookies = new Map<string, string>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#steps = this.#visits();
  }

  /** The one before has been answered, or never will be. */
  next(): Request {
    const { value } = this.#hasBegun ? this.#steps.next(this.#answer) : this.#steps.next();
    this.#hasBegun = true;
    this.#answer = UNANSWERED;
    const cookie = [...this.#cookies].map(([name, text]) => `${name}=${text}`).join('; ');
    return cookie === '' ? value : { ...value, headers: { ...value.headers, cookie } };
  }

  told(answer: Answer): void {
    this.#answer = answer;
    for (const cookie of answer.cookies) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  *#visits(): Generator<Request, never, Answer> {
    for (;;) yield* this.#visit();
  }

  *#visit(): Generator<Request, void, Answer> {
    const plan = this.#plan;
    const user = `uid${plan.integer(0, plan.customers - 1)}@email.com`;
    yield post('login', 'login', { login: user, password: 'password' });

    if (plan.looksAtAccount()) {
      const { status, body } = yield get('view profile', `customer/byid/${user}`);
      if (status === 200)
        yield {
          kind: 'update profile',
          method: 'POST',
          path: `/rest/api/customer/byid/${user}`,
          headers: JSON_HEADERS,
          body: JSON.stringify(moved(JSON.parse(body) as Profile)),
        };
    }

    let there: Found | undefined;
    let back: Found | undefined;
    for (let query = 0; query < QUERIES; query++) {
      const { status, body } = yield this.#query();
      [there, back] = status === 200 ? lastOfEach(body) : [];
    }

    if (there !== undefined)
      yield post('book', 'bookings/bookflights', {
        userid: user,
        toFlightId: there._id,
        toFlightSegId: there.flightSegmentId,
        retFlightId: back?._id ?? '',
        retFlightSegId: back?.flightSegmentId ?? '',
        oneWayFlight: String(back === undefined),
      });

    const { status, body } = yield get('list bookings', `bookings/byuser/${user}`);
    const bookings = status === 200 ? (JSON.parse(body) as { readonly _id: string }[]) : [];
    if (plan.cancels())
      for (const { _id } of bookings.slice(0, Math.max(0, bookings.length - KEPT)))
        yield post('cancel', 'bookings/cancelbooking', { number: _id, userid: user });

    yield get('logout', `login/logout?login=${user}`);
  }

  #query(): Request {
    const { from, to } = this.#plan.route();
    return post('query', 'flights/queryflights', {
      fromAirport: from,
      toAirport: to,
      fromDate: dateIn(this.#plan.integer(0, 5)),
      returnDate: dateIn(this.#plan.integer(6, 12)),
      oneWay: 'false',
    });
  }
}

function get(kind: Kind, path: string): Request {
  return { kind, method: 'GET', path: `/rest/api/${path}`, headers: {} };
}

function post(kind: Kind, path: string, form: Record<string, string>): Request {
  const body = new URLSearchParams(form).toString();
  return { kind, method: 'POST', path: `/rest/api/${path}`, headers: FORM, body };
}

function lastOfEach(body: string): (Found | undefined)[] {
  const { tripFlights } = JSON.parse(body) as {
    readonly tripFlights: readonly { readonly flightsOptions: readonly Found[] }[];
  };
  return tripFlights.map(({ flightsOptions }) => flightsOptions.at(-1));
}

/** To the next house and the next post office. */
function moved<P extends Profile>(profile: P): P & { readonly password: string } {
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

/** `Tue Nov 24 00:00:00 UTC 2026` */
function dateIn(days: number): string {
  const [weekday, day, month, year] = new Date(Date.now() + days * DAY).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} 00:00:00 UTC ${year}`;
}
