// A Fastify service whose handlers throw a TypeError. Fastify answers with status 500.
import Fastify from 'fastify';
import { turntable } from '@turntable/fastify';

interface Order {
  readonly items: readonly string[];
}
const orders = new Map<string, Order>([['7', { items: ['tea'] }]]);

function countItems(order: Order | undefined): number {
  const { length } = (order as Order).items; // THROWS
  return length;
}

const service = Fastify();
service.register(turntable);
service.get<{ Params: { id: string } }>('/sync/:id', (request, reply) => {
  reply.send({ count: countItems(orders.get(request.params.id)) });
});
// oxlint-disable-next-line no-async-endpoint-handlers -- Fastify awaits its handlers
service.get<{ Params: { id: string } }>('/orders/:id', async (request) => {
  const order = orders.get(request.params.id);
  await Promise.resolve();
  return { count: countItems(order) };
});
const address = await service.listen({ port: 0, host: '127.0.0.1' });
for (const path of ['/orders/7', '/sync/8', '/orders/8', '/orders/7']) {
  const response = await fetch(`${address}${path}`);
  console.log(path, response.status, await response.text());
}
await service.close();
