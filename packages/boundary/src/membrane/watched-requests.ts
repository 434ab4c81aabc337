// Requests to a program that runs again, and what it answers, seen where they cross: of Node's servers, and of data sources whose objects come with a method and a URL. Each has a number,
// so that an answer says to which of several requests it is one. Nothing is asked for it, and nothing of the program's is called.
import { types } from 'node:util';

export interface RequestWatcher {
  /** In the stretch in which it has come: `GET /carts/7`. @param request its number on this thread, from 1 on */
  requested(what: string, request: number): void;
  /** `GET /carts/7 200`. Of one request the last time counts. */
  responded(what: string, request: number): void;
}

class Served {
  readonly number: number;
  /** Whether it was seen to come. */
  readonly hasCome: boolean;
  method: unknown;
  url: unknown;
  status: unknown;
  isTold = false;
  isAnswered = false;
  /** Nothing that the program says is its answer any more. */
  isOver = false;
  /** What was told of it last. */
  told: string | undefined;
  /** By what it was taken to be answered when something failed. */
  failure: unknown;
  /** Promises of the program's that will answer it. */
  pending = 0;
  /** Whether the program may answer it past the data source. */
  isTaken = false;

  constructor(number: number, hasCome: boolean) {
    this.number = number;
    this.hasCome = hasCome;
  }
}

const REQUESTS: ReadonlySet<string> = new Set(['IncomingMessage', 'Http2ServerRequest']);
const RESPONSES: ReadonlySet<string> = new Set(['ServerResponse', 'Http2ServerResponse']);
/** What these are given they write into, and end it. */
const WRITERS = /(?:^|\.)pipe(?:line)?$/;
const UNKNOWN = '?';
const GOOD = 200;
const MOVED = 302;
const MISSING = 404;
const BROKEN = 500;
const ABORTED = 'aborted';
/** Units of a URL that are told. */
const LONGEST = 400;

const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { isNativeError, isProxy } = types;
const nothing = (): void => {};

/** What the program has of something outside, and the name of its class there. */
export interface Labelled {
  readonly proxy: object;
  readonly label: string;
}

export class RequestWatch {
  readonly #watcher: RequestWatcher;
  #count = 0;
  /** By what the program has of requests, and of what it answers them with. */
  readonly #requests = new WeakMap<object, Served>();
  readonly #responses = new WeakMap<object, Served>();
  /** By the numbers of promises: whether that of a handler, which answers, or of a hook. */
  readonly #followed = new Map<number, { readonly served: Served; readonly isHandlers: boolean }>();

  constructor(watcher: RequestWatcher) {
    this.#watcher = watcher;
  }

  /** The outside calls the program with these. Answers what is to be called when that has returned. */
  enters(values: readonly Labelled[]): () => void {
    const request = values.find(({ label }) => REQUESTS.has(label));
    const response = values.find(({ label }) => RESPONSES.has(label));
    if (request === undefined || response === undefined) return nothing;
    const served = this.#requests.get(request.proxy) ?? this.#comes(undefined, undefined);
    this.#requests.set(request.proxy, served);
    this.#responses.set(response.proxy, served);
    return () => this.#tell(served);
  }

  reads(proxy: object, key: PropertyKey, value: unknown): void {
    if (key === 'raw' || key === 'hijack') this.#takes(proxy, value);
    if (key !== 'method' && key !== 'url') return;
    const served = this.#requests.get(proxy);
    if (served === undefined || served[key] !== undefined) return;
    served[key] = value;
    if (served.method !== undefined && served.url !== undefined) this.#tell(served);
  }

