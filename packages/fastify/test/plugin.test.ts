// The plugin in a program that is not recorded, where it must do nothing. Recorded programs:
// test/outside/fastify.test.ts.
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type InjectOptions,
  type RouteHandlerMethod,
} from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { turntable } from '../src/index.ts';
import { attach, waitBeforeReplies } from '../src/host-side.ts';

const DURABILITY = Symbol.for('turntable.durability');

async function createApp(prepare: (app: FastifyInstance) => unknown = () => undefined): Promise<FastifyInstance> {
  const app = Fastify();
  await prepare(app);
  return app;
}
const withPlugin = (): Promise<FastifyInstance> => createApp(async (app) => await app.register(turntable));

describe('the plugin', () => {
  it('has a name, and requires a supported version of Fastify', async () => {
    const app = await withPlugin();
    expect(app.hasPlugin('@turntable/fastify')).toBe(true);
    expect(app.printPlugins()).toContain('@turntable/fastify');
  });

  it('adds no hook and no class to an app that is not recorded', async () => {
    const objects: [unknown, unknown][] = [];
    const answers: unknown[] = [];
    for (const app of [await withPlugin(), await createApp()]) {
      app.addHook('preHandler', async (request, reply) => void objects.push([request, reply]));
      app.post('/:id', (request) => ({ ...(request.params as object), ...(request.body as object) }));
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/7', payload: { a: 1 } });
      answers.push([statusCode, JSON.parse(body)]);
    }
    expect(answers).toEqual([
      [200, { id: '7', a: 1 }],
      [200, { id: '7', a: 1 }],
    ]);
    const [mine, others] = objects.map((pair) =>
      pair.map((each) => Reflect.ownKeys(Object.getPrototypeOf(each) as object).map(String)),
    );
    expect(mine).toEqual(others);
    for (const [request] of objects)
      expect(Object.hasOwn(request as object, Symbol.for('turntable.settled'))).toBe(false);
  });

  it('makes no reply wait or durable without a recording', async () => {
    const app = Fastify();
    await app.register(turntable, { flushBeforeReply: true, durability: 'reply' });
    const levels: unknown[] = [];
    app.get('/', async (_, reply) => void levels.push(Reflect.get(reply.raw, DURABILITY)));
    expect((await app.inject('/')).statusCode).toBe(200);
    expect(levels).toEqual([undefined]);
  });

  it('can be registered twice, and within a plugin', async () => {
    const app = await withPlugin();
    app.register(turntable);
    app.register(async (scope) => {
      await scope.register(turntable, {});
      scope.get('/', () => 'within');
    });
    expect((await app.inject('/')).body).toBe('within');
  });
});

