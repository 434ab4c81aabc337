// What the clients of each service do, and what must come of it: the ones in load.ts ask for the same everywhere, those here for what one service has.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { Client, type Answered } from './load.ts';

const post = (path: string, value: unknown): Parameters<Client['ask']>[0] => ({
  method: 'POST',
  path,
  type: 'application/json',
  body: JSON.stringify(value),
});
const get = (path: string): Parameters<Client['ask']>[0] => ({ method: 'GET', path });
const said = ({ status, text }: Answered): [number, unknown] => [status, JSON.parse(text)];

/** Both have an order of their own, so that what they answer is the same each time. `say`: by standard input. */
export type Exchange = (port: number, say: (text: string) => void) => Promise<unknown>;

export const sql: Exchange = async (port) => {
  const client = new Client(port);
  const found: unknown[] = [];
  for (const [owner, balance] of [
    ['Ada King', 10],
    ['Grace M Hopper', 20],
    ['Ada King', 5],
  ])
    found.push(said(await client.ask(post('/accounts', { owner, balance }))));
  for (const amount of [7, 4, 1])
    found.push(said(await client.ask(post('/transfers', { source: 1, target: 2, amount }))));
  const many = Array.from({ length: 40 }, (_, i) => post('/accounts', { owner: `owner ${i}`, balance: i }));
  const made = await Promise.all(many.map((each) => client.ask(each)));
  found.push(made.filter(({ status }) => status === 201).length);
  for (const path of ['/accounts?id=1', '/accounts?id=2', '/accounts?id=99', '/sum'])
    found.push(said(await client.ask(get(path))));
  found.push((JSON.parse((await client.ask(get('/accounts'))).text) as unknown[]).length);
  client.hangUp();
  return found;
};

export const pg: Exchange = async (port) => {
  const client = new Client(port);
  const found: unknown[] = [said(await client.ask(get('/items')))];
  for (const [id, count] of [
    [1, 2],
    [2, 4],
    [2, 4],
  ])
    found.push(said(await client.ask(post('/take', { id, count }))));
  for (const path of ['/items/2', '/items/9', '/broken']) found.push(said(await client.ask(get(path))));
  const many = await Promise.all(Array.from({ length: 30 }, (_, i) => client.ask(get(`/items/${(i % 3) + 1}`))));
  found.push(many.map(({ text }) => (JSON.parse(text) as { name: string }).name).join());
  client.hangUp();
  return found;
};

export const queue: Exchange = async (port) => {
  const client = new Client(port);
  const texts = Array.from({ length: 30 }, (_, i) => (i % 10 === 3 ? `twice ${i}` : `once ${i}`));
  const sent = await Promise.all(texts.map((text) => client.ask(post('/jobs', { text }))));
  const ids = sent.map(({ text }) => (JSON.parse(text) as { id: string }).id);
  const results: unknown[] = [];
  for (const id of ids) {
    let answer;
    do answer = await client.ask(get(`/jobs?id=${id}`));
    while (answer.status === 404);
    results.push(JSON.parse(answer.text));
  }
  const urgent = await Promise.all(['a', 'bb', 'ccc'].map((text) => client.ask(get(`/urgent?text=${text}`))));
  const wrong = await client.ask(get('/wrong'));
  client.hangUp();
  return [new Set(ids).size, results, urgent.map(said), said(wrong)];
};

/** Node's own WebSocket, three of them. */
export const chat: Exchange = async (port) => {
  const url = (path: string): string => `ws://127.0.0.1:${port}${path}`;
  const heard: Record<string, unknown[]> = { ada: [], bob: [], eve: [] };
  const enter = async (name: string, room: string): Promise<WebSocket> => {
    const socket = new WebSocket(url(`/${room}?name=${name}`));
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      heard[name]?.push(
        typeof data === 'string' ? JSON.parse(data) : [...new Uint8Array(data as ArrayBuffer).subarray(0, 3)],
      );
      for (const wake of waiting.splice(0)) wake();
    });
    await until(() => (heard[name] ?? []).length > 0);
    return socket;
  };
  const waiting: (() => void)[] = [];
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const ada = await enter('ada', 'red');
  const bob = await enter('bob', 'red');
  const eve = await enter('eve', 'blue');
  await until(() => heard['ada']?.length === 2);
  ada.send('hello');
  await until(() => heard['ada']?.length === 3 && heard['bob']?.length === 2);
  bob.send('long '.repeat(500));
  await until(() => heard['ada']?.length === 4 && heard['bob']?.length === 3);
  eve.send(new Uint8Array([1, 2, 3]));
  await until(() => heard['eve']?.length === 2);
  const refused = await new Promise((resolve) => {
    new WebSocket(url('/red')).addEventListener('error', ({ type }) => resolve(type));
  });
  bob.close(3001, 'enough');
  await until(() => heard['ada']?.length === 5);
  return { heard, refused };
};

/** Clients of HTTP/1.1, over two connections, and of HTTP/2, over one. */
export const secure: Exchange = async (port, say) => {
  const found: unknown[] = [];
  const agent = new https.Agent({ keepAlive: true, maxSockets: 2, rejectUnauthorized: false });
  const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const pushed: Promise<unknown>[] = [];
  session.on('stream', (stream, { ':path': path }) => pushed.push(text(stream).then((all) => [path, all])));
  const one = async (method: string, path: string, body = ''): Promise<[unknown, string]> => {
    const asked = https.request({ host: '127.0.0.1', port, agent, method, path }).end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return [answer.statusCode, await text(answer)];
  };
  const two = async (method: string, path: string, body = ''): Promise<[unknown, string]> => {
    const asked = session.request({ ':method': method, ':path': path }, { endStream: body === '' });
    if (body !== '') asked.end(body);
    const [head] = (await once(asked, 'response')) as [http2.IncomingHttpHeaders];
    return [head[':status'], await text(asked)];
  };
  found.push(await one('GET', '/stock'), await two('GET', '/stock'));
  say('tea 5\nrum ');
  say('2\n');
  while (!(await one('GET', '/stock'))[1].includes('rum'));
  const wishes = Array.from({ length: 40 }, (_, i) =>
    (i % 2 === 0 ? one : two)('POST', '/take', JSON.stringify({ name: i % 8 === 0 ? 'rum' : 'tea', count: 1 })),
  );
  const taken = await Promise.all(wishes);
  found.push(
    Object.entries(Object.groupBy(taken, ([status]) => String(status))).map(([status, those = []]) => [
      status,
      those.length,
    ]),
  );
  const long = 'long '.repeat(20_000);
  const echoed = await Promise.all([one, two, one, two].map((ask) => ask('POST', '/echo', long)));
  found.push(echoed.map(([status, all]) => [status, all === long]));
  found.push(await two('GET', '/push'), await Promise.all(pushed), await two('POST', '/take', '{'));
  const never = session.request({ ':path': '/never' });
  await two('GET', '/stock');
  never.close(http2.constants.NGHTTP2_CANCEL);
  found.push(await one('GET', '/stock'));
  agent.destroy();
  await new Promise<void>((resolve) => session.close(resolve));
  return found;
};
