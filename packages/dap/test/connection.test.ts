// Every DAP connection: invalid messages are answered, clients without access get nothing, and a client that
// disconnects leaves nothing open. The recording is only a run index.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { DapPort, type DebugEmbedder } from '@turntable/dap';
import { RunIndex } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { encodeMessage, DapClient, type DapMessage } from '../../../test/dap/dap-client.ts';
import { writeTaskLogs, type RandomStep } from '../../time-machine/test/random-runs.ts';
import { SHOP_STEPS } from '../../time-machine/test/shop-steps.ts';
import { connectEditor } from './scripted-session.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface CountingEmbedder extends DebugEmbedder {
  readonly opened: string[];
  closed: number;
}

/** Opens the same run index for every recording. */
function createEmbedder(
  opening: Promise<unknown> = Promise.resolve(),
  steps: readonly RandomStep[] = SHOP_STEPS,
): CountingEmbedder {
  const runDirectory = mkdtempSync(join(directory, 'run-'));
  writeTaskLogs(steps, runDirectory);
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'same' };
  const embedder: CountingEmbedder = {
    opened: [],
    closed: 0,
    open: async ({ path }) => {
      embedder.opened.push(path);
      await opening;
      const server = new TimeMachineServer(RunIndex.read(runDirectory), recording, '1.2.3');
      const close = async (): Promise<void> => {
        embedder.closed++;
        await server.close();
      };
      return { client: new Client(server.openWire()), close };
    },
    record: (_, onOutput) => {
      onOutput('stdout', 'hello\n');
      return Promise.resolve('recordings/made');
    },
    recordingPathOf: (pid) => Promise.resolve(`recordings/${pid}`),
  };
  return embedder;
}

function startClient(embedder: DebugEmbedder = createEmbedder()): ReturnType<typeof connectEditor> {
  return connectEditor(embedder);
}

const HELLO = { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true };

async function launchShop(client: DapClient): Promise<void> {
  await client.request('initialize', HELLO);
  await client.request('launch', { recording: 'shop' });
  await client.nextEvent('initialized');
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);

test('invalid messages are reported, and the connection stays open', async () => {
  const client = startClient();
  const sendMalformed = async (text: string): Promise<void> => {
    client.log.logSent(text);
    const { length } = client.log.received;
    client.write(encodeMessage(text));
    while (client.log.received.length === length) await new Promise(setImmediate);
  };
  await sendMalformed('nothing of the kind');
  await sendMalformed('[]');
  await sendMalformed('"text"');
  await sendMalformed('{"seq":1}');
  await sendMalformed('{"seq":1,"type":"event","event":"stopped"}');
  await sendMalformed('{"type":"request","command":"initialize"}');
  await sendMalformed('{"seq":7,"type":"request"}');
  await client.requestRaw('threads');
  await client.requestRaw('launch', { recording: 'shop' });
  await client.requestRaw('initialize', { ...HELLO, pathFormat: 'uri' });
  await client.requestRaw('initialize', HELLO);
  await client.requestRaw('initialize', HELLO);
  await client.requestRaw('constructor');
  await client.requestRaw('threads');
  await client.requestRaw('launch', {});
  await client.requestRaw('launch', { recording: 'shop', program: 'app.ts' });
  await client.requestRaw('launch', { recording: 7 });
  await client.requestRaw('launch', { recording: 'shop', stopAt: 'lunch' });
  await client.requestRaw('launch', { recording: 'shop' });
  await client.requestRaw('launch', { recording: 'shop' });
  await client.requestRaw('teleport');
  await client.requestRaw('toString');
  await client.requestRaw('stackTrace', { threadId: 99 });
  await client.requestRaw('stackTrace', { threadId: '1' });
  await client.requestRaw('stackTrace', []);
  await client.requestRaw('scopes', { frameId: 12_345 });
  await client.requestRaw('variables', { variablesReference: 12_345 });
  await client.requestRaw('goto', { threadId: 1, targetId: 1 });
  await client.requestRaw('setBreakpoints', { source: {}, breakpoints: [{ line: 0.5 }] });
  await client.requestRaw('setBreakpoints', { breakpoints: 1 });
  await client.requestRaw('setDataBreakpoints', { breakpoints: [{ dataId: 'mine' }] });
  await client.requestRaw('evaluate', { expression: '1' });
  await client.requestRaw('turntable/move', { move: 'teleport' });
  await client.requestRaw('turntable/move', { move: 'turn', direction: 'sideways' });
  await client.requestRaw('turntable/move', { move: 'turn', arguments: { which: [] } });
  await client.requestRaw('turntable/ask', { method: 'hello' });
  await client.requestRaw('turntable/ask', { method: 'receivers', params: { task: 99, count: 1 } });
  await client.requestRaw('cancel', { requestId: 999 });
  await client.requestRaw('threads');
  const transcript = client.log.lines.map((line) =>
    line.replace(/"body":\{"(supports|capabilities).*/, '…').replaceAll(/available: [^"]*/g, 'available: …'),
  );
  await expect(`${transcript.join('\n')}\n`).toMatchFileSnapshot(golden('invalid-requests'));
});

