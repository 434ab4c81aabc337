// Sessions of a CDP client word for word (golden/*.txt), on a recording with statements: moves, breakpoints, scripts,
// stacks and values.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CdpClient, CdpRemoteObject, PausedEvent } from '../../../test/devtools/cdp-client.ts';
import { CART_FILE } from '../../time-machine/test/scripted-recording.ts';
import { CART_AWAITERS, SUSPENDED_CART_TASKS } from '../../time-machine/test/scripted-server.ts';
import { ScriptedValues, UNINITIALIZED } from '../../time-machine/test/scripted-values.ts';
import { CART_SCRIPT, debugCart, transcript } from './scripted-session.ts';

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);
const scriptId = CART_SCRIPT;
const url = CART_FILE;

async function expectGolden(client: CdpClient, name: string): Promise<void> {
  await client.requestRaw('Debugger.disable');
  await client.requestRaw('Runtime.disable');
  await expect(transcript(client)).toMatchFileSnapshot(golden(name));
}

async function goTo(client: CdpClient, position: string): Promise<PausedEvent> {
  return client.runToPause('TimeTravel.goto', { position });
}

test('steps forward and back, and all other moves, give the golden session', async () => {
  const client = await debugCart();
  for (const step of ['Over', 'Into', 'Into', 'Into', 'Over', 'Out']) await client.runToPause(`Debugger.step${step}`);
  await goTo(client, '0.2:1.1');
  for (const step of ['Over', 'BackInto', 'BackOver'])
    await client.runToPause(`${step === 'Over' ? 'Debugger.step' : 'TimeTravel.step'}${step}`);
  await goTo(client, '0.2:1.3');
  await client.runToPause('TimeTravel.stepBackOut');
  await client.runToPause('Debugger.stepInto');
  await client.runToPause('Debugger.stepOut');
  await client.runToPause('TimeTravel.stepBack');
  await client.runToPause('Debugger.resume');
  await client.runToPause('Debugger.resume');
  await client.runToPause('Debugger.stepOver');
  await client.runToPause('Debugger.pause');
  await client.runToPause('TimeTravel.reverse');
  await client.runToPause('TimeTravel.reverse');
  await client.runToPause('TimeTravel.stepBack');
  await client.runToPause('Debugger.continueToLocation', { location: { scriptId, lineNumber: 4 } });
  await client.runToPause('Debugger.continueToLocation', { location: { scriptId, lineNumber: 4, columnNumber: 7 } });
  await client.requestRaw('Debugger.continueToLocation', { location: { scriptId: '9', lineNumber: 4 } });
  await client.request('TimeTravel.ask', { method: 'breakpoints' });
  await client.request('TimeTravel.cursor');
  await client.request('TimeTravel.moves');
  await client.request('TimeTravel.positions');
  await client.request('TimeTravel.positions', { from: 3 });
  await client.request('TimeTravel.positions', { from: 3, count: 1, direction: 'backward' });
  await client.request('TimeTravel.positions', { actor: 'Cart*', worker: 0 });
  await client.runToPause('TimeTravel.move', { move: 'task' });
  await client.runToPause('TimeTravel.move', { move: 'task', direction: 'backward' });
  await client.runToPause('TimeTravel.move', { move: 'goto', arguments: { target: '50%' } });
  await client.request('TimeTravel.find', { move: 'stepi' });
  await client.request('TimeTravel.find', { move: 'task', direction: 'backward', from: '1.2' });
  await client.runToPause('TimeTravel.whoWrote', { expression: 'total' });
  await client.request('TimeTravel.whoWrote', { expression: 'total', stays: true });
  await client.request('TimeTravel.output');
  await client.request('TimeTravel.output', { from: 2 });
  await client.request('TimeTravel.output', { to: 3 });
  await client.requestRaw('TimeTravel.now');
  await client.request('Schema.getDomains');
  for (const command of ['enable', 'disable']) await client.request(`Profiler.${command}`);
  await client.request('Profiler.setSamplingInterval', { interval: 100 });
  for (const command of ['runIfWaitingForDebugger', 'discardConsoleEntries', 'terminateExecution', 'enable'])
    await client.request(`Runtime.${command}`);
  await client.request('Runtime.releaseObjectGroup', { objectGroup: 'x' });
  await client.request('Debugger.enable');
  await expectGolden(client, 'steps');
});

