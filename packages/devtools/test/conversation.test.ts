// What is promised of any conversation: whatever comes is answered, nobody is served who may not be, and nothing is left of who has gone. Here is no recording but a survey that is read.
import { mkdtempSync, rmSync } from 'node:fs';
import { request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { DevtoolsPort, type DevtoolsAddress } from '@turntable/devtools';
import { Survey } from '@turntable/time-machine';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { CdpClient } from '../../../test/devtools/cdp-client.ts';
import { run } from '../../time-machine/test/random-runs.ts';
import { SHOP } from '../../time-machine/test/shop.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Served extends DevtoolsAddress {
  client(origin?: string): Promise<CdpClient>;
}

async function served(): Promise<Served> {
  const into = mkdtempSync(join(directory, 'run-'));
  run(SHOP, into);
  const server = new TimeMachineServer(
    Survey.read(into),
    { name: 'recordings/shop', from: undefined, verdict: 'same' },
    '1.2.3',
  );
  const port = new DevtoolsPort({
    title: 'shop',
    url: 'file:///shop.ts',
    version: '1.2.3',
    connect: () => server.wire(),
  });
  const address = await port.listen(0);
  onTestFinished(async () => {
    await port.close();
    await server.close();
  });
  return { ...address, client: (origin) => CdpClient.at(address.socket, origin) };
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);

