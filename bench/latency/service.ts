// Child process of a lane: a small service that adds up numbers.

import Fastify from 'fastify';
import { turntable } from '@turntable/fastify';

let count = 0;
const service = Fastify();
service.register(turntable);
service.get('/nothing', async () => ({ count: ++count }));
service.get('/headers', async ({ headers }) => ({ from: headers['x-from'], to: headers['x-to'] }));
service.post<{ Body: { readonly seats: number } }>('/body', async ({ body }) => ({ count: (count += body.seats) }));
console.log(`listening ${await service.listen({ port: 0, host: '127.0.0.1' })}`);
process.once('SIGTERM', () => void service.close());
