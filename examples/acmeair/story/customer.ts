// Client of the service for one customer, who can book twice at the same time, as from two browser windows. If that
// earns the miles of only one booking, the seeded bug has occurred.

export interface MilesChange {
  readonly before: number;
  readonly after: number;
}

/** Miles per booking, as in `src/actors/bookings.ts`. */
export const MILES_PER_BOOKING = 500;

const FORM = 'application/x-www-form-urlencoded';

export class CustomerClient {
  readonly id: string;
  readonly #api: string;
  #cookie = '';

  private constructor(url: string, id: string) {
    this.id = id;
    this.#api = `${url}/rest/api`;
  }

  static async logIn(url: string, id: string): Promise<CustomerClient> {
    const customer = new CustomerClient(url, id);
    const response = await customer.#post('login', { login: id, password: 'password' });
    customer.#cookie = response.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    return customer;
  }

  /** Returns the number of the booking. */
  async book(flightId: string): Promise<string> {
    const order = { userid: this.id, toFlightId: flightId, oneWayFlight: 'true' };
    const booked = await this.#post('bookings/bookflights', order);
    return ((await booked.json()) as { readonly departBookingId: string }).departBookingId;
  }

  /** Returns the numbers of all bookings. */
  async bookings(): Promise<string[]> {
    const response = await this.#request(`bookings/byuser/${this.id}`);
    return ((await response.json()) as { readonly _id: string }[]).map(({ _id }) => _id);
  }

  /** Returns the number of today's flights. */
  async flights(from: string, to: string): Promise<number> {
    return (await this.#flights(from, to)).length;
  }

  /** Books a flight twice at the same time; returns the miles before and after. */
  async bookTwiceAtOnce(): Promise<MilesChange> {
    const flight = await this.#flight();
    const before = await this.#miles();
    await Promise.all([this.book(flight), this.book(flight)]);
    return { before, after: await this.#miles() };
  }

  async #flight(): Promise<string> {
    const id = (await this.#flights('FRA', 'JFK'))[0]?._id;
    if (id === undefined) throw new Error('no flights from FRA to JFK today');
    return id;
  }

  async #flights(from: string, to: string): Promise<readonly { readonly _id: string }[]> {
    const trip = { fromAirport: from, toAirport: to, fromDate: new Date().toDateString(), oneWay: 'true' };
    const found = (await (await this.#post('flights/queryflights', trip)).json()) as {
      readonly tripFlights: readonly { readonly flightsOptions: readonly { readonly _id: string }[] }[];
    };
    return found.tripFlights[0]?.flightsOptions ?? [];
  }

  async #miles(): Promise<number> {
    const response = await this.#request(`customer/byid/${this.id}`);
    return ((await response.json()) as { readonly total_miles: number }).total_miles;
  }

  #post(path: string, form: Record<string, string>): Promise<Response> {
    return this.#request(path, {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: new URLSearchParams(form).toString(),
    });
  }

  async #request(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    const response = await fetch(`${this.#api}/${path}`, { ...init, headers: { ...headers, cookie: this.#cookie } });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return response;
  }
}

/** Books twice until miles are lost; undefined if that does not happen within `maxAttempts`. */
export async function loseMiles(customer: CustomerClient, maxAttempts: number): Promise<MilesChange | undefined> {
  for (let i = 0; i < maxAttempts; i++) {
    const miles = await customer.bookTwiceAtOnce();
    if (miles.after - miles.before < 2 * MILES_PER_BOOKING) return miles;
  }
  return undefined;
}
