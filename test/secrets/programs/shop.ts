// A service that receives secrets in many forms, prints them and passes them on. It knows none of them itself.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';

const database = new DatabaseSync(':memory:');
database.exec('create table users (name text, password text)');
const seen = new Map<string, unknown>();

function save(name: string, password: string): unknown {
  const sql = 'insert into users (name, password) values (?, ?)';
  console.log(`Query: ${sql} -- params: ${JSON.stringify([name, password])}`);
  database.prepare(sql).run(name, password);
  return database.prepare('select * from users where password = ?').get(password);
}

function passOn(port: number, authorization: string): Promise<string> {
  return new Promise((settle, reject) => {
    const headers = { authorization };
    request({ port, path: '/bank', headers }, (response) => void text(response).then(settle, reject))
      .on('error', reject)
      .end();
  });
}

const server = createServer((incoming, response) => {
  void (async () => {
    const body = await text(incoming);
    const { url = '', headers } = incoming;
    const { port } = server.address() as AddressInfo;
    seen.set(url, body);
    console.log(`${incoming.method} ${url} ${JSON.stringify(headers)}`);
    if (url.startsWith('/form')) console.log(body);
    if (url.startsWith('/sql')) console.log(inspect(save('ann', body)));
    if (url.startsWith('/pay')) await passOn(port, headers.authorization ?? '');
    try {
      if (url.startsWith('/fail')) throw new Error(`${(JSON.parse(body) as { token: string }).token} is unknown`);
    } catch (error) {
      console.error(error);
    }
    if (url.startsWith('/sql')) response.setHeader('set-cookie', `sid=${body}; HttpOnly`);
    response.end('ok', () => {
      if (url === '/end') server.close();
    });
  })();
});
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
