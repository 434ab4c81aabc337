// The service that is recorded: logins of its only client, each with a token, a password and a text.
import Fastify from 'fastify';

const app = Fastify();
app.post('/login', async ({ body }) => ({ ok: body.password.length > 5 }));
await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address();
for (let i = 0; i < 50; i++)
  await (
    await fetch(`http://127.0.0.1:${port}/login?n=${i}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer abcdef${i}` },
      body: JSON.stringify({ user: 'ann', password: `hunter2-${i}`, text: 'as you can see from here, '.repeat(20) }),
    })
  ).json();
await app.close();
