// The part of the plugin that runs on the host side, next to Fastify. This file is a device (see package.json), so the
// program has handles of its functions. It imports no other file of the plugin, which would be on the program side.
import { isProxy } from 'node:util/types';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Durability } from 'turntable';

/** Mark of a request that the host will not change any more. The name is part of the contract for data sources. */
const SETTLED = Symbol.for('turntable.settled');
/** Mark of a request that the program has received. The name is part of the contract for data sources. */
const MET_BY_PROGRAM = Symbol.for('turntable.met');
/** Mark of a request that the host may answer although the program has received it. */
const TAKEN_BY_HOST = Symbol('taken outside');

/** Property of a response with its durability level. The name is part of the contract for data sources. */
const DURABILITY = Symbol.for('turntable.durability');

/** Mark of the configuration of a route that was registered after the plugin had been loaded. */
const IS_DECIDED = Symbol('decided');

type Marks = Record<symbol, boolean | undefined>;
/** Reports to the program that the host has answered one of its requests, or that the client has aborted it. */
type ReportAnswer = (request: object, status: number | 'aborted') => void;

const ABORTED = 'aborted';
/** Prefix of the error codes of Fastify and its plugins. */
const FASTIFY_ERROR_PREFIX = 'FST_';

/**
 * Marks each request after its validation, which may change the request. Returns the prototypes of all requests and
 * replies. Undefined if this Fastify keeps its classes elsewhere: its requests are then ordinary handles.
 */
export function attach(
  app: FastifyInstance,
  reportAnswer: ReportAnswer,
  durability?: Durability,
): readonly [request: object, reply: object] | undefined {
  const request = prototypeOf(app, 'fastify.Request');
  const reply = prototypeOf(app, 'fastify.Reply');
  if (request === undefined || reply === undefined) return undefined;
  app.addHook('preHandler', (pending, _, done) => {
    marksOf(pending)[SETTLED] = true;
    done();
  });
  // The same as `setDurability`, which is on the program side: a hook there would cross the membrane at each request.
  app.addHook('onRequest', ({ routeOptions: { config } }, { raw }, done) => {
    const level = config.durability ?? durability;
    if (level !== undefined) Reflect.set(raw, DURABILITY, level);
    done();
  });
  reportAnswers(app, reportAnswer);
  return [request, reply];
}

/**
 * The same as `flushBeforeReplies`, which is on the program side.
 * @param waitForSnapshot gets the request, so that its promise is one of the request's: a captured state contains none
 * of Fastify's reactions to it
 */
export function waitBeforeReplies(
  app: FastifyInstance,
  isDefault: boolean,
  waitForSnapshot: (request: FastifyRequest) => Promise<void>,
): void {
  app.addHook('onRoute', (route) => {
    const config = Object.assign({}, route.config, { [IS_DECIDED]: true });
    route.config = config;
    if (!(config.flushBeforeReply ?? isDefault)) return;
    const { onSend = [] } = route;
    route.onSend = [...(Array.isArray(onSend) ? onSend : [onSend]), waitForSnapshot];
  });
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { config } = request.routeOptions;
    const mustWait = !request.is404 && !Reflect.has(config, IS_DECIDED) && (config.flushBeforeReply ?? isDefault);
    return mustWait ? waitForSnapshot(request) : done();
  });
}

/** Installs hooks that report the answers which the program does not give itself. */
function reportAnswers(app: FastifyInstance, reportAnswer: ReportAnswer): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    raw.once('close', () => {
      if (!raw.writableEnded && marksOf(request)[MET_BY_PROGRAM] === true) reportAnswer(request, ABORTED);
    });
    done();
  });
  // The `onRoute` hook misses routes of this instance that are registered before the plugin has been loaded.
  const instances = new Set<object>([app]);
  app.addHook('onRoute', function (route) {
    instances.add(this);
    if (isProxy(route.handler)) return;
    const { preHandler = [] } = route;
    route.preHandler = [...(Array.isArray(preHandler) ? preHandler : [preHandler]), markTaken];
  });
  app.addHook('onReady', (done) => {
    for (const each of instances) watchDecorators(each);
    done();
  });
  app.addHook('onError', (request, _, error, done) => {
    if (isFastifyError(error)) marksOf(request)[TAKEN_BY_HOST] = true;
    done();
  });
  app.addHook('onSend', (request, _, payload, done) => {
    // A stream's status can change until its end: the file may be missing, or unmodified.
    if (isStream(payload)) marksOf(request)[TAKEN_BY_HOST] = true;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (marksOf(request)[MET_BY_PROGRAM] === true && isAnsweredByHost(request)) reportAnswer(request, reply.statusCode);
    done();
  });
}

