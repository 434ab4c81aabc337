// Services on loopback that are unchanged except for how they are started.
import { describe, expect, it } from 'vitest';
import { comparableOutcome, createProgram, runNative, runTransformed } from './running.ts';

const CLIENT_SOURCE = `async function ask(port, requests) { for (const [path, init] of requests) {
    const answer = await fetch('http://127.0.0.1:' + port + path, init); console.log(path, answer.status, answer.headers.get('content-type'), await answer.text()); } }
  const json = (body) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });`;

const SERVICE_PROGRAMS = {
  Fastify: {
    'main.mjs': `import Fastify from 'fastify'; ${CLIENT_SOURCE}
      class Inventory { #stock = new Map(); add(sku, n) { this.#stock.set(sku, (this.#stock.get(sku) ?? 0) + n); return this; } async reserve(sku, n) { await null; const left = (this.#stock.get(sku) ?? 0) - n; if (left < 0) throw Object.assign(new Error('sold out'), { statusCode: 409 }); this.#stock.set(sku, left); return { sku, left }; } }
      const inventory = new Inventory().add('a', 2); const app = Fastify();
      app.register(async (scope) => { scope.addHook('onRequest', async (req) => { req.startedAt = 1; }); scope.get('/item/:id', async (req) => ({ id: req.params.id, q: req.query.q, hooked: req.startedAt })); }, { prefix: '/v1' });
      app.post('/reserve', { schema: { body: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' }, n: { type: 'integer', default: 1 } } } } }, async (req, reply) => { reply.code(201); return inventory.reserve(req.body.sku, req.body.n); });
      app.get('/fails', async () => { throw new TypeError('inside'); }); app.get('/callback', (req, reply) => { setTimeout(() => reply.send({ late: true })); });
      await app.listen({ port: 0, host: '127.0.0.1' });
      await ask(app.server.address().port, [['/v1/item/7?q=x'], ['/reserve', json({ sku: 'a' })], ['/reserve', json({ sku: 'a', n: 5 })], ['/reserve', json({})], ['/fails'], ['/callback'], ['/nowhere']]);
      const injected = await app.inject('/v1/item/8'); console.log(injected.json()); await app.close(); console.log('closed');`,
  },
  Express: {
    'main.cjs': `const express = require('express'); ${CLIENT_SOURCE} const app = express(); app.use(express.json());
      app.use((req, res, next) => { req.started = 1; next(); }); const router = express.Router(); router.get('/:id', async (req, res) => { await null; res.json({ id: req.params.id, q: req.query, started: req.started }); });
      app.use('/item', router); app.post('/echo', (req, res) => res.status(201).send({ got: req.body })); app.get('/fails', async () => { throw new Error('async'); }); app.get('/throws', () => { throw new RangeError('sync'); });
      app.use((err, req, res, next) => res.status(500).json({ name: err.name, message: err.message }));
      const server = app.listen(0, '127.0.0.1', async () => { await ask(server.address().port, [['/item/7?a=1&a=2'], ['/echo', json({ n: [1] })], ['/fails'], ['/throws'], ['/nowhere']]); server.close(() => console.log('closed')); });`,
  },
} as const;

describe.concurrent('a service', () => {
  for (const [name, files] of Object.entries(SERVICE_PROGRAMS)) {
    it(`of ${name} answers as it does natively`, async ({ onTestFinished }) => {
      const directory = createProgram(files, onTestFinished);
      const entryFile = Object.keys(files)[0] as string;
      const [native, transformed] = await Promise.all([
        runNative(directory, entryFile),
        runTransformed(directory, entryFile),
      ]);
      expect(native.stdout.split('\n').length).toBeGreaterThan(5);
      expect({ ...comparableOutcome(transformed), stderr: transformed.stderr }).toEqual({
        ...comparableOutcome(native),
        stderr: native.stderr,
      });
    });
  }
});
