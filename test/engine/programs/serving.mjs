// A service with concurrent requests, an error, files and an unanswered request; and its client.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';

const waiting = [];
const bothWait = Promise.withResolvers();
const isAsked = Promise.withResolvers();
const isGone = Promise.withResolvers();

const server = createServer((request, response) => {
  const { method, url } = request;
  if (url === '/wait') {
    if (waiting.push(response) === 2) bothWait.resolve();
  } else if (url === '/go') {
    // The last one first.
    while (waiting.length > 0) {
      const last = waiting.pop();
      last.statusCode = 201 + waiting.length;
      last.end('at last');
    }
    response.end('gone');
  } else if (url === '/never') {
    response.on('close', () => isGone.resolve());
    isAsked.resolve();
  } else if (url === '/file') createReadStream(import.meta.filename).pipe(response);
  else response.writeHead(method === 'GET' ? 200 : 500).end(url);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();
const ask = async (path, options) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, options);
  await response.text();
  return response.status;
};
const both = [ask('/wait'), ask('/wait')];
await bothWait.promise;
console.log(await ask('/go'), ...(await Promise.all(both)).toSorted());
console.log(await ask('/broken', { method: 'POST' }), await ask('/file'));
const controller = new AbortController();
const never = ask('/never', { signal: controller.signal }).catch(({ name }) => name);
await isAsked.promise;
controller.abort();
console.log(await never);
await isGone.promise;
// Two at once by one connection.
const socket = connect(port, '127.0.0.1');
socket.write('GET /pipe HTTP/1.1\r\nHost: a\r\n\r\nGET /pipe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
await once(socket.resume(), 'close');
server.close();