  /** From a data source's object, what it stands for. */
  #takes(object: object, value: unknown): void {
    const request = this.#requests.get(object);
    const response = this.#responses.get(object);
    if (response !== undefined) response.isTaken = true;
    if (typeof value !== 'object' || value === null) return;
    if (request !== undefined) this.#requests.set(value, request);
    if (response !== undefined) this.#responses.set(value, response);
  }

  sets(proxy: object, key: PropertyKey, value: unknown): void {
    const served = key === 'statusCode' ? this.#responses.get(proxy) : undefined;
    if (served !== undefined) served.status = value;
  }

  /** A function of the outside is called. @param self its `this` */
  calls(name: string, self: Labelled | undefined, args: readonly unknown[]): void {
    if (WRITERS.test(name))
      for (const each of args) {
        const given = this.#responseOf(each);
        if (given !== undefined) this.#answer(given, given.status);
      }
    const served = self && this.#servedBy(self);
    if (served === undefined) return;
    if (name.endsWith('.writeHead')) served.status = args[0];
    else if (name.endsWith('.end')) this.#answer(served, served.status);
    else if (name.endsWith('.destroy')) this.#answer(served, 'destroyed');
  }

  /** The client of a response has gone. */
  aborts(response: Labelled): void {
    const served = this.#servedBy(response);
    if (served !== undefined) this.#ends(served, ABORTED);
  }

  /** What a request was that came before anybody looked is not known. */
  #servedBy({ proxy, label }: Labelled): Served | undefined {
    const served = this.#responses.get(proxy) ?? this.#requests.get(proxy);
    return served === undefined && RESPONSES.has(label) ? this.#wasThere(proxy) : served;
  }

  /** @param facts which came with it, and what they are */
  makes(object: object, facts: readonly PropertyKey[], values: readonly unknown[]): void {
    const [method, url] = [values[facts.indexOf('method')], values[facts.indexOf('url')]];
    if (method !== undefined && url !== undefined) {
      const served = this.#comes(method, url);
      this.#requests.set(object, served);
      this.#tell(served);
    }
    const request = values[facts.indexOf('request')];
    const served = isObject(request) ? this.#requests.get(request) : undefined;
    if (served !== undefined) this.#responses.set(object, served);
  }

  /** Answers what is to be called when that has returned. */
  invokes(object: object, key: PropertyKey, args: readonly unknown[]): () => void {
    const served = this.#responses.get(object) ?? (key === 'send' ? this.#wasThere(object) : undefined);
    if (served === undefined) return nothing;
    const [first] = args;
    switch (key) {
      case 'code':
      case 'status':
        return () => (served.status = first);
      case 'callNotFound':
        return () => this.#fails(served, MISSING);
      case 'redirect':
        this.#answer(served, args.find((each) => typeof each === 'number') ?? (isGood(served) ? MOVED : served.status));
        return nothing;
      case 'send':
        if (isNativeError(first)) return () => this.#fails(served, statusAfter(served, first));
        this.#answer(served, served.status);
        return nothing;
      default:
        return nothing;
    }
  }

  /** Something outside has answered, as the program would not do it, or as it has. @param request of a data source */
  answersOutside(request: object, status: unknown): void {
    const served = this.#requests.get(request);
    if (served !== undefined) this.#ends(served, status);
  }

  #ends(served: Served, status: unknown): void {
    if (served.isOver) return;
    served.isOver = true;
    if (served.told !== wordOf(status)) this.#respond(served, status);
  }

  /** The program is about to be called. With an error and a reply: whatever was to be the answer, that is not what leaves. */
  meets(values: readonly unknown[]): void {
    const served = values.some((each) => isNativeError(each)) ? this.#replyAmong(values) : undefined;
    if (served !== undefined) served.isAnswered = false;
  }

  /** What the program was called with is answered by a promise. */
  follows(number: number, values: readonly unknown[]): void {
    const isHandlers = this.#answeredBy(values) !== undefined;
    const served = this.#replyAmong(values);
    if (served === undefined) return;
    this.#followed.set(number, { served, isHandlers });
    if (isHandlers) served.pending++;
    this.#hasMet(values, served);
  }

  /** Answers what is to be called when the outside has taken it: it may call the program to say something else. */
  settles(number: number, isFulfilled: boolean, value: unknown): () => void {
    const followed = this.#followed.get(number);
    this.#followed.delete(number);
    if (followed === undefined) return nothing;
    const { served, isHandlers } = followed;
    if (isHandlers) served.pending--;
    if (!isFulfilled) return () => this.#fails(served, statusAfter(served, value));
    if (isHandlers && (value !== undefined || !served.isTaken)) this.#answer(served, served.status);
    return nothing;
  }

  returns(values: readonly unknown[], result: unknown): void {
    const served = this.#answeredBy(values);
    // A handler that returns its reply will send it.
    if (served !== undefined && result !== undefined && this.#responseOf(result) === undefined)
      this.#answer(served, served.status);
    this.#hasMet(values, this.#replyAmong(values));
  }

  #hasMet(values: readonly unknown[], served: Served | undefined): void {
    const error = values.find((each) => isNativeError(each));
    if (served !== undefined && error !== undefined) this.#fails(served, statusAfter(served, error));
  }

  throws(values: readonly unknown[], error: unknown): void {
    const served = this.#replyAmong(values);
    if (served !== undefined) this.#fails(served, statusAfter(served, error));
  }

  /** Handlers have the reply as the last of what they are called with, hooks what goes on behind it. `this` is the first. */
  #answeredBy(values: readonly unknown[]): Served | undefined {
    return values.length > 2 ? this.#responseOf(values[values.length - 1]) : undefined;
  }

  #replyAmong([, ...args]: readonly unknown[]): Served | undefined {
    return args.map((each) => this.#responseOf(each)).find((each) => each !== undefined);
  }

  #responseOf(value: unknown): Served | undefined {
    return isObject(value) ? this.#responses.get(value) : undefined;
  }

  #comes(method: unknown, url: unknown): Served {
    const served = new Served(++this.#count, true);
    return Object.assign(served, { method, url, status: GOOD });
  }

  #wasThere(object: object): Served {
    const served = new Served(++this.#count, false);
    this.#responses.set(object, served);
    return served;
  }

  #tell(served: Served): void {
    if (served.isTold) return;
    served.isTold = true;
    this.#watcher.requested(textOf(served), served.number);
  }

  #answer(served: Served, status: unknown): void {
    if (served.isAnswered || served.isOver) return;
    served.isAnswered = true;
    this.#respond(served, status);
  }

  /** Something has failed, and nobody has said anything else: an error is answered, unless the program still does. */
  #fails(served: Served, status: unknown): void {
    if (served.isAnswered || served.isOver || served.pending > 0 || served.failure === status) return;
    served.failure = status;
    this.#respond(served, status);
  }

  #respond(served: Served, status: unknown): void {
    if (served.hasCome) this.#tell(served);
    served.told = wordOf(status);
    this.#watcher.responded(`${textOf(served)} ${wordOf(status)}`, served.number);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isGood({ status }: Served): boolean {
  return status === GOOD || status === undefined;
}

/** As Fastify does. */
function statusAfter(served: Served, error: unknown): unknown {
  if (!isGood(served)) return served.status;
  for (const key of ['statusCode', 'status']) {
    const status = dataOf(error, key);
    if (typeof status === 'number' && status >= 400 && status <= 599) return status;
  }
  return BROKEN;
}

function dataOf(object: unknown, key: PropertyKey): unknown {
  for (let at = object; isObject(at) && !isProxy(at); at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found.value;
  }
  return undefined;
}

function textOf({ method, url }: Served): string {
  return `${wordOf(method)} ${wordOf(url)}`;
}

function wordOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return UNKNOWN;
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
}
