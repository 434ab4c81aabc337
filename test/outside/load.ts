// Requests that all services of fixtures/services answer, over eight kept connections in a fixed order, with checks of
// the answers. Some answers depend on which request came first; their counts do not.
import { Agent, request } from 'node:http';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

const order = (sku: unknown, count: unknown): HttpRequest => ({
  method: 'POST',
  path: '/orders',
  type: 'application/json',
  body: JSON.stringify({ sku, count }),
});
const get = (path: string): HttpRequest => ({ method: 'GET', path });

/** Request number `i`, of ten kinds in turn. */
function requestAt(i: number): HttpRequest {
  switch (i % 10) {
    case 0:
      return get(`/hello?name=n${i}`);
    case 1:
      return order('tea', 2);
    case 2:
      return order('rum', 3);
    case 3:
      return order(undefined, 'many');
    case 4:
      return get('/boom');
    case 5:
      return get(`/slow?ms=${i % 4}`);
    case 6:
      return get('/stream');
    case 7:
      return { method: 'POST', path: '/echo', type: 'text/plain', body: `echo ${i} `.repeat(i % 7 === 0 ? 9_000 : 3) };
    case 8:
      return get('/static/hello.txt');
    default:
      return get('/orders/9999');
  }
}

export class LoadClient {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(port: number) {
    this.#port = port;
  }

  request(httpRequest: HttpRequest): Promise<HttpResponse> {
    const { method, path, body, type, headers = {} } = httpRequest;
    return new Promise((resolve, reject) => {
      const clientRequest = request({
        host: '127.0.0.1',
        port: this.#port,
        method,
        path,
        agent: this.#agent,
        headers: {
          'user-agent': 'load',
          ...headers,
          ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
        },
      });
      clientRequest.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      });
      clientRequest.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection may be closed for idleness while a request is in flight.
        if (clientRequest.reusedSocket && error.code === 'ECONNRESET') resolve(this.request(httpRequest));
        else reject(error);
      });
      clientRequest.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Sends requests to a service and returns the problems with its answers. */
export async function loadProblems(port: number, count: number): Promise<string[]> {
  const client = new LoadClient(port);
  const requests = Array.from({ length: count }, (_, i) => requestAt(i));
  const answers = await Promise.all(requests.map((each) => client.request(each)));
  const first = await client.request(get('/orders/1'));
  client.close();
  const problems: string[] = [];
  const check = (isOk: boolean, i: number): void => {
    const answer = answers[i];
    if (!isOk)
      problems.push(`${requests[i]?.method} ${requests[i]?.path}: ${answer?.status} ${answer?.text.slice(0, 200)}`);
  };
  const sold = { '/orders tea': 0, '/orders rum': 0 };
  for (const [i, { status, text, headers }] of answers.entries()) {
    switch (i % 10) {
      case 0:
        check(status === 200 && (JSON.parse(text) as { hello: string }).hello === `n${i}`, i);
        break;
      case 1:
      case 2:
        if (status === 201) sold[`/orders ${i % 10 === 1 ? 'tea' : 'rum'}`]++;
        else check(status === 409, i);
        break;
      case 3:
        check(status === 400, i);
        break;
      case 4:
        check(status === 500 && (JSON.parse(text) as { error: string }).error === 'boom', i);
        break;
      case 5:
        check(status === 200 && (JSON.parse(text) as { slept: number }).slept === i % 4, i);
        break;
      case 6:
        check(status === 200 && text === 'part 0\npart 1\npart 2\npart 3\n', i);
        break;
      case 7:
        check(status === 200 && text === requests[i]?.body?.toUpperCase(), i);
        break;
      case 8:
        check(
          status === 200 &&
            text === 'hello from a file\n' &&
            String(headers['content-type'] ?? 'text').includes('text'),
          i,
        );
        break;
      default:
        check(status === 404, i);
    }
  }
  const each = Math.ceil(count / 10);
  const expected = { '/orders tea': Math.min(each, 15), '/orders rum': Math.min(each, 1) };
  if (JSON.stringify(sold) !== JSON.stringify(expected)) problems.push(`sold ${JSON.stringify(sold)}`);
  if (first.status !== 200) problems.push(`GET /orders/1: ${first.status} ${first.text}`);
  return problems;
}