test('steps skip files that match a pattern', async () => {
  const client = await debugCart();
  await client.request('Debugger.setBlackboxPatterns', { patterns: ['', 'other\\.ts$'] });
  expect(await client.runToPause('Debugger.stepInto')).toMatchObject({ location: 'sum cart.ts:14', reason: 'step' });
  await client.request('Debugger.setBlackboxPatterns', { patterns: ['other\\.ts$', 'cart\\.ts$'] });
  // The program has no other file, and nothing waits for the function.
  const description = 'end of sum, which no function called; use continue';
  expect(await client.runToPause('Debugger.stepInto')).toMatchObject({ data: { position: '0.1:1.1', description } });
  await client.request('Debugger.setBlackboxPatterns', { patterns: [] });
  expect(await client.runToPause('Debugger.stepInto')).toMatchObject({ data: { position: '0.1:1.2' } });
});

test('breakpoints of all kinds give the golden session', async () => {
  const client = await debugCart({ isMet: (_, { order }) => order > 1 });
  const set = (params: object): Promise<unknown> => client.requestRaw('Debugger.setBreakpointByUrl', params);
  await set({ url, lineNumber: 4 });
  await set({ url, lineNumber: 4 });
  await set({ url, lineNumber: 4, columnNumber: 6 });
  await set({ url, lineNumber: 4, columnNumber: 7 });
  await set({ urlRegex: 'src/cart\\.ts$', lineNumber: 13, condition: ' items.length > 1 ' });
  await set({ urlRegex: 'SRC/cart', lineNumber: 13 });
  await set({ url, lineNumber: 16 });
  await set({ url: 'file:///p/src/shop.ts', lineNumber: 1 });
  await set({ scriptHash: 'none', lineNumber: 1 });
  const parsed = client.log.received
    .filter(({ method }) => method === 'Debugger.scriptParsed')
    .map(({ params }) => params as { readonly hash: string; readonly scriptId: string });
  await set({ scriptHash: parsed.find((each) => each.scriptId === scriptId)?.hash, lineNumber: 14 });
  const log = '/** DEVTOOLS_LOGPOINT */ console.log("total", total)';
  await set({ url, lineNumber: 15, condition: `${log}\n\n//# sourceURL=debugger://logpoint` });
  await set({ url, lineNumber: 9, condition: 'limit < 3 //# sourceURL=debugger://breakpoint' });
  const exact = (lineNumber: number, columnNumber?: number, condition?: string): Promise<unknown> =>
    client.requestRaw('Debugger.setBreakpoint', { location: { scriptId, lineNumber, columnNumber }, condition });
  await exact(3);
  await exact(3, 4);
  await exact(3, 5, 'x');
  await exact(16);
  await exact(16);
  await client.request('TimeTravel.ask', { method: 'breakpoints' });
  for (let i = 0; i < 4; i++) await client.runToPause('Debugger.resume');
  await client.request('Debugger.removeBreakpoint', { breakpointId: `1:4:0:${url}` });
  await client.request('Debugger.removeBreakpoint', { breakpointId: 'none' });
  await client.request('TimeTravel.ask', { method: 'breakpoints' });
  await client.request('Debugger.setBreakpointsActive', { active: false });
  await client.request('Debugger.setBreakpointsActive', { active: false });
  await client.request('TimeTravel.ask', { method: 'breakpoints' });
  await set({ url, lineNumber: 6 });
  await client.request('Debugger.setSkipAllPauses', { skip: true });
  await client.runToPause('Debugger.resume');
  await client.request('Debugger.setSkipAllPauses', { skip: false });
  await client.request('TimeTravel.ask', { method: 'breakpoints' });
  await client.runToPause('TimeTravel.reverse');
  for (const state of ['all', 'caught', 'uncaught', 'none', 'all']) {
    await client.request('Debugger.setPauseOnExceptions', { state });
    await client.request('TimeTravel.ask', { method: 'breakpoints' });
  }
  await client.request('TimeTravel.setBreakpoint', { kind: 'output', text: 'ready' });
  await client.request('TimeTravel.setBreakpoint', { kind: 'output', condition: 'x', hitNumber: 2 });
  await client.request('TimeTravel.ask', { method: 'breakpoints' });
  await goTo(client, '0.2');
  for (let i = 0; i < 6; i++) await client.runToPause('Debugger.resume');
  for (let i = 0; i < 9; i++) await client.runToPause('TimeTravel.reverse');
  await client.request('Debugger.getPossibleBreakpoints', { start: { scriptId, lineNumber: 0 } });
  const range = (start: object, end: object): Promise<unknown> =>
    client.request('Debugger.getPossibleBreakpoints', { start: { scriptId, ...start }, end: { scriptId, ...end } });
  await range({ lineNumber: 4, columnNumber: 6 }, { lineNumber: 9, columnNumber: 4 });
  await range({ lineNumber: 4, columnNumber: 7 }, { lineNumber: 9, columnNumber: 5 });
  await client.requestRaw('Debugger.getPossibleBreakpoints', { start: { scriptId: '1', lineNumber: 0 } });
  await client.requestRaw('Debugger.getPossibleBreakpoints', { start: { scriptId: '9', lineNumber: 0 } });
  await client.request('Debugger.disable');
  await client.request('TimeTravel.ask', { method: 'breakpoints' });
  await set({ url, lineNumber: 4 });
  await expectGolden(client, 'breakpoints');
});

