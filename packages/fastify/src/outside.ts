// What is done to Fastify where it runs, natively and outside of the program: this file is a device (package.json says so), of which the program has handles.
import { isProxy } from 'node:util/types';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Of a request that nobody outside changes any more, as data sources say it. */
const SETTLED = Symbol.for('turntable.settled');
/** Of a request that the program has been called with, as they are told. */
const MET = Symbol.for('turntable.met');
/** Of a request that something outside may have answered though the program has begun with it. */
const TAKEN = Symbol('taken outside');

type Marks = Record<symbol, boolean | undefined>;
/** The program's: something outside has answered a request of which it knows, or nobody will. */
type Tell = (request: object, status: number | 'aborted') => void;

const ABORTED = 'aborted';
/** Codes of Fastify's own errors, and of its plugins'. */
const OWN = 'FST_';

/**
 * The prototypes of all requests and replies, and from now on a mark on each request that has been validated: validation changes what it looks at.
 * Undefined for a Fastify that keeps its classes elsewhere; then its requests are handles as everything is.
 */
export function attach(app: FastifyInstance, tell: Tell): readonly [request: object, reply: object] | undefined {
  const request = prototypeOf(app, 'fastify.Request');
  const reply = prototypeOf(app, 'fastify.Reply');
  if (request === undefined || reply === undefined) return undefined;
  app.addHook('preHandler', (each, _, done) => {
    marksOf(each)[SETTLED] = true;
    done();
  });
  tellOfAnswers(app, tell);
  return [request, reply];
}

/** What the program answers is seen where it does: it is called for the rest alone. */
function tellOfAnswers(app: FastifyInstance, tell: Tell): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    raw.once('close', () => {
      if (!raw.writableEnded && marksOf(request)[MET] === true) tell(request, ABORTED);
    });
    done();
  });
  const instances = new Set<object>();
  app.addHook('onRoute', function (route) {
    instances.add(this);
    if (isProxy(route.handler)) return;
    const { preHandler = [] } = route;
    route.preHandler = [...(Array.isArray(preHandler) ? preHandler : [preHandler]), take];
  });
  app.addHook('onReady', (done) => {
    for (const each of instances) watchDecorators(each);
    done();
  });
  app.addHook('onError', (request, _, error, done) => {
    if (isOwn(error)) marksOf(request)[TAKEN] = true;
    done();
  });
  app.addHook('onSend', (request, _, payload, done) => {
    // Whoever has made it, what comes of it is known at its end: a file that is not there, or has not changed.
    if (isStream(payload)) marksOf(request)[TAKEN] = true;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (marksOf(request)[MET] === true && isAnsweredOutside(request)) tell(request, reply.statusCode);
    done();
  });
}

function take(request: FastifyRequest, _: unknown, done: () => void): void {
  marksOf(request)[TAKEN] = true;
  done();
}

const watched = new WeakSet<object>();

/** What plugins have added to replies may answer, and the program that calls it does not say so: `reply.view(…)`. */
function watchDecorators(app: object): void {
  const above = prototypeOf(app, 'fastify.Reply');
  const own = typeOf(app, 'fastify.Reply')?.prototype as object | undefined;
  for (let at = own; at !== undefined && at !== above && !watched.has(at); at = Object.getPrototypeOf(at) as object) {
    watched.add(at);
    for (const key of Reflect.ownKeys(at)) {
      const { value, writable = false } = Reflect.getOwnPropertyDescriptor(at, key) ?? {};
      if (typeof value !== 'function' || !writable || isProxy(value) || key === 'constructor') continue;
      Reflect.set(at, key, taking(value as Decorator));
    }
  }
}

type Decorator = (this: unknown, ...args: unknown[]) => unknown;

function taking(decorator: Decorator): Decorator {
  const wrapped: Decorator = function (this, ...args) {
    const { request } = (this ?? {}) as { readonly request?: object };
    if (request !== undefined) marksOf(request)[TAKEN] = true;
    return Reflect.apply(decorator, this, args);
  };
  return Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(decorator)) as Decorator;
}

function isAnsweredOutside(request: FastifyRequest): boolean {
  const marks = marksOf(request);
  return marks[SETTLED] !== true || marks[TAKEN] === true || (request.is404 && !isBound(request.routeOptions.handler));
}

/** Fastify binds what it is given, and not its own. */
function isBound(handler: unknown): boolean {
  return typeof handler === 'function' && handler.name.startsWith('bound ');
}

function isOwn(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && code.startsWith(OWN);
}

function isStream(payload: unknown): boolean {
  return typeof (payload as { readonly pipe?: unknown } | null | undefined)?.pipe === 'function';
}

function marksOf(request: object): Marks {
  return request as Marks;
}

/** What the classes of all encapsulated instances inherit from. */
function prototypeOf(app: object, description: string): object | undefined {
  const type = typeOf(app, description);
  return type && topOf(type.prototype as object);
}

/** The class of an instance, or of the one that it is encapsulated in. */
function typeOf(app: object, description: string): { readonly prototype: unknown } | undefined {
  for (let at: object | null = app; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const symbol = Object.getOwnPropertySymbols(at).find((each) => each.description === description);
    if (symbol === undefined) continue;
    const type: unknown = Reflect.get(at, symbol);
    return typeof type === 'function' ? (type as unknown as { readonly prototype: unknown }) : undefined;
  }
  return undefined;
}

function topOf(prototype: object): object {
  for (let at = prototype; ;) {
    const above = Object.getPrototypeOf(at) as object | null;
    if (above === null || above === Object.prototype) return at;
    at = above;
  }
}
