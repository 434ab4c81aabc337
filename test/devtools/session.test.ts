// Debugging of an ordinary program with a CDP client that knows nothing about the time machine.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CdpClient, CdpCallFrame, CdpRemoteObject } from './cdp-client.ts';
import { connect, serveRecorded, transcript } from './devtools-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const program = join(import.meta.dirname, '../engine/programs/steps.mjs');
const url = pathToFileURL(program).href;
// Discoverable, because `node inspect` knows only the port.
const { socket, clientAtStart } = serveRecorded(program, ['--discoverable']);

type Location = CdpCallFrame['location'];

/** Script of the program's own file. */
function scriptOf(client: CdpClient): Promise<{ readonly scriptId: string }> {
  const isProgramScript = ({ method, params }: { method?: string; params?: unknown }): boolean =>
    method === 'Debugger.scriptParsed' && (params as { url: string }).url === url;
  return client.log.whenReceived(isProgramScript).then(({ params }) => params as { scriptId: string });
}

interface Property {
  readonly name: string;
  readonly value?: CdpRemoteObject;
}

async function propertiesOf(client: CdpClient, { objectId }: CdpRemoteObject): Promise<readonly Property[]> {
  return (
    await client.request<{ result: Property[] }>('Runtime.getProperties', {
      objectId,
      ownProperties: true,
      generatePreview: true,
    })
  ).result;
}

async function variablesOf(
  client: CdpClient,
  frame: CdpCallFrame | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const scope = frame?.scopeChain[0]?.object;
  if (scope === undefined) throw new Error('there is no scope');
  const all = await propertiesOf(client, scope);
  return Object.fromEntries(all.map(({ name, value }) => [name, value?.value ?? value?.description]));
}

test('steps through a recording and inspects it, forward and backward, with this transcript', async () => {
  const client = await connect(socket());
  await client.enable();
  const { breakpointId } = await client.request('Debugger.setBreakpointByUrl', {
    url,
    lineNumber: 5,
    condition: 'sum > 1',
  });
  const first = await client.runToPause('Debugger.resume');
  const [frame] = first.callFrames;
  await client.request('Runtime.getProperties', {
    objectId: frame?.scopeChain[0]?.object.objectId,
    ownProperties: true,
  });
  const onFrame = { callFrameId: frame?.callFrameId };
  await client.request('Debugger.evaluateOnCallFrame', { ...onFrame, expression: 'a * 10 + b' });
  await client.request('Debugger.evaluateOnCallFrame', { ...onFrame, expression: 'nowhere' });
  await client.runToPause('Debugger.stepOver');
  await client.runToPause('TimeTravel.stepBack');
  await client.runToPause('Debugger.stepInto');
  await client.runToPause('Debugger.stepOut');
  await client.runToPause('TimeTravel.stepBackOut');
  await client.runToPause('TimeTravel.stepBackInto');
  await client.runToPause('Debugger.resume');
  await client.runToPause('TimeTravel.reverse');
  await client.request('Debugger.removeBreakpoint', { breakpointId });
  await client.runToPause('Debugger.resume');
  await client.runToPause('TimeTravel.reverse');
  await client.request('Debugger.disable');
  const talked = transcript(client).split('\n');
  const own = talked.filter((line) => !line.includes('"Debugger.scriptParsed"') || line.includes('steps.mjs'));
  await expect(own.join('\n')).toMatchFileSnapshot('golden/session.txt');
});

