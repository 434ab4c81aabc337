// A web service, and 400 visitors who log in and out, one after the other.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { login, logout } from './sessions.ts';

const server = createServer((request, response) => {
  const session = login(request.url!.slice(1));
  response.end(`hello ${session.user}\n`, () => logout(session));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const { port } = server.address() as AddressInfo;
for (let i = 1; i <= 400; i++) await (await fetch(`http://127.0.0.1:${port}/user-${i}`)).text();
console.log('400 visitors have logged in and out');
server.close();
