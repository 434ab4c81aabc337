// A service, and who asks it.
import { createServer } from 'node:http';

const carts = new Map();

const server = createServer((request, response) => {
  const { method, url } = request;
  if (method === 'POST') carts.set(url, (carts.get(url) ?? 0) + 1);
  const count = carts.get(url);
  if (count === undefined) response.statusCode = 404;
  response.end(String(count));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();
const ask = async (method, path) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return `${response.status} ${await response.text()}`;
};
console.log(await ask('POST', '/carts/7'), await ask('GET', '/carts/7'), await ask('GET', '/carts/8'));
server.close();