test('messages can arrive in chunks of any size', async () => {
  const client = startClient();
  const hello = encodeMessage(JSON.stringify({ seq: 90, type: 'request', command: 'initialize', arguments: HELLO }));
  const other = encodeMessage(JSON.stringify({ seq: 91, type: 'request', command: 'nöthing' }));
  for (const byte of Buffer.from(hello + other)) client.write(Buffer.from([byte]));
  const answered = (seq: number): DapMessage | undefined =>
    client.log.received.find((each) => each.request_seq === seq);
  while (answered(90) === undefined || answered(91) === undefined) await new Promise(setImmediate);
  expect(answered(90)).toMatchObject({ success: true });
  expect(answered(91)).toMatchObject({ success: false, message: expect.stringContaining('nöthing') });
});

test.each([
  ['POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}', 'a message must start with Content-Length'],
  ['Content-Length: many\r\n\r\n{}', 'Content-Length must be a number of bytes'],
  ['Content-Length: 0\r\n\r\n', 'Content-Length must be a number of bytes'],
  ['Content-Length: 999999999\r\n\r\n', 'a message must have at most'],
  ['Content-Type: text\r\n\r\n', 'a message must start with Content-Length'],
  ['Content-Length: 1'.padEnd(2000), 'a message must start with a header of at most'],
])('bytes that are no messages end the conversation (%#)', async (bytes, message) => {
  const client = startClient();
  client.write(bytes);
  await client.over;
  const { output } = await client.nextEvent('output');
  expect(output).toContain(`malformed message: ${message}`);
});

test('a message that is nested too deep is reported, and the connection stays open', async () => {
  const client = startClient();
  const nested = `{"seq":1,"type":${'['.repeat(6000)}${']'.repeat(6000)}}`;
  client.write(encodeMessage(nested));
  const { output } = await client.nextEvent('output');
  expect(output).toBe('malformed message: a message may be nested at most 64 levels deep\n');
  expect(await client.requestRaw('initialize', HELLO)).toMatchObject({ success: true });
});

test('a request from a web page to the port does not run a program', async () => {
  const embedder = createEmbedder();
  const port = new DapPort(embedder);
  onTestFinished(() => port.close());
  const portNumber = await port.listen(0);
  const launch = JSON.stringify({ seq: 2, type: 'request', command: 'launch', arguments: { program: 'evil.js' } });
  await expect(fetch(`http://127.0.0.1:${portNumber}`, { method: 'POST', body: launch })).rejects.toThrow();
  expect(embedder.opened).toEqual([]);
});

test('at a port, only a client with the token can open a recording', async () => {
  const embedder = createEmbedder();
  const port = new DapPort(embedder);
  onTestFinished(() => port.close());
  const portNumber = await port.listen(0);
  const socket = connect(portNumber, '127.0.0.1');
  const client = new DapClient(socket, socket);
  await client.request('initialize', HELLO);
  await expect(client.request('launch', { recording: 'shop' })).rejects.toThrow('the token is missing or wrong');
  await expect(client.request('launch', { recording: 'shop', token: 'x' })).rejects.toThrow(
    'the token is missing or wrong',
  );
  expect(embedder.opened).toEqual([]);
  await client.request('launch', { recording: 'shop', token: port.token });
  expect(embedder.opened).toEqual(['shop']);
  await client.request('disconnect');
  await client.closed;
  expect(embedder.closed).toBe(1);
});

test('a client that disconnects without a request leaves nothing open', async () => {
  const embedder = createEmbedder();
  const client = startClient(embedder);
  await launchShop(client);
  client.end();
  await client.over;
  expect(embedder.closed).toBe(1);
});

test('a recording that opens after its client has disconnected is closed', async () => {
  const ready = Promise.withResolvers<void>();
  const embedder = createEmbedder(ready.promise);
  const client = startClient(embedder);
  await client.request('initialize', HELLO);
  client.send('launch', { recording: 'shop' });
  while (embedder.opened.length === 0) await new Promise(setImmediate);
  client.end();
  ready.resolve();
  await client.over;
  while (embedder.closed === 0) await new Promise(setImmediate);
  expect(embedder.closed).toBe(1);
});

test('a program is recorded, and its output reported, before its recording is opened', async () => {
  const embedder = createEmbedder();
  const client = startClient(embedder);
  await client.request('initialize', HELLO);
  await client.request('launch', { program: 'app.ts' });
  expect(await client.nextEvent('output')).toEqual({ category: 'stdout', output: 'hello\n' });
  await client.nextEvent('initialized');
  await client.request('configurationDone');
  expect(embedder.opened).toEqual(['recordings/made']);
  expect(await client.nextEvent('stopped')).toMatchObject({ description: 'the end of the recording' });
});