function markTaken(request: FastifyRequest, _: unknown, done: () => void): void {
  marksOf(request)[TAKEN_BY_HOST] = true;
  done();
}

const watchedReplies = new WeakSet<object>();

/** Wraps plugins' reply decorators, such as `reply.view(…)`, because they may answer without the program. */
function watchDecorators(app: object): void {
  const basePrototype = prototypeOf(app, 'fastify.Reply');
  const ownPrototype = typeOf(app, 'fastify.Reply')?.prototype as object | undefined;
  for (
    let prototype = ownPrototype;
    prototype !== undefined && prototype !== basePrototype && !watchedReplies.has(prototype);
    prototype = Object.getPrototypeOf(prototype) as object
  ) {
    watchedReplies.add(prototype);
    for (const key of Reflect.ownKeys(prototype)) {
      const { value, writable = false } = Reflect.getOwnPropertyDescriptor(prototype, key) ?? {};
      if (typeof value !== 'function' || !writable || isProxy(value) || key === 'constructor') continue;
      Reflect.set(prototype, key, withTakenMark(value as Decorator));
    }
  }
}

type Decorator = (this: unknown, ...args: unknown[]) => unknown;

function withTakenMark(decorator: Decorator): Decorator {
  const wrapped: Decorator = function (this, ...args) {
    const { request } = (this ?? {}) as { readonly request?: object };
    if (request !== undefined) marksOf(request)[TAKEN_BY_HOST] = true;
    return Reflect.apply(decorator, this, args);
  };
  return Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(decorator)) as Decorator;
}

function isAnsweredByHost(request: FastifyRequest): boolean {
  const marks = marksOf(request);
  return (
    marks[SETTLED] !== true ||
    marks[TAKEN_BY_HOST] === true ||
    (request.is404 && !isBound(request.routeOptions.handler))
  );
}

/** Whether the handler was given to Fastify. Fastify binds these handlers, but not its own default handler. */
function isBound(handler: unknown): boolean {
  return typeof handler === 'function' && handler.name.startsWith('bound ');
}

function isFastifyError(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && code.startsWith(FASTIFY_ERROR_PREFIX);
}

function isStream(payload: unknown): boolean {
  return typeof (payload as { readonly pipe?: unknown } | null | undefined)?.pipe === 'function';
}

function marksOf(request: object): Marks {
  return request as Marks;
}

/** Root of the prototype chain of the class that this instance, and all encapsulated ones, use. */
function prototypeOf(app: object, description: string): object | undefined {
  const type = typeOf(app, description);
  return type && rootPrototype(type.prototype as object);
}

/** Class of an instance, or of the nearest enclosing instance that has one. */
function typeOf(app: object, description: string): { readonly prototype: unknown } | undefined {
  for (let current: object | null = app; current !== null; current = Object.getPrototypeOf(current) as object | null) {
    const symbol = Object.getOwnPropertySymbols(current).find((each) => each.description === description);
    if (symbol === undefined) continue;
    const type: unknown = Reflect.get(current, symbol);
    return typeof type === 'function' ? (type as unknown as { readonly prototype: unknown }) : undefined;
  }
  return undefined;
}

function rootPrototype(prototype: object): object {
  for (let current = prototype; ;) {
    const parent = Object.getPrototypeOf(current) as object | null;
    if (parent === null || parent === Object.prototype) return current;
    current = parent;
  }
}
