// The loopback port of the time machine: it serves only clients that have the address, and no message ends it.
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { RunIndex } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { writeTaskLogs } from './random-runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
writeTaskLogs([{ action: 'run', thread: 0, sends: 0 }], directory);
const runIndex = RunIndex.read(directory);

let server: TimeMachineServer;
let address: string;
beforeEach(async () => {
  server = new TimeMachineServer(runIndex, { name: 'x', from: undefined, verdict: 'same' }, '1.2.3');
  address = await server.listen(0);
});
afterEach(() => server.close());

/** HTTP status of an attempt to connect. */
async function statusOf(
  headers: Record<string, string>,
  path = new URL(address).pathname,
  port: string = new URL(address).port,
): Promise<number | undefined> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...headers,
    },
  });
  asked.end();
  const [response] = (await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])) as [IncomingMessage];
  response.socket.destroy();
  return response.statusCode;
}

test('the port is at the loopback interface, with another secret each time', async () => {
  expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
  const other = new TimeMachineServer(runIndex, { name: 'x', from: undefined, verdict: 'same' }, '1.2.3');
  expect(new URL(await other.listen(0)).pathname).not.toBe(new URL(address).pathname);
  other.close();
});

test('a client with the address is served', async () => {
  const client = await Client.connect(address);
  expect(await client.hello('test')).toMatchObject({ taskCount: 1, server: { version: '1.2.3' } });
  client.close();
});

test('requests without the secret, with another host name or from another page are refused', async () => {
  const { port, pathname } = new URL(address);
  expect(await statusOf({})).toBe(101);
  expect(await statusOf({ host: `localhost:${port}` })).toBe(101);
  expect(await statusOf({}, '/')).toBe(401);
  expect(await statusOf({}, `${pathname.slice(0, -1)}g`)).toBe(401);
  expect(await statusOf({}, `${pathname}0`)).toBe(401);
  expect(await statusOf({ host: 'localhost:1' })).toBe(403);
  expect(await statusOf({ host: `evil.example:${port}` })).toBe(403);
  expect(await statusOf({ host: `127.0.0.1.evil.example:${port}` })).toBe(403);
  expect(await statusOf({ origin: 'http://evil.example' })).toBe(403);
  expect(await statusOf({ origin: `http://127.0.0.1:${port}` })).toBe(403);
  await expect(Client.connect(address.slice(0, -1))).rejects.toThrow('connection refused');
});

test('an invalid message ends its connection and no other one', async () => {
  const client = await Client.connect(address);
  await client.hello('stays');
  const closings = ['x'.repeat((1 << 20) + 1), new Uint8Array([1, 2, 3])].map(async (data) => {
    const socket = new WebSocket(address);
    await once(socket, 'open');
    socket.send(data);
    const [{ code }] = (await once(socket, 'close')) as [CloseEvent];
    return code;
  });
  expect(await Promise.all(closings)).toEqual([1009, 1003]);
  const odd = new WebSocket(address);
  await once(odd, 'open');
  odd.send('x'.repeat(1000));
  const [{ data }] = (await once(odd, 'message')) as [MessageEvent];
  expect(JSON.parse(String(data))).toMatchObject({ id: null, error: { code: -32_700 } });
  odd.close();
  expect((await client.request('cursor', {})).order).toBe(1);
  client.close();
});

test('clients are notified when the server shuts down', async () => {
  const client = await Client.connect(address);
  await client.hello('test');
  const closed = new Promise<string>((settle) => (client.onClose = settle));
  server.close();
  expect(await closed).toBe('the server shuts down');
  await expect(client.request('cursor', {})).rejects.toThrow('no answer: the server shuts down');
});

test('a request for a page explains the port', async () => {
  const { port } = new URL(address);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.status).toBe(426);
  expect(await response.text()).toMatch(/turntable debug --connect/);
});

test('a page is served under the loopback name, and may connect with the secret', async () => {
  const other = new TimeMachineServer(runIndex, { name: 'x', from: undefined, verdict: 'same' }, '1.2.3');
  const file = { type: 'text/html', body: Buffer.from('<p>here</p>') };
  const { host, port, pathname } = new URL(await other.listen(0, new Map([['/', file]])));
  const page = await fetch(`http://${host}/?from=somewhere`);
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([200, 'text/html', '<p>here</p>']);
  expect(page.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws://${host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect((await fetch(`http://${host}/../package.json`)).status).toBe(404);
  expect((await fetch(`http://${host}/`, { method: 'POST' })).status).toBe(405);
  expect(await statusOf({ host, origin: `http://${host}` }, pathname, port)).toBe(101);
  expect(await statusOf({ host, origin: `http://${host}` }, '/', port)).toBe(401);
  expect(await statusOf({ host, origin: 'http://evil.example' }, pathname, port)).toBe(403);
  expect(await statusOf({ host: `evil.example:${port}`, origin: `http://evil.example:${port}` }, pathname, port)).toBe(
    403,
  );
  expect(await statusOf({ host, origin: `https://${host}` }, pathname, port)).toBe(403);
  expect(await statusOf({ host, origin: 'null' }, pathname, port)).toBe(403);
  await other.close();
});
