// The protocol over two streams, as between a window and the child process that it has started.
import { PassThrough } from 'node:stream';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RunIndex } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { PROTOCOL_VERSION } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { lineWire } from '../src/protocol/line-wire.ts';
import { writeTaskLogs } from './random-runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
writeTaskLogs([{ action: 'run', thread: 0, sends: 0 }], directory);

function serve(): { readonly input: PassThrough; readonly output: PassThrough; readonly closed: Promise<void> } {
  const recording = { name: 'x', from: undefined, verdict: 'same' };
  const server = new TimeMachineServer(RunIndex.read(directory), recording, '1.2.3');
  const [input, output] = [new PassThrough(), new PassThrough()];
  return { input, output, closed: server.serveStreams(input, output) };
}

test('the client at the other ends is answered until the input ends', async () => {
  const { input, output, closed } = serve();
  const client = new Client(lineWire(output, input));
  expect(await client.hello('test')).toMatchObject({ taskCount: 1 });
  const closeReason = new Promise<string>((settle) => (client.onClose = settle));
  input.end();
  await closed;
  output.end();
  expect(await closeReason).toBe('its input has ended');
  await expect(client.request('cursor', {})).rejects.toThrow('no answer: its input has ended');
});

test('messages are lines, whatever the chunks are', async () => {
  const { input, output } = serve();
  const hello = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'hello',
    params: { version: PROTOCOL_VERSION, client: 'Zoë' },
  });
  for (const byte of Buffer.from(`${hello}\n\nnonsense\n`)) input.write(Buffer.of(byte));
  const lines: string[] = [];
  for await (const chunk of output.setEncoding('utf8')) {
    lines.push(...(chunk as string).split('\n').filter(Boolean));
    if (lines.length === 2) break;
  }
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { error: { code: -32_700 } },
    { id: 1, result: { taskCount: 1 } },
  ]);
});

test('a line without an end closes the wire', async () => {
  const { input, closed } = serve();
  for (let i = 0; i < 20; i++) input.write('x'.repeat(1 << 16));
  await closed;
});