test('without statements, steps go from task to task, and each thread steps to its own tasks', async () => {
  const client = startClient();
  await launchShop(client);
  await client.request('configurationDone');
  await client.nextStop();
  const { threads } = await client.request('threads');
  const first = await client.runToStop('next', { threadId: (threads as unknown as { id: number }[])[0]?.id });
  const back = await client.runToStop('stepBack', { threadId: first.threadId });
  expect([first, back].map(({ reason }) => reason)).toEqual(['step', 'step']);
  await expect(client.request('turntable/cursor')).resolves.toMatchObject({ order: 1 });
});

test('clients of one time machine share a position, and are notified when another client moves it', async () => {
  const runDirectory = mkdtempSync(join(directory, 'run-'));
  writeTaskLogs(SHOP_STEPS, runDirectory);
  const recording = { name: 'shop', from: undefined, verdict: 'same' };
  const server = new TimeMachineServer(RunIndex.read(runDirectory), recording, '1.2.3');
  onTestFinished(() => server.close());
  const address = await server.listen(0);
  const [one, other] = [startClient(), startClient()];
  for (const client of [one, other]) {
    await client.request('initialize', HELLO);
    await client.request('attach', { address });
    await client.request('configurationDone');
    await client.nextStop();
  }
  await expect(one.request('turntable/cursor')).resolves.toMatchObject({ order: 1 });
  await one.request('turntable/move', { move: 'goto', arguments: { target: 'end' } });
  expect(await other.nextEvent('stopped')).toMatchObject({ reason: 'goto', description: 'client 1 moved here' });
  await one.request('disconnect');
  await expect(other.request('turntable/cursor')).resolves.toMatchObject({ order: 5 });
});

test.each([
  ['a recording, by default', { recording: 'shop' }, 'end', 5],
  ['a process, by default', { pid: 7 }, 'end', 5],
  ['a recording, with `stopAt`', { recording: 'shop', stopAt: 'start' }, 'start', 1],
])('a client that attaches to %s, %j, pauses at its %s', async (_, target, __, order) => {
  const client = startClient();
  await client.request('initialize', HELLO);
  await client.request('attach', target);
  await client.request('configurationDone');
  await client.nextStop();
  await expect(client.request('turntable/cursor')).resolves.toMatchObject({ order });
});

test('of ten thousand actors, only the configured number of threads is listed, recently visited ones first', async () => {
  const made = (actor: number): RandomStep => ({ action: 'run', thread: 0, sends: 0, kind: 'construct', actor });
  const steps: RandomStep[] = [
    { action: 'run', thread: 0, sends: 0, kind: 'evaluation' },
    ...Array.from({ length: 10_000 }, (_, i) => made(i + 1)),
  ];
  const embedder = createEmbedder(undefined, steps);
  const threadsOf = async (
    configuration: object,
  ): Promise<{ readonly names: string[]; readonly client: DapClient }> => {
    const client = startClient(embedder);
    await client.request('initialize', HELLO);
    await client.request('launch', { recording: 'many', stopAt: 'end', ...configuration });
    await client.request('configurationDone');
    await client.nextStop();
    await client.request('turntable/move', { move: 'goto', arguments: { target: '0.7001' } });
    const { threads } = await client.request('threads');
    return { names: (threads as unknown as { name: string }[]).map(({ name }) => name), client };
  };
  const { names, client } = await threadsOf({});
  expect(names).toHaveLength(100);
  const { task } = (await client.request('turntable/cursor')) as unknown as { task: { actor: string } };
  expect(names[0]).toBe(task.actor);
  const outputs = client.log.received.filter(({ event }) => event === 'output').map(({ body }) => body?.['output']);
  expect(outputs.filter((text) => String(text).includes('100 of them are shown'))).toHaveLength(1);
  expect((await threadsOf({ threads: 20_000 })).names.length).toBeGreaterThan(7000);
});

test('progress of a long operation is reported, and the client can cancel it and send other requests', async () => {
  const embedder = createEmbedder();
  let isEndless = true;
  const slowEmbedder: DebugEmbedder = {
    ...embedder,
    open: (options, signal) => {
      if (!isEndless) return embedder.open(options, signal);
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(new Error('the launch was cancelled')));
      return promise;
    },
  };
  const client = startClient(slowEmbedder);
  await client.request('initialize', { ...HELLO, supportsProgressReporting: true });
  const launch = client.requestRaw('launch', { recording: 'endless' });
  const { progressId } = await client.nextEvent('progressStart');
  await client.request('cancel', { progressId });
  await client.nextEvent('progressEnd');
  expect(await launch).toMatchObject({ success: false });
  isEndless = false;
  await client.request('launch', { recording: 'shop' });
  await client.nextEvent('initialized');
});
