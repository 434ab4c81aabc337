// A running program: a pause reads its latest events and moves to their end, and all clients reconnect with their
// breakpoints and the new files.
import { expect, test } from 'vitest';
import type { TimeMachineServer } from '@turntable/time-machine/server';
import type { CdpClient } from '../../../test/devtools/cdp-client.ts';
import { CART_FILE, CART_SOURCE } from '../../time-machine/test/scripted-recording.ts';
import {
  CART_PATH,
  CART_TASKS,
  scriptedServer,
  scriptedServerArguments,
} from '../../time-machine/test/scripted-server.ts';
import { serveCart } from './scripted-session.ts';

const SECOND_PATH = '/p/src/shop.ts';
const UNTIL = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A server whose recording grows from one task to all, and by a file, when it is refreshed. */
function growingServer(refreshed: string[] = []): TimeMachineServer {
  const deps = {
    sourceFiles: () => [CART_PATH, SECOND_PATH],
    findSource: (file: string) => (file === SECOND_PATH ? 'shop;\n' : CART_SOURCE),
    refresh: () => Promise.reject(new Error('nothing new')),
  };
  const server: TimeMachineServer = scriptedServer({
    tasks: CART_TASKS.slice(0, 1),
    until: UNTIL - 1000,
    deps: {
      refresh: async () => {
        refreshed.push('refresh');
        await server.replace(...scriptedServerArguments({ until: UNTIL, deps }));
        return UNTIL;
      },
    },
  });
  return server;
}

async function breakpointLinesOf(client: CdpClient): Promise<unknown[]> {
  const { result } = await client.request<{ result: { breakpoints: { line?: number; kind?: string }[] } }>(
    'TimeTravel.ask',
    { method: 'breakpoints' },
  );
  return result.breakpoints.map(({ line, kind }) => line ?? kind);
}

test('resume at the end lets the program run, and pause moves to its new end', async () => {
  const refreshed: string[] = [];
  const connect = await serveCart(growingServer(refreshed));
  const client = await connect();
  await client.enable();
  await client.request('Debugger.setBreakpointByUrl', { url: CART_FILE, lineNumber: 4 });
  await client.request('Debugger.setPauseOnExceptions', { state: 'all' });
  await client.request('Debugger.setBreakpointByUrl', { url: CART_FILE, lineNumber: 13 });
  await client.request('Debugger.removeBreakpoint', { breakpointId: `1:13:0:${CART_FILE}` });
  expect(await client.runToPause('Debugger.resume')).toMatchObject({
    data: { position: '0.2', description: 'the end of the recording' },
  });
  client.log.discardReceived();
  await client.request('Debugger.resume');
  await client.nextEvent('Debugger.resumed');
  expect(refreshed).toEqual([]);
  await client.request('Debugger.pause');
  expect(await client.nextEvent('Debugger.scriptParsed')).toMatchObject({
    scriptId: '3',
    url: 'file:///p/src/shop.ts',
  });
  const paused = await client.nextPause();
  expect(paused).toMatchObject({
    reason: 'other',
    data: { position: '1.3', description: 'recorded until 2026-01-02T03:04:05.000Z' },
  });
  expect(refreshed).toEqual(['refresh']);
  expect(await breakpointLinesOf(client)).toEqual([5, 'exception']);
  expect(await client.runToPause('TimeTravel.reverse')).toMatchObject({ reason: 'exception' });
  expect(await client.runToPause('TimeTravel.reverse')).toMatchObject({ hitBreakpoints: [`1:4:0:${CART_FILE}`] });
});

test('breakpoints that are inactive stay inactive after a pause of the program', async () => {
  const connect = await serveCart(growingServer());
  const client = await connect();
  await client.enable();
  await client.request('Debugger.setBreakpointByUrl', { url: CART_FILE, lineNumber: 4 });
  await client.request('Debugger.setBreakpointsActive', { active: false });
  await client.runToPause('Debugger.pause');
  expect(await breakpointLinesOf(client)).toEqual([]);
  await client.request('Debugger.setBreakpointsActive', { active: true });
  expect(await breakpointLinesOf(client)).toEqual([5]);
});

test('all clients move to the new end, and a new file is announced to each once', async () => {
  const connect = await serveCart(growingServer());
  const [first, second] = [await connect(), await connect()];
  for (const client of [first, second]) await client.enable();
  await first.request('TimeTravel.now').catch(() => {});
  for (const client of [first, second]) {
    expect(await client.nextPause()).toMatchObject({ data: { position: '1.3' } });
    const urls = client.log.received
      .filter(({ method }) => method === 'Debugger.scriptParsed')
      .map(({ params }) => (params as { url: string }).url);
    expect(urls).toEqual(['turntable:recording', CART_FILE, 'file:///p/src/shop.ts']);
  }
});

test('a pause that reads nothing new says why, and reports the position', async () => {
  const server = scriptedServer({
    until: UNTIL,
    deps: { refresh: () => Promise.reject(new Error('the disk is full')) },
  });
  const client = await (await serveCart(server))();
  await client.enable();
  client.log.discardReceived();
  await client.request('Debugger.pause');
  expect(await client.nextEvent('Runtime.consoleAPICalled')).toMatchObject({
    type: 'info',
    args: [{ type: 'string', value: expect.any(String) as string }],
  });
  expect(await client.nextPause()).toMatchObject({ data: { position: '0.1' }, reason: 'other' });
});

test('before the end, resume moves to the next breakpoint as in any recording', async () => {
  const client = await (await serveCart(scriptedServer({ until: UNTIL })))();
  await client.enable();
  await client.request('Debugger.setBreakpointByUrl', { url: CART_FILE, lineNumber: 4 });
  expect(await client.runToPause('Debugger.resume')).toMatchObject({ hitBreakpoints: [`1:4:0:${CART_FILE}`] });
});

test('a client is disconnected when the recording of an ended program is no longer served', async () => {
  const server = scriptedServer();
  const client = await (await serveCart(server))();
  await client.enable();
  await server.replace(...scriptedServerArguments());
  await client.closed;
});
