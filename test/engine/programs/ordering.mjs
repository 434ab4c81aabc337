// A service of Fastify's, with the plugin, that takes the processor for each of its requests and lets them wait for each other, and who asks it.
import { turntable } from '@turntable/fastify';
import Fastify from 'fastify';

const app = Fastify();
app.register(turntable);
const orders = new Map();
let last = Promise.resolve(0);
app.post('/orders/:id', async (request, reply) => {
  let x = Number(request.params.id);
  for (let i = 0; i < 400_000; i++) x = (x * 31 + i) % 100_003;
  const before = last;
  const { promise, resolve } = Promise.withResolvers();
  last = promise;
  await new Promise((done) => setTimeout(done, 1));
  // The body and the headers are asked for behind cuts.
  orders.set(request.params.id, { x, item: request.body.item, by: request.headers['x-by'], sum: (await before) + 1 });
  resolve(orders.size);
  reply.code(201);
  return orders.get(request.params.id);
});
await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address();
const ask = async (id) => {
  const headers = { 'content-type': 'application/json', 'x-by': `client ${id % 3}` };
  const body = JSON.stringify({ item: `item ${id}` });
  const response = await fetch(`http://127.0.0.1:${port}/orders/${id}`, { method: 'POST', headers, body });
  return (await response.json()).sum;
};
const sums = [];
for (let round = 0; round < 12; round++) sums.push(...(await Promise.all([0, 1, 2, 3].map((i) => ask(round * 4 + i)))));
console.log(sums.length, orders.size);
await app.close();
