// The control socket of a recorded process answers any JSON-RPC client: each response has the id of its request.
import { createConnection } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CONTROL_ERRORS } from '../src/control/control-protocol.ts';
import { ControlServer } from '../src/control/control-server.ts';
import { listSockets } from '../src/control/service-directories.ts';
import { temporaryDirectory } from './recording.ts';

async function exchange(lines: readonly string[]): Promise<unknown[]> {
  const directory = temporaryDirectory();
  const server = new ControlServer((method) =>
    method === 'status' ? Promise.resolve({ method }) : Promise.reject(new Error('not now')),
  );
  await server.open([directory]);
  onTestFinished(() => server.close());
  const [found] = listSockets(directory);
  const socket = createConnection(found!.path).setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  socket.write(lines.map((line) => `${line}\n`).join(''));
  let received = '';
  for await (const chunk of socket as AsyncIterable<string>) {
    received += chunk;
    if (received.split('\n').length > lines.length) break;
  }
  return received
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const request = (id: unknown, method: string): string => JSON.stringify({ jsonrpc: '2.0', id, method });

test('a result and a refusal have the id of their request', async () => {
  expect(await exchange([request(7, 'status'), request(8, 'snapshot'), request(9, 'unknown')])).toEqual([
    { jsonrpc: '2.0', id: 7, result: { method: 'status' } },
    { jsonrpc: '2.0', id: 8, error: { code: CONTROL_ERRORS.refused, message: 'not now' } },
    { jsonrpc: '2.0', id: 9, error: { code: CONTROL_ERRORS.method, message: expect.stringContaining('status') } },
  ]);
});

test('an error of a message without a valid id has the id null', async () => {
  expect(await exchange(['{', '[]', request('one', 'status')])).toMatchObject([
    { id: null, error: { code: CONTROL_ERRORS.parse } },
    { id: null, error: { code: CONTROL_ERRORS.request } },
    { id: null, error: { code: CONTROL_ERRORS.request } },
  ]);
});