describe('on the host side', () => {
  it('marks requests in every scope after validation', async () => {
    const app = Fastify();
    const prototypes = attach(app, () => undefined);
    const marks: unknown[] = [];
    const mark = (request: object): void => void marks.push(Reflect.get(request, Symbol.for('turntable.settled')));
    await app.register(async (scope) => {
      scope.addHook('preValidation', async (request) => mark(request));
      scope.get('/', (request, reply) => {
        mark(request);
        expect(Object.prototype.isPrototypeOf.call(prototypes?.[0] as object, request)).toBe(true);
        expect(Object.prototype.isPrototypeOf.call(prototypes?.[1] as object, reply)).toBe(true);
        return '';
      });
    });
    await app.inject('/');
    expect(marks).toEqual([undefined, true]);
  });

  it('returns the same prototypes for all instances, and none without classes', async () => {
    const tell = (): void => undefined;
    expect(attach(Fastify(), tell)).toEqual(attach(Fastify(), tell));
    for (const name of ['none', 'fastify.Request', 'fastify.Reply'])
      expect(attach({ [Symbol(name)]: class {} } as unknown as FastifyInstance, tell)).toBeUndefined();
  });

  it('gives each response the durability of its route, or else of the plugin', async () => {
    const levels: unknown[] = [];
    for (const durability of ['reply', 'none', undefined] as const) {
      const app = Fastify();
      attach(app, () => undefined, durability);
      const addLevel = async (_: unknown, { raw }: FastifyReply): Promise<void> =>
        void levels.push(Object.hasOwn(raw, DURABILITY) ? Reflect.get(raw, DURABILITY) : 'absent');
      app.get('/', addLevel);
      app.get('/own', { config: { durability: 'reply+fsync' } }, addLevel);
      for (const url of ['/', '/own']) await app.inject(url);
    }
    expect(levels).toEqual(['reply', 'reply+fsync', 'none', 'reply+fsync', 'absent', 'reply+fsync']);
  });

  it('makes replies of the routes that opt in wait, and no other ones', async () => {
    for (const isDefault of [true, false]) {
      const app = Fastify();
      const waiting: string[] = [];
      // Registered before the hooks.
      app.get('/early', () => 'sent');
      app.get('/early-in', { config: { flushBeforeReply: true } }, () => 'sent');
      waitBeforeReplies(app, isDefault, async () => void waiting.push('waited'));
      app.get('/default', () => 'sent');
      app.get('/in', { config: { flushBeforeReply: true } }, () => 'sent');
      app.get('/out', { config: { flushBeforeReply: false } }, () => 'sent');
      const waits: number[] = [];
      for (const url of ['/early', '/early-in', '/default', '/in', '/out', '/nowhere']) {
        waiting.length = 0;
        await app.inject(url);
        waits.push(waiting.length);
      }
      const expected = isDefault ? 1 : 0;
      expect(waits).toEqual([expected, 1, expected, 1, 0, 0]);
    }
  });

  it('does not send a reply before its wait ends, and sends the error of a failed wait', async () => {
    const app = Fastify();
    const order: string[] = [];
    let wait = Promise.withResolvers<void>();
    waitBeforeReplies(app, true, () => {
      order.push('waits');
      return wait.promise;
    });
    app.get('/', () => 'sent');
    const sent = app.inject('/').then(({ body }) => order.push(body));
    await app.inject('/nowhere');
    order.push('released');
    wait.resolve();
    await sent;
    expect(order).toEqual(['waits', 'released', 'sent']);
    wait = Promise.withResolvers();
    wait.promise.catch(() => undefined);
    wait.reject(Object.assign(new Error('disk full'), { code: 'TT_NO_SNAPSHOT' }));
    expect((await app.inject('/')).json()).toMatchObject({ statusCode: 500, code: 'TT_NO_SNAPSHOT' });
  });

  it('makes replies wait after the other hooks that reply to them', async () => {
    const app = Fastify();
    const order: string[] = [];
    waitBeforeReplies(app, true, async () => void order.push('waited'));
    app.addHook('onSend', async () => void order.push('app'));
    app.get('/', { onSend: async () => void order.push('route') }, () => 'sent');
    await app.inject('/');
    expect(order).toEqual(['app', 'route', 'waited']);
  });

  /** A handler of the program as native code gets it: a Proxy of a function. */
  const ofProgram = (handler: RouteHandlerMethod): RouteHandlerMethod => new Proxy(handler, {});

  async function reportingApp(): Promise<{ app: FastifyInstance; reports: string[] }> {
    const app = Fastify();
    const reports: string[] = [];
    attach(app, (request, status) => reports.push(`${(request as FastifyRequest).url} ${status}`));
    app.addHook('onRequest', async (request) => {
      if (!request.url.startsWith('/unmet')) Reflect.set(request, Symbol.for('turntable.met'), true);
    });
    return { app, reports };
  }

  it('reports responses that the host sends to requests that the program has met', async () => {
    const { app, reports } = await reportingApp();
    app.post(
      '/parsed',
      ofProgram(() => 'parsed'),
    );
    app.get(
      '/validated',
      { schema: { querystring: { type: 'object', required: ['page'] } } },
      ofProgram(() => ''),
    );
    app.get(
      '/wrong',
      ofProgram((_, reply) => void reply.type('text/plain').send({ no: 'text' })),
    );
    app.get(
      '/stream',
      ofProgram((_, reply) => void reply.code(206).send(Readable.from(['part']))),
    );
    app.get('/native', () => 'of a plugin');
    app.get(
      '/fails',
      ofProgram(() => Promise.reject(new Error('its own'))),
    );
    app.get('/unmet', () => 'of a plugin');
    const json = { 'content-type': 'application/json' };
    const asked: InjectOptions[] = [
      { method: 'POST', url: '/parsed', headers: json, payload: '{"a": 1' },
      { method: 'POST', url: '/parsed', headers: { 'content-type': 'application/unknown' }, payload: '?' },
      { method: 'POST', url: '/parsed', headers: json, payload: '{}' },
      { url: '/validated' },
      { url: '/validated?page=1' },
      { url: '/wrong' },
      { url: '/stream' },
      { url: '/native' },
      { url: '/nowhere' },
      { url: '/fails' },
      { url: '/unmet' },
      { url: '/unmet/nowhere' },
    ];
    const got: string[] = [];
    for (const each of asked) got.push(`${String(each.url)} ${(await app.inject(each)).statusCode}`);
    // Responses of the program, and requests that it has not met.
    const unreported = ['/parsed 200', '/validated?page=1 200', '/fails 500', '/unmet 200', '/unmet/nowhere 404'];
    expect(reports).toEqual(got.filter((each) => !unreported.includes(each)));
    expect(reports.length).toBe(got.length - unreported.length);
  });

  it('reports responses of reply decorators of every scope, whenever they are defined', async () => {
    const { app, reports } = await reportingApp();
    const page = function (this: FastifyReply, text: string): FastifyReply {
      return this.send(text);
    };
    const answer = ofProgram((_, reply) => void (reply as FastifyReply & { page: typeof page }).page('text'));
    const sent: string[] = [];
    app.get('/early', answer);
    app.decorateReply('page', page);
    app.register(async (scope) => {
      scope.decorateReply('other', page);
      scope.get('/inherited', answer);
      scope.get(
        '/own',
        ofProgram((_, reply) => void (reply as FastifyReply & { other: typeof page }).other('text')),
      );
      scope.get(
        '/program',
        ofProgram((_, reply) => void reply.send('text')),
      );
    });
    for (const url of ['/early', '/inherited', '/own', '/program']) sent.push((await app.inject(url)).body);
    expect(sent).toEqual(['text', 'text', 'text', 'text']);
    expect(reports).toEqual(['/early 200', '/inherited 200', '/own 200']);
  });

  it('leaves decorators that are not functions of plugins as they are', async () => {
    const app = Fastify();
    attach(app, () => undefined);
    const ofTheProgram = ofProgram(function (this: unknown) {
      return this;
    });
    const native = Object.assign(() => 'detached', { more: 1 });
    app.decorateReply('ofTheProgram', ofTheProgram as never);
    app.decorateReply('native', native);
    app.decorateReply('count', 3);
    app.get('/', (_, reply) => {
      const reached = reply as unknown as { ofTheProgram: unknown; native: typeof native; count: number };
      const { native: wrapped } = reached;
      return [reached.ofTheProgram === ofTheProgram, reached.count, wrapped(), wrapped.more, wrapped.name];
    });
    expect((await app.inject('/')).json()).toEqual([true, 3, 'detached', 1, native.name]);
  });

  it('reports a request as aborted when its client disconnects before the response', async () => {
    const { app, reports } = await reportingApp();
    onTestFinished(() => app.close());
    const met = Promise.withResolvers<FastifyReply['raw']>();
    app.get(
      '/left',
      ofProgram((_, reply) => (met.resolve(reply.raw), reply)),
    );
    const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
    const asked = request({ host: '127.0.0.1', port, path: '/left' }).end();
    asked.on('error', () => undefined);
    const raw = await met.promise;
    const isClosed = once(raw, 'close');
    asked.destroy();
    await isClosed;
    expect(reports).toEqual(['/left aborted']);
  });
});
