// Routes of the service, by the parts of a request that they read.

export interface Route {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const LARGE = 100_000;

export const ROUTES: readonly Route[] = [
  { name: 'nothing read', method: 'GET', path: '/nothing' },
  {
    name: 'a JSON body',
    method: 'POST',
    path: '/body',
    headers: JSON_TYPE,
    body: JSON.stringify({ from: 'FRA', to: 'SYD', seats: 2, names: ['Ada', 'Grace'] }),
  },
  { name: 'headers', method: 'GET', path: '/headers', headers: { 'x-from': 'FRA', 'x-to': 'SYD' } },
  {
    name: 'a body of 100 KB',
    method: 'POST',
    path: '/body',
    headers: JSON_TYPE,
    body: JSON.stringify({ seats: 2, text: 'x'.repeat(LARGE) }),
  },
];