test('serves files as they were written', async () => {
  const client = await clientAtStart();
  const { scriptId } = await scriptOf(client);
  const text = readFileSync(program, 'utf8');
  expect(await client.request('Debugger.getScriptSource', { scriptId })).toEqual({ scriptSource: text });
  const search = { scriptId, query: 'FUNCTION\\s+\\w+', isRegex: true };
  expect(await client.request('Debugger.searchInContent', search)).toMatchObject({
    result: [{ lineNumber: 3 }, { lineNumber: 29 }].map((each) => expect.objectContaining(each) as unknown),
  });
  const start = { scriptId, lineNumber: 3, columnNumber: 0 };
  const end = { scriptId, lineNumber: 8, columnNumber: 0 };
  const possible = await client.request('Debugger.getPossibleBreakpoints', { start, end });
  expect(possible['locations']).toEqual(
    [
      [4, 2],
      [5, 2],
      [6, 2],
    ].map(([lineNumber, columnNumber]) => ({ scriptId, lineNumber, columnNumber })),
  );
});

test('stops at each breakpoint location of a line', async () => {
  const client = await clientAtStart();
  const { scriptId } = await scriptOf(client);
  const range = { start: { scriptId, lineNumber: 43 }, end: { scriptId, lineNumber: 44 } };
  const { locations } = await client.request<{ locations: Location[] }>('Debugger.getPossibleBreakpoints', range);
  expect(locations.map(({ columnNumber }) => columnNumber)).toEqual([0, 52, 89]);
  const met: unknown[] = [];
  for (const location of locations) {
    const set = await client.request<{ breakpointId: string }>('Debugger.setBreakpoint', { location });
    expect(set).toMatchObject({ actualLocation: location });
    const { callFrames, hitBreakpoints } = await client.runToPause('Debugger.resume');
    expect(hitBreakpoints).toEqual([set.breakpointId]);
    met.push(callFrames[0]?.location);
    await client.request('Debugger.removeBreakpoint', { breakpointId: set.breakpointId });
  }
  expect(met).toEqual(locations);
  const after = await client.requestRaw('Debugger.setBreakpoint', { location: { scriptId, lineNumber: 52 } });
  expect(after.error?.message).toBe('Could not resolve breakpoint');
});

test('sets breakpoints by URL, pattern and script, on a line or from a column, permanent or for one run', async () => {
  const client = await clientAtStart();
  const set = async (params: object): Promise<string> => {
    const { breakpointId } = await client.request<{ breakpointId: string }>('Debugger.setBreakpointByUrl', params);
    return breakpointId;
  };
  const like = await set({ urlRegex: 'steps\\.mjs$', lineNumber: 6 });
  expect(await client.runToPause('Debugger.resume')).toMatchObject({
    location: 'add steps.mjs:7',
    hitBreakpoints: [like],
    reason: 'other',
  });
  await client.request('Debugger.removeBreakpoint', { breakpointId: like });
  const after = await set({ url, lineNumber: 40, columnNumber: 28 });
  const second = await client.runToPause('Debugger.resume');
  expect(second.callFrames[0]?.location).toMatchObject({ lineNumber: 40, columnNumber: 28 });
  await client.request('Debugger.removeBreakpoint', { breakpointId: after });
  const { scriptId } = second.callFrames[0]?.location ?? {};
  await client.runToPause('TimeTravel.move', { move: 'goto', arguments: { target: 'start' } });
  const to = await client.runToPause('Debugger.continueToLocation', { location: { scriptId, lineNumber: 12 } });
  expect(to.location).toBe('halves steps.mjs:13');
  expect((await client.runToPause('Debugger.resume')).data.description).toBe('the end of the recording');
});

