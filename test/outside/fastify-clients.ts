// Who asks the services of fixtures/with-plugin, one request after the other, so that what is answered is the same each time.
import { request } from 'node:http';
import { Client, type Asked } from './load.ts';

const PATHS = [
  '/same?name=ada',
  '/hello?name=bob',
  '/hello',
  '/view',
  '/view-later',
  '/view-returned',
  '/sync',
  '/text',
  '/nothing',
  '/returned',
  '/later',
  '/awaited',
  '/elsewhere',
  '/serialized',
  '/replaced',
  '/class',
  '/class',
  '/bytes',
  '/schema',
  '/broken',
  '/throws',
  '/rejects',
  '/sends-error',
  '/wrong-code',
  '/hijacked',
  '/down',
  '/cookies',
  '/missing',
  '/nowhere',
  '/scope/fails',
  '/outside-of-it',
];
const json = (path: string, body: unknown): Asked => ({
  method: 'POST',
  path,
  type: 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const POSTS: readonly Asked[] = [
  json('/coerced/7?page=3', { count: '12' }),
  json('/coerced/x?page=3', { count: 1 }),
  json('/coerced/7?page=3', {}),
  json('/coerced/7?page=3', '{"count": 1'),
  json('/body-replaced', { a: [1, 2] }),
  { method: 'POST', path: '/scope/up', type: 'application/stream', body: 'stream '.repeat(30_000) },
  { method: 'POST', path: '/coerced/7?page=1', type: 'application/unknown', body: '?' },
];
/** What a client sees that is the same each time. */
const LASTING = ['content-type', 'content-length', 'location', 'x-hello', 'x-one', 'x-two', 'set-cookie', 'connection'];

export async function behaviour(port: number): Promise<unknown> {
  const client = new Client(port);
  const found: unknown[] = [];
  const ask = async (asked: Asked): Promise<void> => {
    const { status, text, headers } = await client.ask(asked);
    found.push([asked.path, status, text, ...LASTING.map((name) => headers[name])]);
  };
  for (const path of PATHS) await ask({ method: 'GET', path });
  await ask({ method: 'HEAD', path: '/sync' });
  await ask({ method: 'GET', path: '/cookies', headers: { cookie: 'tasted=4; other=b' } });
  for (const post of POSTS) await ask(post);
  found.push(await brokenOff(port));
  // The service sees it go some time after the client has gone.
  for (let answer = ''; !answer.includes('aborted /aborted false');)
    answer = (await client.ask({ method: 'GET', path: '/seen' })).text;
  client.hangUp();
  return found;
}

/** A stream that breaks in the midst, and a request that its client gives up. */
async function brokenOff(port: number): Promise<unknown> {
  const ended = (path: string, act: (sent: ReturnType<typeof request>) => void): Promise<string> =>
    new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port, path }, (response) => {
        response.resume().on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
        response.on('end', () => resolve('ended'));
      });
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      sent.end();
      act(sent);
    });
  const broken = await ended('/down-broken', () => undefined);
  const client = new Client(port);
  const givenUp = ended('/aborted', async (sent) => {
    for (let text = ''; !text.includes('waiting');) text = (await client.ask({ method: 'GET', path: '/seen' })).text;
    sent.destroy();
  });
  const code = await givenUp;
  client.hangUp();
  return [broken, code];
}

/** What is reserved together is reserved in any order; how much of it is the same each time. */
export async function shop(port: number): Promise<unknown> {
  const client = new Client(port);
  const asked = Array.from({ length: 40 }, (_, i) => json('/reserve', { sku: i % 4 < 2 ? 'tea' : 'rum', count: 1 }));
  const answers = await Promise.all(asked.map((each) => client.ask(each)));
  const stock = await client.ask({ method: 'GET', path: '/stock' });
  client.hangUp();
  const count = (status: number): number => answers.filter((each) => each.status === status).length;
  // Who of the two is asked for which depends on whose connection is heard first.
  const left = (JSON.parse(stock.text) as { tea: number; rum: number }[]).reduce((sum, { tea, rum }) => ({
    tea: sum.tea + tea,
    rum: sum.rum + rum,
  }));
  return [count(200), count(409), left];
}
