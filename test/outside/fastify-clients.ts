// Clients of the services of fixtures/with-plugin: one request after the other, so that the answers are reproducible.
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
/** Headers that are the same in every run. */
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
  // The service notices some time after the client has gone.
  for (let answer = ''; !answer.includes('aborted /aborted false');)
    answer = (await client.request({ method: 'GET', path: '/seen' })).text;
  client.close();
  return results;
}

/** Requests a stream that breaks half-way, and aborts another request. */
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

/** Reserves items concurrently. The order differs between runs, the totals do not. */
export async function exerciseShop(port: number): Promise<unknown> {
  const client = new LoadClient(port);
  const requests = Array.from({ length: 40 }, (_, i) =>
    jsonPost('/reserve', { sku: i % 4 < 2 ? 'tea' : 'rum', count: 1 }),
  );
  const answers = await Promise.all(requests.map((each) => client.request(each)));
  const stock = await client.request({ method: 'GET', path: '/stock' });
  client.close();
  const count = (status: number): number => answers.filter((each) => each.status === status).length;
  // Which of the two actors sells what depends on which connection is served first.
  const left = (JSON.parse(stock.text) as { tea: number; rum: number }[]).reduce((sum, { tea, rum }) => ({
    tea: sum.tea + tea,
    rum: sum.rum + rum,
  }));
  return [count(200), count(409), left];
}