test('shows values part by part, and lets expressions change values only where allowed', async () => {
  const client = await clientAtStart();
  await client.request('Debugger.setBreakpointByUrl', { url, lineNumber: 45 });
  const { callFrames } = await client.runToPause('Debugger.resume');
  expect(await variablesOf(client, callFrames[0])).toMatchObject({ total: 17, names: 'Array(3)' });
  const onFrame = { callFrameId: callFrames[0]?.callFrameId };
  const evaluated = (params: object): Promise<{ result: CdpRemoteObject; exceptionDetails?: object }> =>
    client.request('Debugger.evaluateOnCallFrame', { ...onFrame, ...params });
  const { result: account } = await evaluated({ expression: 'account' });
  expect(account).toMatchObject({ type: 'object', className: 'Account' });
  expect(await propertiesOf(client, account)).toEqual([
    expect.objectContaining({ name: 'balance', value: { type: 'number', value: 7, description: '7' } }),
  ]);
  const refused = await evaluated({ expression: '(account.balance = 100)', throwOnSideEffect: true });
  expect(refused.exceptionDetails).toBeDefined();
  expect((await evaluated({ expression: 'account.balance' })).result.value).toBe(7);
  expect((await evaluated({ expression: '(account.balance = 100)' })).result.value).toBe(100);
  expect((await evaluated({ expression: 'names', returnByValue: true })).result.value).toEqual(['aa', 'bb', 'cc']);
  const { result: seen } = await evaluated({
    expression: "[new Map([['a', account]]), new Set([1]), new Uint8Array(3), new Date(0), 'x'.repeat(999)]",
    generatePreview: true,
  });
  expect(seen.preview).toMatchObject({ subtype: 'array', description: 'Array(5)', overflow: false });
  expect(seen.preview?.properties.slice(0, 4)).toEqual([
    { name: '0', type: 'object', subtype: 'map', value: 'Map(1)' },
    { name: '1', type: 'object', subtype: 'set', value: 'Set(1)' },
    { name: '2', type: 'object', subtype: 'typedarray', value: 'Uint8Array(3)' },
    { name: '3', type: 'object', subtype: 'date', value: '1970-01-01T00:00:00.000Z' },
  ]);
  const [map, , , , long] = await propertiesOf(client, seen);
  expect(map?.value).toMatchObject({
    description: 'Map(1)',
    preview: {
      entries: [{ key: { type: 'string', description: 'a' }, value: { type: 'object', description: 'Account' } }],
    },
  });
  expect(long?.value).toEqual({ type: 'string', value: 'x'.repeat(999) });
  const stack = `RangeError: too far\n${'    at somewhere (steps.mjs:1:1)\n'.repeat(9)}`;
  const fails = `Object.defineProperty(new RangeError('too far'), 'stack', { value: ${JSON.stringify(stack)} })`;
  const { result: failure } = await evaluated({ expression: fails });
  expect(failure).toMatchObject({ subtype: 'error', className: 'RangeError', description: stack });
  const text = await evaluated({ expression: "names.join('').repeat(100)" });
  expect(text.result.value).toBe('aabbcc'.repeat(100));
  const { result: names } = await evaluated({ expression: 'names' });
  const call = { objectId: names.objectId, functionDeclaration: 'function (at) { return this[at]; }' };
  const called = await client.request('Runtime.callFunctionOn', { ...call, arguments: [{ value: 1 }] });
  expect(called).toMatchObject({ result: { type: 'string', value: 'bb' } });
  const changing = { objectId: names.objectId, functionDeclaration: 'function () { return this.push(1); }' };
  expect(await client.request('Runtime.callFunctionOn', changing)).toHaveProperty('exceptionDetails');
  // Changes are gone after any move.
  await client.runToPause('Debugger.stepOver');
  const previous = await client.runToPause('TimeTravel.stepBack');
  const stale = await client.requestRaw('Runtime.getProperties', { objectId: names.objectId });
  expect(stale.error?.message).toBe('Could not find object with given id');
  const back = { callFrameId: previous.callFrames[0]?.callFrameId, expression: 'account.balance' };
  expect(await client.request('Debugger.evaluateOnCallFrame', back)).toMatchObject({ result: { value: 7 } });
});