test('scripts and stacks give the golden session', async () => {
  const client = await debugCart();
  const search = (query: string, params: object = {}): Promise<unknown> =>
    client.requestRaw('Debugger.searchInContent', { scriptId, query, ...params });
  await client.request('Debugger.getScriptSource', { scriptId });
  await client.request('Debugger.getScriptSource', { scriptId: '1' });
  await search('total');
  await search('TOTAL +=');
  await search('TOTAL', { caseSensitive: true });
  await search('Error(', { caseSensitive: true });
  await search('T.TAL', { isRegex: true });
  await search('T.TAL', { isRegex: true, caseSensitive: true });
  await search('t.tal', { isRegex: true, caseSensitive: true });
  await search('t.tal');
  await search('(', { isRegex: true });
  const stackOf = async (paused: PausedEvent): Promise<void> => {
    await client.requestRaw('Debugger.getStackTrace', { stackTraceId: paused.asyncStackTraceId ?? { id: 'none' } });
  };
  await stackOf(await goTo(client, '0.2:1.5'));
  const nested = await goTo(client, '1.1:1.1');
  await stackOf(nested);
  await client.request('Debugger.setAsyncCallStackDepth', { maxDepth: 1 });
  await stackOf(nested);
  await client.request('Runtime.setAsyncCallStackDepth', { maxDepth: 0 });
  const inner = await goTo(client, '0.2:1.5');
  await client.request('Debugger.setAsyncCallStackDepth', { maxDepth: 5 });
  await stackOf(nested);
  await client.runToPause('Debugger.restartFrame', { callFrameId: inner.callFrames[1]?.callFrameId });
  const again = await goTo(client, '0.2:1.5');
  await client.requestRaw('Debugger.restartFrame', { callFrameId: inner.callFrames[0]?.callFrameId });
  await client.runToPause('Debugger.restartFrame', { callFrameId: again.callFrames[0]?.callFrameId });
  const first = await goTo(client, '0.1:1.1');
  await client.requestRaw('Debugger.restartFrame', { callFrameId: first.callFrames[1]?.callFrameId });
  await stackOf(await goTo(client, '0.1'));
  await stackOf(await goTo(client, '1.2'));
  await goTo(client, 'end');
  await expectGolden(client, 'stacks');
});

