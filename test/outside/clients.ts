// Clients of each service and their expected results. Requests that all services answer are in load.ts; requests of one
// service are here.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { LoadClient, type HttpResponse } from './load.ts';

const post = (path: string, value: unknown): Parameters<LoadClient['request']>[0] => ({
  method: 'POST',
  path,
  type: 'application/json',
  body: JSON.stringify(value),
});
const get = (path: string): Parameters<LoadClient['request']>[0] => ({ method: 'GET', path });
const statusAndBody = ({ status, text }: HttpResponse): [number, unknown] => [status, JSON.parse(text)];

/**
 * Sends requests in a fixed order, so that the answers are reproducible. `writeInput` writes to the service's stdin.
 */
export type ServiceExercise = (port: number, writeInput: (text: string) => void) => Promise<unknown>;

export const exerciseSql: ServiceExercise = async (port) => {
  const client = new LoadClient(port);
  const results: unknown[] = [];
  for (const [owner, balance] of [
    ['Ada King', 10],
    ['Grace M Hopper', 20],
    ['Ada King', 5],
  ])
    results.push(statusAndBody(await client.request(post('/accounts', { owner, balance }))));
  for (const amount of [7, 4, 1])
    results.push(statusAndBody(await client.request(post('/transfers', { source: 1, target: 2, amount }))));
  const many = Array.from({ length: 40 }, (_, i) => post('/accounts', { owner: `owner ${i}`, balance: i }));
  const made = await Promise.all(many.map((each) => client.request(each)));
  results.push(made.filter(({ status }) => status === 201).length);
  for (const path of ['/accounts?id=1', '/accounts?id=2', '/accounts?id=99', '/sum'])
    results.push(statusAndBody(await client.request(get(path))));
  results.push((JSON.parse((await client.request(get('/accounts'))).text) as unknown[]).length);
  client.close();
  return results;
};

export const exercisePg: ServiceExercise = async (port) => {
  const client = new LoadClient(port);
  const results: unknown[] = [statusAndBody(await client.request(get('/items')))];
  for (const [id, count] of [
    [1, 2],
    [2, 4],
    [2, 4],
  ])
    results.push(statusAndBody(await client.request(post('/take', { id, count }))));
  for (const path of ['/items/2', '/items/9', '/broken']) results.push(statusAndBody(await client.request(get(path))));
  const many = await Promise.all(Array.from({ length: 30 }, (_, i) => client.request(get(`/items/${(i % 3) + 1}`))));
  results.push(many.map(({ text }) => (JSON.parse(text) as { name: string }).name).join());
  client.close();
  return results;
};

export const exerciseQueue: ServiceExercise = async (port) => {
  const client = new LoadClient(port);
  const texts = Array.from({ length: 30 }, (_, i) => (i % 10 === 3 ? `twice ${i}` : `once ${i}`));
  const sent = await Promise.all(texts.map((text) => client.request(post('/jobs', { text }))));
  const ids = sent.map(({ text }) => (JSON.parse(text) as { id: string }).id);
  const results: unknown[] = [];
  for (const id of ids) {
    let answer;
    do answer = await client.request(get(`/jobs?id=${id}`));
    while (answer.status === 404);
    results.push(JSON.parse(answer.text));
  }
  const urgent = await Promise.all(['a', 'bb', 'ccc'].map((text) => client.request(get(`/urgent?text=${text}`))));
  const wrong = await client.request(get('/wrong'));
  client.close();
  return [new Set(ids).size, results, urgent.map(statusAndBody), statusAndBody(wrong)];
};

/** Three of Node's own WebSockets. */
export const exerciseChat: ServiceExercise = async (port) => {
  const url = (path: string): string => `ws://127.0.0.1:${port}${path}`;
  const received: Record<string, unknown[]> = { ada: [], bob: [], eve: [] };
  const enter = async (name: string, room: string): Promise<WebSocket> => {
    const socket = new WebSocket(url(`/${room}?name=${name}`));
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      received[name]?.push(
        typeof data === 'string' ? JSON.parse(data) : [...new Uint8Array(data as ArrayBuffer).subarray(0, 3)],
      );
      for (const wake of waiting.splice(0)) wake();
    });
    await until(() => (received[name] ?? []).length > 0);
    return socket;
  };
  const waiting: (() => void)[] = [];
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const ada = await enter('ada', 'red');
  const bob = await enter('bob', 'red');
  const eve = await enter('eve', 'blue');
  await until(() => received['ada']?.length === 2);
  ada.send('hello');
  await until(() => received['ada']?.length === 3 && received['bob']?.length === 2);
  bob.send('long '.repeat(500));
  await until(() => received['ada']?.length === 4 && received['bob']?.length === 3);
  eve.send(new Uint8Array([1, 2, 3]));
  await until(() => received['eve']?.length === 2);
  const refused = await new Promise((resolve) => {
    new WebSocket(url('/red')).addEventListener('error', ({ type }) => resolve(type));
  });
  bob.close(3001, 'enough');
  await until(() => received['ada']?.length === 5);
  return { received, refused };
};

/** HTTP/1.1 clients over two connections, and an HTTP/2 client over one. */
export const exerciseSecure: ServiceExercise = async (port, writeInput) => {
  const results: unknown[] = [];
  const agent = new https.Agent({ keepAlive: true, maxSockets: 2, rejectUnauthorized: false });
  const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const pushed: Promise<unknown>[] = [];
  session.on('stream', (stream, { ':path': path }) => pushed.push(text(stream).then((all) => [path, all])));
  const overHttp1 = async (method: string, path: string, body = ''): Promise<[unknown, string]> => {
    const request = https.request({ host: '127.0.0.1', port, agent, method, path }).end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return [answer.statusCode, await text(answer)];
  };
  const overHttp2 = async (method: string, path: string, body = ''): Promise<[unknown, string]> => {
    const request = session.request({ ':method': method, ':path': path }, { endStream: body === '' });
    if (body !== '') request.end(body);
    const [head] = (await once(request, 'response')) as [http2.IncomingHttpHeaders];
    return [head[':status'], await text(request)];
  };
  results.push(await overHttp1('GET', '/stock'), await overHttp2('GET', '/stock'));
  writeInput('tea 5\nrum ');
  writeInput('2\n');
  while (!(await overHttp1('GET', '/stock'))[1].includes('rum'));
  const requests = Array.from({ length: 40 }, (_, i) =>
    (i % 2 === 0 ? overHttp1 : overHttp2)(
      'POST',
      '/take',
      JSON.stringify({ name: i % 8 === 0 ? 'rum' : 'tea', count: 1 }),
    ),
  );
  const taken = await Promise.all(requests);
  results.push(
    Object.entries(Object.groupBy(taken, ([status]) => String(status))).map(([status, entries = []]) => [
      status,
      entries.length,
    ]),
  );
  const long = 'long '.repeat(20_000);
  const echoed = await Promise.all(
    [overHttp1, overHttp2, overHttp1, overHttp2].map((send) => send('POST', '/echo', long)),
  );
  results.push(echoed.map(([status, all]) => [status, all === long]));
  results.push(await overHttp2('GET', '/push'), await Promise.all(pushed), await overHttp2('POST', '/take', '{'));
  const never = session.request({ ':path': '/never' });
  await overHttp2('GET', '/stock');
  never.close(http2.constants.NGHTTP2_CANCEL);
  results.push(await overHttp1('GET', '/stock'));
  agent.destroy();
  await new Promise<void>((resolve) => session.close(resolve));
  return results;
};
