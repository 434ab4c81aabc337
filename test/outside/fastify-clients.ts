// Who asks the services of fixtures/with-plugin, one request after the other, so that what is answered is the same each time.
import { request } from 'node:http';
import { LoadClient, type HttpRequest } from './load.ts';

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
const jsonPost = (path: string, body: unknown): HttpRequest => ({
  method: 'POST',
  path,
  type: 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const POSTS: readonly HttpRequest[] = [
  jsonPost('/coerced/7?page=3', { count: '12' }),
  jsonPost('/coerced/x?page=3', { count: 1 }),
  jsonPost('/coerced/7?page=3', {}),
  jsonPost('/coerced/7?page=3', '{"count": 1'),
  jsonPost('/body-replaced', { a: [1, 2] }),
  { method: 'POST', path: '/scope/up', type: 'application/stream', body: 'stream '.repeat(30_000) },
  { method: 'POST', path: '/coerced/7?page=1', type: 'application/unknown', body: '?' },
];
/** What a client sees that is the same each time. */
const STABLE_HEADERS = [
  'content-type',
  'content-length',
  'location',
  'x-hello',
  'x-one',
  'x-two',
  'set-cookie',
  'connection',
];

export async function exerciseBehaviour(port: number): Promise<unknown> {
  const client = new LoadClient(port);
  const results: unknown[] = [];
  const exercise = async (request: HttpRequest): Promise<void> => {
    const { status, text, headers } = await client.request(request);
    results.push([request.path, status, text, ...STABLE_HEADERS.map((name) => headers[name])]);
  };
  for (const path of PATHS) await exercise({ method: 'GET', path });
  await exercise({ method: 'HEAD', path: '/sync' });
  await exercise({ method: 'GET', path: '/cookies', headers: { cookie: 'tasted=4; other=b' } });
  for (const post of POSTS) await exercise(post);
  results.push(await abortedRequests(port));
  // The service sees it go some time after the client has gone.
  for (let answer = ''; !answer.includes('aborted /aborted false');)
    answer = (await client.request({ method: 'GET', path: '/seen' })).text;
  client.close();
  return results;
}

/** A stream that breaks in the midst, and a request that its client gives up. */
async function abortedRequests(port: number): Promise<unknown> {
  const resultOf = (path: string, act: (sent: ReturnType<typeof request>) => void): Promise<string> =>
    new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port, path }, (response) => {
        response.resume().on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
        response.on('end', () => resolve('ended'));
      });
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      sent.end();
      act(sent);
    });
  const broken = await resultOf('/down-broken', () => undefined);
  const client = new LoadClient(port);
  const aborted = resultOf('/aborted', async (sent) => {
    for (let text = ''; !text.includes('waiting');)
      text = (await client.request({ method: 'GET', path: '/seen' })).text;
    sent.destroy();
  });
  const code = await aborted;
  client.close();
  return [broken, code];
}

/** What is reserved together is reserved in any order; how much of it is the same each time. */
export async function exerciseShop(port: number): Promise<unknown> {
  const client = new LoadClient(port);
  const requests = Array.from({ length: 40 }, (_, i) =>
    jsonPost('/reserve', { sku: i % 4 < 2 ? 'tea' : 'rum', count: 1 }),
  );
  const answers = await Promise.all(requests.map((each) => client.request(each)));
  const stock = await client.request({ method: 'GET', path: '/stock' });
  client.close();
  const count = (status: number): number => answers.filter((each) => each.status === status).length;
  // Who of the two is asked for which depends on whose connection is heard first.
  const left = (JSON.parse(stock.text) as { tea: number; rum: number }[]).reduce((sum, { tea, rum }) => ({
    tea: sum.tea + tea,
    rum: sum.rum + rum,
  }));
  return [count(200), count(409), left];
}
