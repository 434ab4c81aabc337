// Child process of a lane: a service that keeps all its orders in memory.

import Fastify from 'fastify';
import { turntable } from '@turntable/fastify';

interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
}

interface Order {
  readonly id: number;
  readonly customer: string;
  readonly lines: readonly OrderLine[];
  readonly placedAt: Date;
}

const orders = new Map<number, Order>();

const service = Fastify();
service.register(turntable);
service.post<{ Body: { readonly customer: string; readonly carts: readonly (readonly OrderLine[])[] } }>(
  '/orders',
  async ({ body: { customer, carts } }) => {
    for (const lines of carts) {
      const id = orders.size + 1;
      orders.set(id, { id, customer: `${customer} ${id}`, lines, placedAt: new Date() });
    }
    return { orders: orders.size };
  },
);
console.log(`listening ${await service.listen({ port: 0, host: '127.0.0.1' })}`);
process.once('SIGTERM', () => void service.close());
