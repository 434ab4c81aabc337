// What is done to Fastify where it runs, natively and outside of the program: this file is a device (package.json says so), of which the program has handles.
import type { FastifyInstance } from 'fastify';

/** Of a request that nobody outside changes any more, as data sources say it. */
const SETTLED = Symbol.for('turntable.settled');

/**
 * The prototypes of all requests and replies, and from now on a mark on each request that has been validated: validation changes what it looks at.
 * Undefined for a Fastify that keeps its classes elsewhere; then its requests are handles as everything is.
 */
export function attach(app: FastifyInstance): readonly [request: object, reply: object] | undefined {
  const request = prototypeOf(app, 'fastify.Request');
  const reply = prototypeOf(app, 'fastify.Reply');
  if (request === undefined || reply === undefined) return undefined;
  app.addHook('preHandler', (each, _, done) => {
    (each as unknown as Record<symbol, boolean>)[SETTLED] = true;
    done();
  });
  return [request, reply];
}

/** What the classes of all encapsulated instances inherit from. */
function prototypeOf(app: object, description: string): object | undefined {
  for (let at: object | null = app; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const symbol = Object.getOwnPropertySymbols(at).find((each) => each.description === description);
    if (symbol === undefined) continue;
    const type: unknown = Reflect.get(at, symbol);
    return typeof type === 'function' ? topOf(type.prototype as object) : undefined;
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
