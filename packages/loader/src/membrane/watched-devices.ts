// What a program that runs again does outside of it, in words, told to somebody who looks on: what it calls there, requests to its services, and its answers. It only looks at what
// crosses anyway: nothing is asked for it. Requests are those of Node's servers, and of data sources whose objects come with a method and a URL.

export interface DeviceWatcher {
  /** `fs.readFileSync`, `http.OutgoingMessage.end` */
  called(name: string): void;
  /** In the stretch in which it has come: `GET /carts/7`. */
  requested(what: string): void;
  /** `GET /carts/7 200` */
  responded(what: string): void;
}

interface Served {
  method: unknown;
  url: unknown;
  status: unknown;
  isTold: boolean;
  isAnswered: boolean;
}

const REQUESTS: ReadonlySet<string> = new Set(['IncomingMessage', 'Http2ServerRequest']);
const RESPONSES: ReadonlySet<string> = new Set(['ServerResponse', 'Http2ServerResponse']);
const UNKNOWN = '?';

/** What the program has of something outside, and the name of its class there. */
interface Labelled {
  readonly proxy: object;
  readonly label: string;
}

export class DeviceWatch {
  readonly #watcher: DeviceWatcher;
  /** By what the program has of requests and responses. */
  readonly #served = new WeakMap<object, Served>();
  /** Of promises that answer a request, by their numbers. */
  readonly #followed = new Map<number, Served>();

  constructor(watcher: DeviceWatcher) {
    this.#watcher = watcher;
  }

  /** The outside calls the program with these. Answers what is to be called when that has returned. */
  enters(values: readonly Labelled[]): () => void {
    const request = values.find(({ label }) => REQUESTS.has(label));
    const response = values.find(({ label }) => RESPONSES.has(label));
    if (request === undefined || response === undefined) return () => {};
    const served = this.#served.get(request.proxy) ?? newlyServed(undefined, undefined);
    this.#served.set(request.proxy, served);
    this.#served.set(response.proxy, served);
    return () => this.#tell(served);
  }

  /** A property was read. */
  reads(proxy: object, key: PropertyKey, value: unknown): void {
    if (key !== 'method' && key !== 'url') return;
    const served = this.#served.get(proxy);
    if (served === undefined || served[key] !== undefined) return;
    served[key] = value;
    if (served.method !== undefined && served.url !== undefined) this.#tell(served);
  }

  sets(proxy: object, key: PropertyKey, value: unknown): void {
    const served = key === 'statusCode' ? this.#served.get(proxy) : undefined;
    if (served !== undefined) served.status = value;
  }

  /** A function of the outside is called. What a request was that came before anybody looked is not known. @param self its `this` */
  calls(name: string, self: Labelled | undefined, args: readonly unknown[]): void {
    this.#watcher.called(name);
    if (self === undefined) return;
    let served = this.#served.get(self.proxy);
    if (served === undefined && RESPONSES.has(self.label))
      this.#served.set(self.proxy, (served = newlyServed(undefined, undefined)));
    if (served === undefined) return;
    if (name.endsWith('.writeHead')) served.status = args[0];
    else if (name.endsWith('.end')) this.#answer(served, served.status);
  }

  // ── Objects of data sources ──────────────────────────────────────────────────────────────────────────────────────────

  /** @param facts which came with it, and what they are */
  makes(object: object, facts: readonly PropertyKey[], values: readonly unknown[]): void {
    const [method, url] = [values[facts.indexOf('method')], values[facts.indexOf('url')]];
    if (method !== undefined && url !== undefined) {
      const served = newlyServed(method, url);
      this.#served.set(object, served);
      this.#tell(served);
    }
    const served = this.#of(values[facts.indexOf('request')]);
    if (served !== undefined) this.#served.set(object, served);
  }

  invokes(object: object, key: PropertyKey, args: readonly unknown[]): void {
    let served = this.#served.get(object);
    if (served === undefined && key === 'send') this.#served.set(object, (served = newlyServed(undefined, undefined)));
    if (served === undefined) return;
    if (key === 'code' || key === 'status') served.status = args[0];
    else if (key === 'send') this.#answer(served, served.status);
    else if (key === 'redirect') this.#answer(served, args.find((each) => typeof each === 'number') ?? 302);
  }

  /** The program answers these by a promise. */
  follows(number: number, values: readonly unknown[]): void {
    const served = values.map((each) => this.#of(each)).find((each) => each !== undefined);
    if (served !== undefined) this.#followed.set(number, served);
  }

  settles(number: number, isFulfilled: boolean, value: unknown): void {
    const served = this.#followed.get(number);
    this.#followed.delete(number);
    // What comes to nothing is answered otherwise.
    if (served !== undefined && (!isFulfilled || value !== undefined))
      this.#answer(served, isFulfilled ? served.status : 'error');
  }

  #of(value: unknown): Served | undefined {
    return typeof value === 'object' && value !== null ? this.#served.get(value) : undefined;
  }

  #tell(served: Served): void {
    if (served.isTold) return;
    served.isTold = true;
    this.#watcher.requested(textOf(served));
  }

  #answer(served: Served, status: unknown): void {
    if (served.isAnswered) return;
    served.isAnswered = true;
    this.#watcher.responded(`${textOf(served)} ${wordOf(status)}`);
  }
}

function newlyServed(method: unknown, url: unknown): Served {
  return { method, url, status: 200, isTold: false, isAnswered: false };
}

function textOf({ method, url }: Served): string {
  return `${wordOf(method)} ${wordOf(url)}`;
}

/** Nothing of it is called. */
function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : UNKNOWN;
}

let watch: DeviceWatch | undefined;

/** Of this thread, from now on. */
export function watchDevices(watcher: DeviceWatcher): void {
  watch = new DeviceWatch(watcher);
}

export function deviceWatch(): DeviceWatch | undefined {
  return watch;
}
