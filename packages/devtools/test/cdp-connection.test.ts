// Every CDP connection: invalid messages are answered, clients without access get nothing, and a client that
// disconnects leaves nothing open. The recording is only a run index.
import { mkdtempSync, rmSync } from 'node:fs';
import { request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { DevtoolsPort, type DevtoolsAddress } from '@turntable/devtools';
import { RunIndex } from '@turntable/time-machine';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { CdpClient } from '../../../test/devtools/cdp-client.ts';
import { writeTaskLogs } from '../../time-machine/test/random-runs.ts';
import { SHOP_STEPS } from '../../time-machine/test/shop-steps.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface ServedDevtools extends DevtoolsAddress {
  client(origin?: string): Promise<CdpClient>;
}

async function serve({
  isDiscoverable = false,
  secret = undefined as string | undefined,
} = {}): Promise<ServedDevtools> {
  const runDirectory = mkdtempSync(join(directory, 'run-'));
  writeTaskLogs(SHOP_STEPS, runDirectory);
  const server = new TimeMachineServer(
    RunIndex.read(runDirectory),
    { name: 'recordings/shop', from: undefined, verdict: 'same' },
    '1.2.3',
  );
  const port = new DevtoolsPort({
    title: 'shop',
    url: 'file:///shop.ts',
    version: '1.2.3',
    isDiscoverable,
    secret,
    connect: () => server.openWire(),
  });
  const address = await port.listen(0);
  onTestFinished(async () => {
    await port.close();
    await server.close();
  });
  return { ...address, client: (origin) => CdpClient.connect(address.socket, origin) };
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);

