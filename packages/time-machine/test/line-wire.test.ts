// The protocol by two streams, as between a window and the process that it has started.
import { PassThrough } from 'node:stream';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Survey } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { lineWire } from '../src/protocol/line-wire.ts';
import { run } from './random-runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
run([{ what: 'run', thread: 0, sends: 0 }], directory);

function served(): { readonly input: PassThrough; readonly output: PassThrough; readonly over: Promise<void> } {
  const recording = { name: 'x', from: undefined, verdict: 'same' };
  const server = new TimeMachineServer(Survey.read(directory), recording, '1.2.3');
  const [input, output] = [new PassThrough(), new PassThrough()];
  return { input, output, over: server.lines(input, output) };
}

test('who is at the other ends is answered, until the input ends', async () => {
  const { input, output, over } = served();
  const client = new Client(lineWire(output, input));
  expect(await client.hello('test')).toMatchObject({ stretches: 1 });
  const closed = new Promise<string>((settle) => (client.onClose = settle));
  input.end();
  await over;
  output.end();
  expect(await closed).toBe('its input has ended');
  await expect(client.request('where', {})).rejects.toThrow('no answer: its input has ended');
});

test('messages are lines, in whatever pieces they come', async () => {
  const { input, output } = served();
  const said = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: { version: 1, client: 'Zoë' } });
  for (const byte of Buffer.from(`${said}\n\nnonsense\n`)) input.write(Buffer.of(byte));
  const lines: string[] = [];
  for await (const chunk of output.setEncoding('utf8')) {
    lines.push(...(chunk as string).split('\n').filter(Boolean));
    if (lines.length === 2) break;
  }
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { error: { code: -32_700 } },
    { id: 1, result: { stretches: 1 } },
  ]);
});

test('a line that never ends ends the conversation', async () => {
  const { input, over } = served();
  for (let i = 0; i < 20; i++) input.write('x'.repeat(1 << 16));
  await over;
});
