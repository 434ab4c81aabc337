// Tracks requests to a replaying program and its responses as they cross the membrane. Requests come from Node's
// servers, and from data sources whose surrogates have a method and a URL. Each request has a number, which its
// responses refer to. Tracking calls neither the host nor the program.
import { types } from 'node:util';

export interface RequestObserver {
  /** Reports the arrival of a request, as `GET /carts/7`, with its number on this thread, starting at 1. */
  onRequest(text: string, number: number): void;
  /** Reports a response, as `GET /carts/7 200`. Of several responses to a request the last one counts. */
  onResponse(text: string, number: number): void;
}

class TrackedRequest {
  readonly number: number;
  /** False for a request that arrived before tracking started. */
  readonly wasSeenArriving: boolean;
  method: unknown;
  url: unknown;
  status: unknown;
  isReported = false;
  isAnswered = false;
  /** Whether the program can no longer change the response. */
  isClosed = false;
  /** The status that was last reported. */
  lastStatus: string | undefined;
  /** Status of the error response that is expected after a failure; undefined without a failure. */
  failureStatus: unknown;
  /** Number of unsettled promises of handlers, which will answer the request. */
  pendingHandlers = 0;
  /** Whether the program has got the native response, through which it may answer unseen by the data source. */
  isAnsweredPastSource = false;

  constructor(number: number, wasSeenArriving: boolean) {
    this.number = number;
    this.wasSeenArriving = wasSeenArriving;
  }
}

const REQUEST_CLASSES: ReadonlySet<string> = new Set(['IncomingMessage', 'Http2ServerRequest']);
const RESPONSE_CLASSES: ReadonlySet<string> = new Set(['ServerResponse', 'Http2ServerResponse']);
/** Functions that write to a stream among their arguments and then end the stream. */
const PIPE_FUNCTIONS = /(?:^|\.)pipe(?:line)?$/;
const UNKNOWN_TEXT = '?';
const STATUS_OK = 200;
const STATUS_FOUND = 302;
const STATUS_NOT_FOUND = 404;
const STATUS_SERVER_ERROR = 500;
const ABORTED = 'aborted';
/** Maximum length of a method or URL in a text, in UTF-16 units. */
const MAX_TEXT_LENGTH = 400;

const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { isNativeError, isProxy } = types;
const noop = (): void => {};

/** The program's proxy of a host object, and the name of the object's class. */
export interface LabelledHandle {
  readonly proxy: object;
  readonly label: string;
}

export class RequestTracker {
  readonly #observer: RequestObserver;
  #count = 0;
  /** Tracked requests, by the program's objects for requests and by its objects for responses. */
  readonly #requests = new WeakMap<object, TrackedRequest>();
  readonly #responses = new WeakMap<object, TrackedRequest>();
  /** Tracked promises by number. `isHandler`: whether a handler has returned the promise, and not a hook. */
  readonly #trackedPromises = new Map<number, { readonly request: TrackedRequest; readonly isHandler: boolean }>();

  constructor(observer: RequestObserver) {
    this.#observer = observer;
  }

  /** Notes that the host calls the program with these values. Returns a function to call afterwards. */
  enterCallback(values: readonly LabelledHandle[]): () => void {
    const requestHandle = values.find(({ label }) => REQUEST_CLASSES.has(label));
    const responseHandle = values.find(({ label }) => RESPONSE_CLASSES.has(label));
    if (requestHandle === undefined || responseHandle === undefined) return noop;
    const request = this.#requests.get(requestHandle.proxy) ?? this.#open(undefined, undefined);
    this.#requests.set(requestHandle.proxy, request);
    this.#responses.set(responseHandle.proxy, request);
    return () => this.#report(request);
  }

  noteRead(proxy: object, key: PropertyKey, value: unknown): void {
    if (key === 'raw' || key === 'hijack') this.#noteRawAccess(proxy, value);
    if (key !== 'method' && key !== 'url') return;
    const request = this.#requests.get(proxy);
    if (request === undefined || request[key] !== undefined) return;
    request[key] = value;
    if (request.method !== undefined && request.url !== undefined) this.#report(request);
  }

