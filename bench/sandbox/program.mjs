// The service that is recorded: a small Fastify service and its only client.
import Fastify from 'fastify';

const app = Fastify();
app.get('/orders/:id', async ({ params }) => ({ id: params.id, at: Date.now() }));
await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address();
for (let id = 0; id < 20; id++) await (await fetch(`http://127.0.0.1:${port}/orders/${id}`)).json();
await app.close();