test('invalid messages are answered as V8 answers them, and the connection stays open', async () => {
  const { client: connect } = await serve();
  const client = await connect();
  const sendMalformed = async (message: string): Promise<void> => {
    const { length } = client.log.received;
    client.write(message);
    while (client.log.received.length === length) await new Promise(setImmediate);
  };
  await sendMalformed('nothing of the kind');
  await sendMalformed('[]');
  await sendMalformed('"text"');
  await sendMalformed('{"method":"Runtime.enable"}');
  await sendMalformed('{"id":"1","method":"Runtime.enable"}');
  await sendMalformed('{"id":90}');
  await sendMalformed('{"id":91,"method":7}');
  await sendMalformed('{"id":92,"method":"Runtime.enable","params":[]}');
  await sendMalformed('{"id":93,"method":"Runtime.enable","more":1}');
  await sendMalformed('{"id":94,"method":"Runtime.enable","sessionId":"none"}');
  await client.requestRaw('Runtime');
  await client.requestRaw('Runtime.constructor');
  await client.requestRaw('constructor.name');
  await client.requestRaw('Runtime.enable.more');
  await client.requestRaw('Profiler.start');
  await client.requestRaw('HeapProfiler.takeHeapSnapshot');
  await client.requestRaw('Network.enable');
  await client.requestRaw('Debugger.setVariableValue', {});
  await client.requestRaw('Debugger.stepOver');
  await client.requestRaw('Debugger.resume');
  await client.requestRaw('Debugger.setBreakpointByUrl', { lineNumber: 1, url: 'file:///shop.ts' });
  await client.requestRaw('Debugger.enable');
  await client.nextPause();
  await client.requestRaw('Debugger.setBreakpointByUrl', { lineNumber: 1 });
  await client.requestRaw('Debugger.setBreakpointByUrl', { lineNumber: '1', url: '' });
  await client.requestRaw('Debugger.setBreakpointByUrl', { url: '' });
  await client.requestRaw('Debugger.setBreakpointByUrl', { lineNumber: 1, urlRegex: '(' });
  await client.requestRaw('Debugger.setBreakpointByUrl', { lineNumber: 1, url: 'file:///nowhere.ts' });
  await client.requestRaw('Debugger.setBreakpointByUrl', { lineNumber: 1, url: 'file:///nowhere.ts' });
  await client.requestRaw('Debugger.setBreakpoint', { location: { scriptId: '99', lineNumber: 0 } });
  await client.requestRaw('Debugger.removeBreakpoint', { breakpointId: 'mine' });
  await client.requestRaw('Debugger.getScriptSource', { scriptId: '99' });
  await client.requestRaw('Debugger.setPauseOnExceptions', { state: 'sometimes' });
  await client.requestRaw('Debugger.setBlackboxPatterns', { patterns: ['('] });
  await client.requestRaw('Debugger.evaluateOnCallFrame', { callFrameId: '9.9', expression: '1' });
  await client.requestRaw('Debugger.restartFrame', { callFrameId: '9.9' });
  await client.requestRaw('Debugger.getStackTrace', { stackTraceId: { id: 'senders 99' } });
  await client.requestRaw('Runtime.getProperties', { objectId: '99' });
  await client.requestRaw('Runtime.callFunctionOn', { functionDeclaration: 'function () {}', objectId: '99' });
  await client.requestRaw('Runtime.evaluate', { expression: '1' });
  await client.requestRaw('Runtime.evaluate', { expression: 'TimeTravel.goto(place)', includeCommandLineAPI: true });
  await client.requestRaw('Runtime.evaluate', { expression: 'TimeTravel.goto()', includeCommandLineAPI: true });
  await client.requestRaw('TimeTravel.move', { move: 'teleport' });
  await client.requestRaw('TimeTravel.move', { move: 'turn', direction: 'sideways' });
  await client.requestRaw('TimeTravel.setBreakpoint', { kind: 'eclipse' });
  await client.requestRaw('TimeTravel.ask', { method: 'hello' });
  await client.requestRaw('TimeTravel.ask', { method: 'receivers', params: { task: 99, count: 1 } });
  await client.requestRaw('Schema.getDomains');
  const transcript = client.log.lines.map((line) =>
    line.replaceAll(/(available:|there are) [^"]*/g, '$1 …').replace(/"debuggerId":"\w+"/, '"debuggerId":"…"'),
  );
  await expect(`${transcript.join('\n')}\n`).toMatchFileSnapshot(golden('invalid-requests'));
});

test('a message that is nested too deep is refused, and the connection stays open', async () => {
  const { client: connect } = await serve();
  const client = await connect();
  client.write(
    `{"id":1,"method":"Runtime.evaluate","params":{"expression":${'[{"a":'.repeat(6000)}1${'}]'.repeat(6000)}}}`,
  );
  const { error } = await client.log.whenReceived((message) => message.error !== undefined);
  expect(error).toEqual({ code: -32_700, message: 'a message may be nested at most 64 levels deep' });
  expect(await client.request('Runtime.enable')).toEqual({});
});

test('clients with the secret discover the recording like a Node process, with the commands of the protocol', async () => {
  const { socket, frontEnd } = await serve();
  const { host, pathname } = new URL(socket);
  const id = pathname.slice(1);
  const base = `http://${host}/${id}`;
  const fetchJson = async (path: string): Promise<unknown> => (await fetch(`${base}${path}`)).json();
  expect(frontEnd).toBe(`devtools://devtools/bundled/js_app.html?ws=${host}/${id}`);
  const list = [
    expect.objectContaining({
      id,
      type: 'node',
      title: 'shop',
      webSocketDebuggerUrl: socket,
      devtoolsFrontendUrl: frontEnd,
    }),
  ];
  expect(await fetchJson('/json')).toEqual(list);
  expect(await fetchJson('/json/list')).toEqual(list);
  expect(await fetchJson('/json/version')).toEqual({ Browser: 'turntable/1.2.3', 'Protocol-Version': '1.3' });
  const { domains } = (await fetchJson('/json/protocol')) as {
    domains: { domain: string; commands: { name: string }[] }[];
  };
  const timeTravel = domains.find(({ domain }) => domain === 'TimeTravel');
  expect(timeTravel?.commands.find(({ name }) => name === 'goto')).toMatchObject({
    parameters: [{ name: 'position', type: 'string' }],
    returns: expect.arrayContaining([expect.objectContaining({ name: 'found', type: 'boolean' })]) as unknown,
  });
  expect((await fetch(`${base}/json/new`)).status).toBe(404);
  expect((await fetch(`${base}/json/list`, { method: 'POST' })).status).toBe(405);
});

test('every response under /json has a length, without which Chrome does not read it', async () => {
  const { socket } = await serve();
  const { host, pathname } = new URL(socket);
  for (const path of [`${pathname}/json/list`, `${pathname}/json/version`, `${pathname}/json/new`, '/json/list']) {
    const response = await fetch(`http://${host}${path}`);
    const length = (await response.arrayBuffer()).byteLength;
    expect([path, response.headers.get('content-length')]).toEqual([path, String(length)]);
  }
});

test('a server that gets the secret of an earlier one has its address', async () => {
  const first = await serve();
  const second = await serve({ secret: first.secret });
  expect(second.socket).toBe(`ws://127.0.0.1:${second.port}/${first.secret}`);
  expect(await (await second.client()).request('Debugger.enable')).toHaveProperty('debuggerId');
  expect((await serve()).secret).not.toBe(first.secret);
});

const RESOURCES = ['/json', '/json/', '/json/list', '/json/version', '/json/protocol'];

test('clients without the secret learn nothing, unless the user made the port discoverable', async () => {
  const { socket } = await serve();
  const { host, pathname } = new URL(socket);
  const secret = pathname.slice(1);
  const paths = ['', `/${secret.slice(1)}`, `/${secret}0`, `/${secret.toUpperCase()}`, `/x/${secret}`, `?${secret}`];
  for (const path of paths.flatMap((prefix) => RESOURCES.map((each) => `${prefix}${each}`))) {
    const response = await fetch(`http://${host}${path}`);
    expect([path, response.status]).toEqual([path, 401]);
    expect(await response.text()).not.toContain(secret);
  }
  const open = await serve({ isDiscoverable: true });
  const [target] = (await (await fetch(`http://${new URL(open.socket).host}/json/list`)).json()) as object[];
  expect(target).toMatchObject({ webSocketDebuggerUrl: open.socket });
});

test('web pages and other host names are refused; DevTools is served', async () => {
  const { socket, client: connect } = await serve();
  const { port, host, pathname } = new URL(socket);
  const statusOf = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((settle, reject) => {
      const httpRequest = ask({ host: '127.0.0.1', port, path: `${pathname}/json/list`, headers }, (response) => {
        void text(response).then(() => settle(response.statusCode));
      });
      httpRequest.on('error', reject).end();
    });
  expect(await statusOf({ host: `evil.example:${port}` })).toBe(403);
  expect(await statusOf({ host, origin: 'https://evil.example' })).toBe(403);
  expect(await statusOf({ host })).toBe(200);
  await expect(connect('https://evil.example')).rejects.toThrow('403');
  await expect(connect(`http://${host}`)).rejects.toThrow('403');
  await expect(CdpClient.connect(socket.replace(pathname, '/1234'))).rejects.toThrow('401');
  const tools = await connect('devtools://devtools');
  expect(await tools.request('Debugger.enable')).toHaveProperty('debuggerId');
});

test('messages before the first inspection are answered', async () => {
  const { client: connect } = await serve();
  const client = await connect();
  client.send('Runtime.enable');
  client.send('Debugger.enable');
  await client.nextPause();
  expect(client.log.received.flatMap(({ id }) => id ?? [])).toEqual([1, 2]);
});

test('two clients share a position, and are notified when the other one moves it', async () => {
  const { client: connect } = await serve();
  const [one, other] = [await connect(), await connect()];
  await one.enable();
  await other.enable();
  const end = await one.runToPause('Debugger.resume');
  expect(end.data).toEqual({ position: expect.any(String) as string, description: 'the end of the recording' });
  const seen = await other.nextPause();
  expect(seen.data.position).toBe(end.data.position);
  expect(seen.data.description).toMatch(/^client \d+ moved here$/);
  const back = await other.runToPause('TimeTravel.stepBack');
  expect((await one.nextPause()).data.position).toBe(back.data.position);
});

test('a client that reconnects finds the position unchanged', async () => {
  const { client: connect } = await serve();
  const client = await connect();
  await client.enable();
  const { data } = await client.runToPause('Debugger.stepOver');
  client.close();
  await client.closed;
  const reconnected = await connect();
  expect((await reconnected.enable()).data.position).toBe(data.position);
});