  /** Notes that the program gets the native object behind a surrogate. */
  #noteRawAccess(object: object, value: unknown): void {
    const rawRequest = this.#requests.get(object);
    const rawResponse = this.#responses.get(object);
    if (rawResponse !== undefined) rawResponse.isAnsweredPastSource = true;
    if (typeof value !== 'object' || value === null) return;
    if (rawRequest !== undefined) this.#requests.set(value, rawRequest);
    if (rawResponse !== undefined) this.#responses.set(value, rawResponse);
  }

  noteSet(proxy: object, key: PropertyKey, value: unknown): void {
    const request = key === 'statusCode' ? this.#responses.get(proxy) : undefined;
    if (request !== undefined) request.status = value;
  }

  /** Notes that the program calls a host function with the receiver `self`. */
  noteCall(name: string, self: LabelledHandle | undefined, args: readonly unknown[]): void {
    if (PIPE_FUNCTIONS.test(name))
      for (const argument of args) {
        const piped = this.#requestOfReply(argument);
        if (piped !== undefined) this.#answer(piped, piped.status);
      }
    const request = self && this.#requestOfHandle(self);
    if (request === undefined) return;
    if (name.endsWith('.writeHead')) request.status = args[0];
    else if (name.endsWith('.end')) this.#answer(request, request.status);
    else if (name.endsWith('.destroy')) this.#answer(request, 'destroyed');
  }

  /** Notes that the client of a response has disconnected. */
  noteAborted(responseHandle: LabelledHandle): void {
    const request = this.#requestOfHandle(responseHandle);
    if (request !== undefined) this.#close(request, ABORTED);
  }

  /** Returns the request of a handle. If tracking missed the request of a response, creates one without text. */
  #requestOfHandle({ proxy, label }: LabelledHandle): TrackedRequest | undefined {
    const request = this.#responses.get(proxy) ?? this.#requests.get(proxy);
    return request === undefined && RESPONSE_CLASSES.has(label) ? this.#openUnseen(proxy) : request;
  }

  /** Notes a new surrogate. @param initialKeys keys of its initial values */
  noteSurrogate(object: object, initialKeys: readonly PropertyKey[], values: readonly unknown[]): void {
    const [method, url] = [values[initialKeys.indexOf('method')], values[initialKeys.indexOf('url')]];
    if (method !== undefined && url !== undefined) {
      const request = this.#open(method, url);
      this.#requests.set(object, request);
      this.#report(request);
    }
    const requestFact = values[initialKeys.indexOf('request')];
    const request = isObject(requestFact) ? this.#requests.get(requestFact) : undefined;
    if (request !== undefined) this.#responses.set(object, request);
  }

  /** Notes a call of a surrogate's method by the program. Returns a function to call afterwards. */
  noteInvoke(object: object, key: PropertyKey, args: readonly unknown[]): () => void {
    const request = this.#responses.get(object) ?? (key === 'send' ? this.#openUnseen(object) : undefined);
    if (request === undefined) return noop;
    const [argument] = args;
    switch (key) {
      case 'code':
      case 'status':
        return () => (request.status = argument);
      case 'callNotFound':
        return () => this.#fail(request, STATUS_NOT_FOUND);
      case 'redirect':
        this.#answer(
          request,
          args.find((argument) => typeof argument === 'number') ??
            (isStatusOk(request) ? STATUS_FOUND : request.status),
        );
        return noop;
      case 'send':
        if (isNativeError(argument)) return () => this.#fail(request, errorStatus(request, argument));
        this.#answer(request, request.status);
        return noop;
      default:
        return noop;
    }
  }

  /** Notes that the host has answered a request (a surrogate) itself, or has sent the program's answer. */
  noteHostResponse(surrogate: object, status: unknown): void {
    const request = this.#requests.get(surrogate);
    if (request !== undefined) this.#close(request, status);
  }

  #close(request: TrackedRequest, status: unknown): void {
    if (request.isClosed) return;
    request.isClosed = true;
    if (request.lastStatus !== textPart(status)) this.#reportResponse(request, status);
  }

  /** Notes the next call of the program by the host. An error and a reply as arguments announce another reply. */
  beforeCallback(values: readonly unknown[]): void {
    const request = values.some((value) => isNativeError(value)) ? this.#replyAmong(values) : undefined;
    if (request !== undefined) request.isAnswered = false;
  }

  /** Notes that a function with these arguments has returned a tracked promise. */
  trackPromise(number: number, values: readonly unknown[]): void {
    const isHandler = this.#handlerReplyOf(values) !== undefined;
    const request = this.#replyAmong(values);
    if (request === undefined) return;
    this.#trackedPromises.set(number, { request, isHandler });
    if (isHandler) request.pendingHandlers++;
    this.#noteErrorArgument(values, request);
  }

  /** Notes a settlement. Returns a function to call after it: until then the program may still answer. */
  notePromiseSettled(number: number, isFulfilled: boolean, value: unknown): () => void {
    const trackedPromise = this.#trackedPromises.get(number);
    this.#trackedPromises.delete(number);
    if (trackedPromise === undefined) return noop;
    const { request, isHandler } = trackedPromise;
    if (isHandler) request.pendingHandlers--;
    if (!isFulfilled) return () => this.#fail(request, errorStatus(request, value));
    if (isHandler && (value !== undefined || !request.isAnsweredPastSource)) this.#answer(request, request.status);
    return noop;
  }

  noteReturn(values: readonly unknown[], result: unknown): void {
    const request = this.#handlerReplyOf(values);
    // A handler that returns the reply sends it later.
    if (request !== undefined && result !== undefined && this.#requestOfReply(result) === undefined)
      this.#answer(request, request.status);
    this.#noteErrorArgument(values, this.#replyAmong(values));
  }

  #noteErrorArgument(values: readonly unknown[], request: TrackedRequest | undefined): void {
    const error = values.find((value) => isNativeError(value));
    if (request !== undefined && error !== undefined) this.#fail(request, errorStatus(request, error));
  }

  noteThrow(values: readonly unknown[], error: unknown): void {
    const request = this.#replyAmong(values);
    if (request !== undefined) this.#fail(request, errorStatus(request, error));
  }

  /** Returns the request of a handler, whose last argument is the reply. A hook has a callback there instead. */
  #handlerReplyOf(values: readonly unknown[]): TrackedRequest | undefined {
    return values.length > 2 ? this.#requestOfReply(values[values.length - 1]) : undefined;
  }

  #replyAmong([, ...args]: readonly unknown[]): TrackedRequest | undefined {
    return args.map((value) => this.#requestOfReply(value)).find((value) => value !== undefined);
  }

  #requestOfReply(value: unknown): TrackedRequest | undefined {
    return isObject(value) ? this.#responses.get(value) : undefined;
  }

  #open(method: unknown, url: unknown): TrackedRequest {
    const request = new TrackedRequest(++this.#count, true);
    return Object.assign(request, { method, url, status: STATUS_OK });
  }

  #openUnseen(object: object): TrackedRequest {
    const request = new TrackedRequest(++this.#count, false);
    this.#responses.set(object, request);
    return request;
  }

  #report(request: TrackedRequest): void {
    if (request.isReported) return;
    request.isReported = true;
    this.#observer.onRequest(requestText(request), request.number);
  }

  #answer(request: TrackedRequest, status: unknown): void {
    if (request.isAnswered || request.isClosed) return;
    request.isAnswered = true;
    this.#reportResponse(request, status);
  }

  /** Reports the error response that is expected after a failure, unless the program answers otherwise. */
  #fail(request: TrackedRequest, status: unknown): void {
    if (request.isAnswered || request.isClosed || request.pendingHandlers > 0 || request.failureStatus === status)
      return;
    request.failureStatus = status;
    this.#reportResponse(request, status);
  }

  #reportResponse(request: TrackedRequest, status: unknown): void {
    if (request.wasSeenArriving) this.#report(request);
    request.lastStatus = textPart(status);
    this.#observer.onResponse(`${requestText(request)} ${textPart(status)}`, request.number);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isStatusOk({ status }: TrackedRequest): boolean {
  return status === STATUS_OK || status === undefined;
}

/** Returns the status that Fastify chooses for an error. */
function errorStatus(request: TrackedRequest, error: unknown): unknown {
  if (!isStatusOk(request)) return request.status;
  for (const key of ['statusCode', 'status']) {
    const status = dataPropertyOf(error, key);
    if (typeof status === 'number' && status >= 400 && status <= 599) return status;
  }
  return STATUS_SERVER_ERROR;
}

function dataPropertyOf(object: unknown, key: PropertyKey): unknown {
  for (let holder = object; isObject(holder) && !isProxy(holder); holder = getPrototypeOf(holder)) {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) return descriptor.value;
  }
  return undefined;
}

function requestText({ method, url }: TrackedRequest): string {
  return `${textPart(method)} ${textPart(url)}`;
}

function textPart(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return UNKNOWN_TEXT;
  return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value;
}
