// The plugin where nothing is recorded, as tests of a program have it: it is there, and does nothing. What it does otherwise is tried in
// test/outside/fastify.test.ts.
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { turntable } from '../src/index.ts';
import { attach } from '../src/outside.ts';

async function appWith(prepare: (app: FastifyInstance) => unknown = () => undefined): Promise<FastifyInstance> {
  const app = Fastify();
  await prepare(app);
  return app;
}
const withPlugin = (): Promise<FastifyInstance> => appWith(async (app) => await app.register(turntable));

describe('the plugin', () => {
  it('is known by its name, and asks for a Fastify of its time', async () => {
    const app = await withPlugin();
    expect(app.hasPlugin('@turntable/fastify')).toBe(true);
    expect(app.printPlugins()).toContain('@turntable/fastify');
  });

  it('adds no hook and no class of its own to an app that is not recorded', async () => {
    const objects: [unknown, unknown][] = [];
    const answers: unknown[] = [];
    for (const app of [await withPlugin(), await appWith()]) {
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

  it('may be registered twice, and within a plugin', async () => {
    const app = await withPlugin();
    app.register(turntable);
    app.register(async (scope) => {
      await scope.register(turntable, {});
      scope.get('/', () => 'within');
    });
    expect((await app.inject('/')).body).toBe('within');
  });
});

describe('what it does outside', () => {
  it('marks requests once they have been validated, in every scope', async () => {
    const app = Fastify();
    const prototypes = attach(app);
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

  it('has the same prototypes for all instances, and none where there are no classes', async () => {
    expect(attach(Fastify())).toEqual(attach(Fastify()));
    expect(attach({} as FastifyInstance)).toBeUndefined();
  });
});