test('shows variables of outer frames and restarts an outer frame', async () => {
  const client = await clientAtStart();
  await client.request('Debugger.setBreakpointByUrl', { url, lineNumber: 5 });
  await client.runToPause('Debugger.resume');
  const { callFrames } = await client.runToPause('Debugger.resume');
  expect(callFrames.map(({ functionName }) => functionName)).toEqual(['add', '']);
  const [, outer] = callFrames;
  expect(await variablesOf(client, outer)).toMatchObject({ total: 0, i: 1 });
  const expression = { callFrameId: outer?.callFrameId, expression: 'total' };
  expect(await client.request('Debugger.evaluateOnCallFrame', expression)).toMatchObject({ result: { value: 0 } });
  const inOuter = (text: string): Promise<{ result: CdpRemoteObject; exceptionDetails?: object }> =>
    client.request('Debugger.evaluateOnCallFrame', { callFrameId: outer?.callFrameId, expression: text });
  expect(await inOuter('[total, i].length + i')).toMatchObject({ result: { value: 3 } });
  expect((await inOuter('console.log(total)')).exceptionDetails).toBeDefined();
  const { result: pair } = await inOuter('[total, i]');
  const call = { objectId: pair.objectId, functionDeclaration: 'function (more) { return this[1] + more; }' };
  expect(await client.request('Runtime.callFunctionOn', { ...call, arguments: [{ value: 2 }] })).toMatchObject({
    result: { value: 3 },
  });
  const { result: inner } = await client.request<{ result: CdpRemoteObject }>('Runtime.evaluate', {
    expression: '[a]',
  });
  const both = await client.requestRaw('Runtime.callFunctionOn', {
    ...call,
    arguments: [{ objectId: inner.objectId }],
  });
  expect(both.error?.message).toContain('several call frames');
  const restarted = await client.runToPause('Debugger.restartFrame', { callFrameId: outer?.callFrameId });
  expect(restarted.location).toBe(' steps.mjs:41');
});

test('a log point logs every hit of the recording and never stops', async () => {
  const client = await clientAtStart();
  const condition = '/** DEVTOOLS_LOGPOINT */ console.log(a, "and", b)\n\n//# sourceURL=debugger://logpoint';
  await client.request('Debugger.setBreakpointByUrl', { url, lineNumber: 5, condition });
  const lines: unknown[] = [];
  while (lines.length < 3) {
    const { args } = await client.nextEvent<{ args: CdpRemoteObject[] }>('Runtime.consoleAPICalled');
    if (String(args[0]?.value).startsWith('0.1:')) lines.push(args[0]?.value);
  }
  expect(lines).toEqual(['0.1:3.2  0 and 0', '0.1:6.2  0 and 1', '0.1:9.2  1 and 2']);
  expect((await client.runToPause('Debugger.resume')).data.description).toBe('the end of the recording');
});

test('the objects of a log point can be expanded, also after moves', async () => {
  const client = await clientAtStart();
  const condition = '/** DEVTOOLS_LOGPOINT */ console.log({ a, list: [b] })';
  await client.request('Debugger.setBreakpointByUrl', { url, lineNumber: 5, condition });
  const logged: CdpRemoteObject[] = [];
  while (logged.length < 3) {
    const { args } = await client.nextEvent<{ args: CdpRemoteObject[] }>('Runtime.consoleAPICalled');
    if (String(args[0]?.value).startsWith('0.1:')) logged.push(args[1] as CdpRemoteObject);
  }
  expect(logged.map(({ description }) => description)).toEqual([
    '{ a: 0, list: [ 0 ] }',
    '{ a: 0, list: [ 1 ] }',
    '{ a: 1, list: [ 2 ] }',
  ]);
  await client.runToPause('Debugger.resume');
  const [a, list] = await propertiesOf(client, logged[2] as CdpRemoteObject);
  expect([a?.name, a?.value?.value, list?.name, list?.value?.description]).toEqual(['a', 1, 'list', 'Array(1)']);
  expect((await propertiesOf(client, list?.value as CdpRemoteObject))[0]?.value?.value).toBe(2);
});