test('whatever is wrong is answered as V8 answers it, and the conversation goes on', async () => {
  const { client: connect } = await served();
  const client = await connect();
  const wrong = async (message: string): Promise<void> => {
    const { length } = client.talk.came;
    client.raw(message);
    while (client.talk.came.length === length) await new Promise(setImmediate);
  };
  await wrong('nothing of the kind');
  await wrong('[]');
  await wrong('"text"');
  await wrong('{"method":"Runtime.enable"}');
  await wrong('{"id":"1","method":"Runtime.enable"}');
  await wrong('{"id":90}');
  await wrong('{"id":91,"method":7}');
  await wrong('{"id":92,"method":"Runtime.enable","params":[]}');
  await wrong('{"id":93,"method":"Runtime.enable","more":1}');
  await wrong('{"id":94,"method":"Runtime.enable","sessionId":"none"}');
  await client.ask('Runtime');
  await client.ask('Runtime.constructor');
  await client.ask('constructor.name');
  await client.ask('Runtime.enable.more');
  await client.ask('Profiler.start');
  await client.ask('HeapProfiler.takeHeapSnapshot');
  await client.ask('Network.enable');
  await client.ask('Debugger.setVariableValue', {});
  await client.ask('Debugger.stepOver');
  await client.ask('Debugger.resume');
  await client.ask('Debugger.setBreakpointByUrl', { lineNumber: 1, url: 'file:///shop.ts' });
  await client.ask('Debugger.enable');
  await client.paused();
  await client.ask('Debugger.setBreakpointByUrl', { lineNumber: 1 });
  await client.ask('Debugger.setBreakpointByUrl', { lineNumber: '1', url: '' });
  await client.ask('Debugger.setBreakpointByUrl', { url: '' });
  await client.ask('Debugger.setBreakpointByUrl', { lineNumber: 1, urlRegex: '(' });
  await client.ask('Debugger.setBreakpointByUrl', { lineNumber: 1, url: 'file:///nowhere.ts' });
  await client.ask('Debugger.setBreakpointByUrl', { lineNumber: 1, url: 'file:///nowhere.ts' });
  await client.ask('Debugger.setBreakpoint', { location: { scriptId: '99', lineNumber: 0 } });
  await client.ask('Debugger.removeBreakpoint', { breakpointId: 'mine' });
  await client.ask('Debugger.getScriptSource', { scriptId: '99' });
  await client.ask('Debugger.setPauseOnExceptions', { state: 'sometimes' });
  await client.ask('Debugger.setBlackboxPatterns', { patterns: ['('] });
  await client.ask('Debugger.evaluateOnCallFrame', { callFrameId: '9.9', expression: '1' });
  await client.ask('Debugger.restartFrame', { callFrameId: '9.9' });
  await client.ask('Debugger.getStackTrace', { stackTraceId: { id: 'senders 99' } });
  await client.ask('Runtime.getProperties', { objectId: '99' });
  await client.ask('Runtime.callFunctionOn', { functionDeclaration: 'function () {}', objectId: '99' });
  await client.ask('Runtime.evaluate', { expression: '1' });
  await client.ask('Runtime.evaluate', { expression: 'TimeTravel.goto(place)', includeCommandLineAPI: true });
  await client.ask('Runtime.evaluate', { expression: 'TimeTravel.goto()', includeCommandLineAPI: true });
  await client.ask('TimeTravel.move', { move: 'teleport' });
  await client.ask('TimeTravel.move', { move: 'turn', direction: 'sideways' });
  await client.ask('TimeTravel.setBreakpoint', { kind: 'eclipse' });
  await client.ask('TimeTravel.ask', { method: 'hello' });
  await client.ask('TimeTravel.ask', { method: 'receivers', params: { order: 99, count: 1 } });
  await client.ask('Schema.getDomains');
  const talked = client.talk.lines.map((line) =>
    line.replaceAll(/there are [^"]*/g, 'there are …').replace(/"debuggerId":"\w+"/, '"debuggerId":"…"'),
  );
  await expect(`${talked.join('\n')}\n`).toMatchFileSnapshot(golden('what-is-wrong'));
});

test('clients find the recording as they find a process of Node, and what can be asked there', async () => {
  const { socket, frontEnd } = await served();
  const { host, pathname } = new URL(socket);
  const told = async (path: string): Promise<unknown> => (await fetch(`http://${host}${path}`)).json();
  const id = pathname.slice(1);
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
  expect(await told('/json')).toEqual(list);
  expect(await told('/json/list')).toEqual(list);
  expect(await told('/json/version')).toEqual({ Browser: 'turntable/1.2.3', 'Protocol-Version': '1.3' });
  const { domains } = (await told('/json/protocol')) as { domains: { domain: string; commands: { name: string }[] }[] };
  const travel = domains.find(({ domain }) => domain === 'TimeTravel');
  expect(travel?.commands.find(({ name }) => name === 'goto')).toMatchObject({
    parameters: [{ name: 'position', type: 'string' }],
    returns: expect.arrayContaining([expect.objectContaining({ name: 'found', type: 'boolean' })]) as unknown,
  });
  expect((await fetch(`http://${host}/json/new`)).status).toBe(404);
  expect((await fetch(`http://${host}/json/list`, { method: 'POST' })).status).toBe(405);
});

test('pages of the web, and names that lead here, get nothing; the tools of Chrome do', async () => {
  const { socket, client: connect } = await served();
  const { port, host, pathname } = new URL(socket);
  const statusOf = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((settle, reject) => {
      const asked = ask({ host: '127.0.0.1', port, path: '/json/list', headers }, (response) => {
        void text(response).then(() => settle(response.statusCode));
      });
      asked.on('error', reject).end();
    });
  expect(await statusOf({ host: `evil.example:${port}` })).toBe(403);
  expect(await statusOf({ host, origin: 'https://evil.example' })).toBe(403);
  expect(await statusOf({ host })).toBe(200);
  await expect(connect('https://evil.example')).rejects.toThrow('403');
  await expect(connect(`http://${host}`)).rejects.toThrow('403');
  await expect(CdpClient.at(socket.replace(pathname, '/1234'))).rejects.toThrow('401');
  const tools = await connect('devtools://devtools');
  expect(await tools.request('Debugger.enable')).toHaveProperty('debuggerId');
});

test('what a client sends before it is looked into is answered all the same', async () => {
  const { client: connect } = await served();
  const client = await connect();
  client.send('Runtime.enable');
  client.send('Debugger.enable');
  await client.paused();
  expect(client.talk.came.flatMap(({ id }) => id ?? [])).toEqual([1, 2]);
});

test('two clients stand at one place, and both are told where the other has gone', async () => {
  const { client: connect } = await served();
  const [one, other] = [await connect(), await connect()];
  await one.begin();
  await other.begin();
  const end = await one.go('Debugger.resume');
  expect(end.data).toEqual({ position: expect.any(String) as string, description: 'the end of the recording' });
  const seen = await other.paused();
  expect(seen.data.position).toBe(end.data.position);
  expect(seen.data.description).toMatch(/^client \d+ has gone here$/);
  const back = await other.go('TimeTravel.stepBack');
  expect((await one.paused()).data.position).toBe(back.data.position);
});

test('one that comes again finds all where it was', async () => {
  const { client: connect } = await served();
  const client = await connect();
  await client.begin();
  const { data } = await client.go('Debugger.stepOver');
  client.close();
  await client.ended;
  const again = await connect();
  expect((await again.begin()).data.position).toBe(data.position);
});