test('functions that await the stack are its asynchronous part, before the senders', async () => {
  const client = await debugCart({ tasks: SUSPENDED_CART_TASKS, awaiting: CART_AWAITERS.slice(0, 3) });
  const { asyncStackTrace } = await goTo(client, '0.2:1.5');
  const outermost = asyncStackTrace?.parent?.parent;
  await client.request('Debugger.getStackTrace', { stackTraceId: outermost?.parentId });
  await client.request('Debugger.setAsyncCallStackDepth', { maxDepth: 1 });
  await goTo(client, '0.2:1.6');
  await client.request('Debugger.setAsyncCallStackDepth', { maxDepth: 0 });
  await goTo(client, '0.2:1.5');
  await expectGolden(client, 'awaiting');
});

class Purse {
  coins = 3;
  get sum(): number {
    return this.coins;
  }
}

test('values, their previews and pages give the golden session', async () => {
  const list = Array.from({ length: 250 }, (_, i) => i);
  const purse = new Purse();
  const cause = new RangeError('too many');
  Object.defineProperty(cause, 'stack', { value: 'RangeError: too many\n    at add (file:///p/src/cart.ts:5:7)' });
  const inner = {
    this: purse,
    count: 2,
    later: UNINITIALIZED,
    nothing: null,
    none: undefined,
    yes: true,
    minus: -0,
    big: 12n,
    nan: NaN,
    symbol: Symbol('s'),
    list,
    pair: [1, 'a'],
    bytes: new Uint8Array(3),
    text: 'tea',
    long: 'x'.repeat(1001),
    huge: 'y'.repeat(100_001),
    date: new Date(0),
    pattern: /a/g,
    cause,
    stock: new Map<unknown, unknown>([
      ['tea', { price: 3 }],
      [1, 2n],
      [2n, () => 1],
      [true, null],
      [purse, undefined],
      [NaN, 'x'],
    ]),
    tags: new Set<unknown>(['a', purse, 3]),
    soon: Promise.resolve(1),
    wide: Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`p${i}`, i])),
    five: { a: 1, b: { c: [] }, d: () => 1, e: 'text', f: new Map() },
    hidden: Object.defineProperty({}, 'secret', { value: 1, enumerable: false }),
    accessor: Object.defineProperty({}, 'sum', { get: () => 1, enumerable: true }),
    fails: () => {
      throw new RangeError('too many');
    },
    Purse,
  };
  const values = new ScriptedValues([inner, { this: { id: 7 }, total: 7, items: [list.slice(0, 3)] }], (object) =>
    object === purse ? [['#owner', 'Ann']] : [],
  );
  const liveActors = [
    { name: 'main', state: { ready: true } },
    { name: 'Cart#1', state: purse, mailbox: [[1, 2], [{ a: 1 }]] },
    { name: 'Cart#2' },
  ];
  const client = await debugCart({ values, liveActors });
  type Properties = { readonly result: readonly { readonly name: string; readonly value?: CdpRemoteObject }[] };
  const properties = async (
    objectId: string | undefined,
    params: object = {},
  ): Promise<Record<string, string | undefined>> => {
    const { result } = await client.request<Properties>('Runtime.getProperties', { objectId, ...params });
    return Object.fromEntries(result.map(({ name, value }) => [name, value?.objectId]));
  };
  const { callFrames } = await goTo(client, '0.2:1.5');
  const [top, outer] = callFrames;
  const scope = await properties(top?.scopeChain[0]?.object.objectId);
  await properties(top?.scopeChain[0]?.object.objectId, { generatePreview: true });
  for (const name of ['pair', 'bytes', 'cause', 'stock', 'tags', 'five', 'hidden', 'accessor', 'fails'])
    await properties(scope[name]);
  await properties(scope['wide'], { generatePreview: true });
  await properties(scope['wide'], { accessorPropertiesOnly: true });
  await properties(top?.this.objectId);
  const pages = await properties(scope['list']);
  for (const name of Object.keys(pages).filter((each) => each.startsWith('['))) await properties(pages[name]);
  const global = await properties(top?.scopeChain[1]?.object.objectId, { generatePreview: true });
  for (const id of Object.values(global)) if (id !== undefined) await properties(id);
  const outerScope = await properties(outer?.scopeChain[0]?.object.objectId);
  await properties(outerScope['items']);
  await properties(outer?.this.objectId);
  await properties(scope['five']);
  await client.requestRaw('Runtime.getProperties', { objectId: '9999' });
  await client.requestRaw('Runtime.releaseObject', { objectId: scope['five'] });
  const evaluate = (expression: string, params: object = {}): Promise<unknown> =>
    client.requestRaw('Runtime.evaluate', { expression, ...params });
  for (const expression of ['count + 1', 'long', 'huge', '{ a: [count] }', 'wide', 'fails()', 'nowhere', 'undefined']) {
    await evaluate(expression);
    await evaluate(expression, { returnByValue: true });
    await evaluate(expression, { generatePreview: true });
  }
  await evaluate('count = 3');
  await evaluate('count = 3', { throwOnSideEffect: true });
  await evaluate('count = 3', { objectGroup: 'popover' });
  await evaluate('count = 3', { objectGroup: 'console' });
  await evaluate('wide.p0 = {}', { returnByValue: true });
  await evaluate('() => 1', { returnByValue: true });
  await evaluate('list', { generatePreview: true });
  const inFrame = (frame: typeof top, expression: string): Promise<unknown> =>
    client.requestRaw('Debugger.evaluateOnCallFrame', { callFrameId: frame?.callFrameId, expression });
  await inFrame(top, 'count');
  await inFrame(outer, 'total');
  await inFrame(outer, 'count');
  await inFrame(outer, 'total = 1');
  const call = (functionDeclaration: string, params: object): Promise<unknown> =>
    client.requestRaw('Runtime.callFunctionOn', { functionDeclaration, ...params });
  const byValue = { returnByValue: true };
  await call('function () { return this.coins; }', { objectId: top?.this.objectId });
  await call('function (a, b, c, d) { return [a, b, String(c), d]; }', {
    objectId: scope['wide'],
    arguments: [{ value: 'x' }, {}, { unserializableValue: '-0' }, { objectId: scope['pair'] }],
    ...byValue,
  });
  await call('() => 7', {});
  await call('function () { return this.length; }', { objectId: outerScope['items'] });
  await call('function (a) { return a; }', { objectId: outerScope['items'], arguments: [{ objectId: scope['pair'] }] });
  await call('function () { return this; }', { objectId: scope['wide'], generatePreview: true });
  await call('function () { return this; }', { objectId: global['main'] });
  await call(`function () { return "${'x'.repeat(9951)}"; }`, {});
  await call(`function () { return "${'x'.repeat(9952)}"; }`, {});
  for (const line of [
    'TimeTravel.cursor()',
    ' TimeTravel.move( {"move": "task"} ) ; ',
    "TimeTravel.goto('0.2:1.5')",
    'TimeTravel.goto("9.9")',
    'TimeTravel.goto("x',
    'TimeTravel.fly()',
    'TimeTravel.goto(5)',
    'TimeTravel.output({"from": 2})',
  ]) {
    await evaluate(line, { includeCommandLineAPI: true });
    await evaluate(line, { objectGroup: 'node-inspect' });
    await evaluate(line, { includeCommandLineAPI: true, throwOnSideEffect: true });
    await evaluate(line, { objectGroup: 'console' });
  }
  await client.requestRaw('Runtime.getProperties', { objectId: scope['five'] });
  await client.requestRaw('Debugger.evaluateOnCallFrame', { callFrameId: top?.callFrameId, expression: '1' });
  await expectGolden(client, 'values');
});