test('reports program output once the printing statement has been passed', async () => {
  const client = await clientAtStart();
  await client.request('Debugger.setBreakpointByUrl', { url, lineNumber: 6 });
  for (const value of ['{"a":0,"b":0,"sum":0}', '{"a":0,"b":1,"sum":1}']) {
    client.send('Debugger.resume');
    expect(await client.nextEvent('Runtime.consoleAPICalled')).toMatchObject({
      type: 'log',
      args: [{ type: 'string', value }],
    });
  }
});

test('offers time travel by name in the console', async () => {
  const client = await clientAtStart();
  const typed = (expression: string): Promise<{ result: CdpRemoteObject }> =>
    client.request('Runtime.evaluate', { expression, includeCommandLineAPI: true, objectGroup: 'console' });
  await client.runToPause('Debugger.stepInto');
  // Consoles evaluate unfinished input.
  const early = { expression: 'TimeTravel.goto("0.1")', includeCommandLineAPI: true, throwOnSideEffect: true };
  expect(await client.request('Runtime.evaluate', early)).toHaveProperty('exceptionDetails');
  expect(await typed('TimeTravel.goto("0.1:3.1")')).toEqual({ result: { type: 'undefined' } });
  expect((await client.nextPause()).location).toBe('add steps.mjs:5');
  await typed('TimeTravel.stepBack();');
  expect((await client.nextPause()).location).toBe(' steps.mjs:41');
  await typed('TimeTravel.whoWrote({"expression": "total"})');
  const { position } = (await client.nextPause()).data;
  expect((await client.request<{ cursor: { position: string } }>('TimeTravel.cursor')).cursor.position).toBe(position);
});

test("Node's own debugger steps through the recording forward and backward", async () => {
  await clientAtStart();
  const { host } = new URL(socket());
  const child = spawn(process.execPath, ['inspect', host], { stdio: 'pipe', env: { ...process.env, NO_COLOR: '1' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  const received = new EventEmitter();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    received.emit('text');
  });
  const waitFor = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(printed)) await once(received, 'text');
    printed = '';
  };
  const type = (line: string): void => void child.stdin.write(`${line}\n`);
  await waitFor(/break in \S*steps\.mjs:2\n[^]*debug> $/);
  type("setBreakpoint('steps.mjs', 6)");
  await waitFor(/> 6 {3}said[^]*debug> $/);
  type('cont');
  await waitFor(/break in \S*steps\.mjs:6\n[^]*> 6 {3}said\(\{ a, b, sum \}\);[^]*debug> $/);
  type('backtrace');
  await waitFor(/#0 add \S*steps\.mjs:6:2\n#1 \(anonymous\) \S*steps\.mjs:41/);
  type('exec ({ a, all: [b, sum] })');
  await waitFor(/\{ a: 0, all: Array\(2\) \}/);
  type('exec TimeTravel.stepBack()');
  await waitFor(/\S*steps\.mjs:5\n[^]*> 5 {3}const sum/);
  type('.exit');
  await once(child, 'close');
});

test('removes everything of a closed client, and inactive breakpoints stop no client', async () => {
  const client = await clientAtStart();
  const one = await connect(socket());
  await one.enable();
  const count = async (): Promise<number> => {
    const { result } = await client.request<{ result: { breakpoints: unknown[] } }>('TimeTravel.ask', {
      method: 'breakpoints',
    });
    return result.breakpoints.length;
  };
  await one.request('Debugger.setBreakpointByUrl', { url, lineNumber: 5 });
  await one.request('TimeTravel.setBreakpoint', { kind: 'request' });
  await one.request('Debugger.setPauseOnExceptions', { state: 'all' });
  expect(await count()).toBe(3);
  await one.request('Debugger.setBreakpointsActive', { active: false });
  expect(await count()).toBe(0);
  await one.request('Debugger.setSkipAllPauses', { skip: false });
  expect(await count()).toBe(3);
  one.close();
  await one.closed;
  while ((await count()) > 0) await new Promise(setImmediate);
  expect((await client.runToPause('Debugger.resume')).data.description).toBe('the end of the recording');
});
