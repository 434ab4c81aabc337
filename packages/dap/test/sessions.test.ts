// Sessions of an editor word for word (golden/*.txt), on a recording with statements: moves, breakpoints, stacks and
// values.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DapClient } from '../../../test/dap/dap-client.ts';
import { CART_AWAITERS, CART_PATH, SUSPENDED_CART_TASKS } from '../../time-machine/test/scripted-server.ts';
import { ScriptedValues, UNINITIALIZED } from '../../time-machine/test/scripted-values.ts';
import { launchCart, startCart, transcript } from './scripted-session.ts';

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);
const source = { path: CART_PATH };
const THREAD = { threadId: 1 };

async function expectGolden(client: DapClient, name: string): Promise<void> {
  await client.request('disconnect');
  await client.closed;
  await expect(transcript(client)).toMatchFileSnapshot(golden(name));
}

test('steps, forward and back and between threads, give the golden session', async () => {
  const client = await startCart();
  for (const command of ['next', 'next', 'stepIn', 'stepIn']) await client.runToStop(command, THREAD);
  for (let i = 0; i < 4; i++) await client.runToStop('stepIn', { ...THREAD, granularity: 'instruction' });
  for (const command of ['next', 'stepOut']) await client.runToStop(command, THREAD);
  for (const command of ['stepBack', 'stepBack', 'stepBack', 'stepBack'])
    await client.runToStop(command, { threadId: 2 });
  await client.runToStop('stepBack', { threadId: 2, granularity: 'instruction' });
  await client.runToStop('next', { threadId: 1 });
  await client.runToStop('next', { threadId: 1, granularity: 'line' });
  await client.runToStop('stepBack', { threadId: 2 });
  await client.runToStop('stepBack', { threadId: 1 });
  await client.runToStop('stepBack', { threadId: 2 });
  await client.runToStop('stepBack');
  await client.runToStop('restart');
  await client.runToStop('stepBack');
  await client.runToStop('continue', THREAD);
  await client.runToStop('continue', THREAD);
  await client.runToStop('next', THREAD);
  await client.runToStop('reverseContinue', THREAD);
  await client.runToStop('pause', THREAD);
  await client.request('turntable/moves');
  await client.request('turntable/cursor');
  await client.request('turntable/move', { move: 'task' });
  await client.request('turntable/move', { move: 'task', direction: 'backward' });
  await client.request('turntable/move', { move: 'task', direction: 'backward' });
  await client.request('turntable/move', { move: 'goto', arguments: { target: '0.2:1.3' } });
  await client.request('turntable/find', { move: 'task', direction: 'forward' });
  await client.request('turntable/find', { move: 'task', from: '1.1' });
  await client.request('turntable/find', { move: 'message', arguments: { number: 2 } }).catch(() => {});
  await client.request('turntable/ask', { method: 'receivers', params: { task: 1, count: 5 } });
  await client.request('turntable/ask', { method: 'breakpoints' });
  await client.request('turntable/output');
  await client.request('turntable/output', { from: 2 });
  await client.request('turntable/output', { from: 0, to: 3 });
  await client.request('turntable/output', { from: 4, to: 4 });
  await expectGolden(client, 'steps');
});

test('breakpoints of all kinds give the golden session', async () => {
  const client = await launchCart({ isMet: (_, { order }) => order > 1 });
  const lines = [
    { line: 5 },
    { line: 5, column: 7 },
    { line: 6 },
    { line: 14, condition: ' items.length > 1 ' },
    { line: 16, condition: ' ', hitCondition: '' },
    { line: 7, hitCondition: '== 1' },
    { line: 7, hitCondition: '=2' },
    { line: 7, hitCondition: '0' },
    { line: 7, hitCondition: '> 2' },
    { line: 17 },
    { line: 18 },
    { line: 19 },
    { line: 10, logMessage: '{limit} at `most`' },
    { line: 10, logMessage: '' },
    { line: 10, logMessage: 'x', hitCondition: '1' },
  ];
  await client.request('setBreakpoints', { source, breakpoints: lines });
  await client.request('configurationDone');
  await client.nextStop();
  for (let i = 0; i < 10; i++) await client.runToStop('continue', THREAD);
  await client.runToStop('reverseContinue', THREAD);
  // Breakpoints that are repeated keep their ids; the others are removed.
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 16 }, { line: 14 }, { line: 5, column: 7 }] });
  await client.request('turntable/ask', { method: 'breakpoints' });
  await client.request('setBreakpoints', { source: { path: '/elsewhere/src/cart.ts' }, breakpoints: [{ line: 15 }] });
  await client.request('setBreakpoints', { source: { sourceReference: 1 }, breakpoints: [{ line: 4 }] });
  await client.request('setBreakpoints', { source: { path: '/p/other.ts' }, breakpoints: [{ line: 4 }] });
  await client.request('setBreakpoints', { source, breakpoints: [] });
  await client.request('breakpointLocations', { source, line: 5 });
  await client.request('breakpointLocations', { source, line: 5, endLine: 10 });
  await client.request('breakpointLocations', { source, line: 5, column: 7, endLine: 10, endColumn: 4 });
  await client.request('breakpointLocations', { source, line: 5, column: 8, endLine: 10, endColumn: 5 });
  await client.request('breakpointLocations', { source, line: 6 });
  await client.request('breakpointLocations', { source: { path: '/p/other.ts' }, line: 5 });
  await client.request('setFunctionBreakpoints', {
    breakpoints: [
      { name: 'Cart.add' },
      { name: ' sum ', condition: 'x' },
      { name: 'Cart#1.check' },
      { name: 'output', hitCondition: '1' },
      { name: 'device  clock.*' },
      { name: 'send Cart*.add' },
      { name: 'add', hitCondition: 'never' },
    ],
  });
  await client.request('turntable/ask', { method: 'breakpoints' });
  await client.request('setExceptionBreakpoints', {
    filters: ['all', 'uncaught', 'nothing'],
    filterOptions: [
      { filterId: 'all', condition: 'like too expensive' },
      { filterId: 'all', condition: 'like too  if x > 1' },
      { filterId: 'rejections', condition: ' y ' },
      { filterId: 'uncaught' },
    ],
  });
  await client.request('turntable/ask', { method: 'breakpoints' });
  await client.runToStop('restart');
  for (let i = 0; i < 6; i++) {
    await client.runToStop('continue', THREAD);
    await client.requestRaw('exceptionInfo', THREAD);
  }
  await client.request('setFunctionBreakpoints', { breakpoints: [] });
  await client.request('setExceptionBreakpoints', { filters: ['all'] });
  await client.request('turntable/ask', { method: 'breakpoints' });
  await client.runToStop('reverseContinue', THREAD);
  await client.requestRaw('exceptionInfo', THREAD);
  await client.runToStop('stepBack', THREAD);
  await client.requestRaw('exceptionInfo', THREAD);
  await expectGolden(client, 'breakpoints');
});

test('stacks, sources and goto targets give the golden session', async () => {
  const client = await startCart();
  const stack = (args: object = {}): Promise<unknown> => client.request('stackTrace', { threadId: 1, ...args });
  await client.request('threads');
  await stack();
  await client.request('stackTrace', { threadId: 2 });
  const frameOf = async (command: string): Promise<number> => (await client.runToStop(command, THREAD)).frame;
  await frameOf('stepIn');
  await stack();
  for (let i = 0; i < 3; i++) await frameOf('stepIn');
  const top = await frameOf('stepIn');
  const inTwo = { threadId: 2 };
  await client.request('stackTrace', inTwo);
  await client.request('stackTrace', { ...inTwo, startFrame: 0, levels: 1 });
  await client.request('stackTrace', { ...inTwo, startFrame: 1, levels: 1 });
  await client.request('stackTrace', { threadId: 1 });
  await client.request('stackTrace', { threadId: 1, startFrame: 1, levels: 1 });
  await client.request('threads');
  await client.runToStop('restartFrame', { frameId: top });
  await client.request('turntable/move', { move: 'goto', arguments: { target: '0.2:1.5' } });
  const { stackFrames } = await client.request('stackTrace', inTwo);
  for (const [startFrame, levels] of [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 1],
    [1, 2],
    [2, 1],
    [3, 1],
    [4, 9],
    [1, 0],
  ])
    await client.request('stackTrace', { ...inTwo, startFrame, levels });
  const [, outer, label, sender] = stackFrames as unknown as { id: number }[];
  for (const frame of [outer, label, sender]) {
    await client.requestRaw('evaluate', { expression: '1', frameId: frame?.id });
    await client.requestRaw('scopes', { frameId: frame?.id });
    await client.requestRaw('dataBreakpointInfo', { name: 'total', frameId: frame?.id });
  }
  await client.requestRaw('restartFrame', { frameId: label?.id });
  await client.runToStop('restartFrame', { frameId: sender?.id });
  await client.request('turntable/move', { move: 'goto', arguments: { target: '0.2:1.5' } });
  await client.request('loadedSources');
  await client.request('source', { sourceReference: 1 });
  await client.request('source', { sourceReference: 0, source });
  await client.request('source', { sourceReference: 0, source: { path: '/x/src/cart.ts' } });
  await client.requestRaw('source', { sourceReference: 2 });
  await client.requestRaw('source', { sourceReference: 0, source: { path: '/x/src/shop.ts' } });
  const targets: { id: number }[] = [];
  for (const place of [{ line: 5 }, { line: 5, column: 7 }, { line: 4 }, { line: 14 }, { line: 12 }, { line: 10 }]) {
    const found = await client.request('gotoTargets', { source, ...place });
    targets.push(...(found['targets'] as unknown as { id: number }[]));
  }
  await client.requestRaw('gotoTargets', { source: { path: '/x.ts' }, line: 1 });
  await client.runToStop('goto', { ...THREAD, targetId: targets[1]?.id });
  await client.runToStop('goto', { ...THREAD, targetId: targets[0]?.id });
  await client.runToStop('continue', THREAD);
  await client.request('stackTrace', { threadId: 1 });
  await client.request('stackTrace', { threadId: 2 });
  await client.request('threads');
  await expectGolden(client, 'stacks');
});

test('functions that await the stack give the golden session', async () => {
  const values = new ScriptedValues([{ count: 2 }, { total: 7 }, { items: [{ price: 3 }] }]);
  const client = await startCart({ tasks: SUSPENDED_CART_TASKS, awaiting: CART_AWAITERS, values });
  const inTwo = { threadId: 2 };
  await client.runToStop('turntable/move', { move: 'goto', arguments: { target: '0.2:1.5' } });
  const { stackFrames } = await client.request('stackTrace', inTwo);
  await client.request('stackTrace', { ...inTwo, startFrame: 33, levels: 4 });
  const [, , sum, add, ...others] = stackFrames as unknown as { id: number }[];
  const frameId = sum?.id;
  const { scopes } = await client.request('scopes', { frameId });
  const [{ variablesReference = 0 } = {}] = scopes as unknown as { variablesReference: number }[];
  await client.request('variables', { variablesReference });
  await client.request('evaluate', { expression: 'items[0].price', frameId });
  await client.requestRaw('evaluate', { expression: 'items = []', frameId });
  await client.request('dataBreakpointInfo', { name: 'items', variablesReference });
  await client.request('dataBreakpointInfo', { name: 'items.length', frameId });
  await client.requestRaw('restartFrame', { frameId: add?.id });
  await client.requestRaw('restartFrame', { frameId: others.at(30)?.id });
  await client.runToStop('restartFrame', { frameId });
  await expectGolden(client, 'awaiting');
});

class Purse {
  coins = 3;
  get sum(): number {
    return this.coins;
  }
}

test('values in pages, and expressions in all frames, give the golden session', async () => {
  const list = Array.from({ length: 250 }, (_, i) => i);
  const purse = new Purse();
  const values = new ScriptedValues(
    [
      {
        this: purse,
        count: 2,
        later: UNINITIALIZED,
        list,
        short: 'tea',
        edge: 'y'.repeat(1000),
        long: 'x'.repeat(1001),
        stock: new Map<unknown, unknown>([['tea', { price: 3 }]]),
        wide: Object.fromEntries([
          ['a', 1],
          ['b c', 2],
        ]),
        hidden: Object.defineProperty({}, 'secret', { value: 1, enumerable: false }),
        accessor: Object.defineProperty({}, 'sum', { get: () => 1, enumerable: true }),
        fails: () => {
          throw new RangeError('too many');
        },
      },
      { total: 7, items: [list.slice(0, 3)] },
    ],
    (object) => (object === purse ? [['#owner', 'Ann']] : []),
  );
  const liveActors = [
    { name: 'main', state: { ready: true } },
    { name: 'Cart#1', state: purse, mailbox: [[1, 2], [{ a: 1 }]] },
  ];
  const client = await startCart({ values, liveActors });
  const stop = await client.runToStop('turntable/move', { move: 'goto', arguments: { target: '0.2:1.5' } });
  const variables = async (reference: number | undefined, range: object = {}): Promise<Record<string, number>> => {
    const response = await client.request('variables', { variablesReference: reference, ...range });
    const list = response['variables'] as unknown as { name: string; variablesReference: number }[];
    return Object.fromEntries(list.map((each) => [each.name, each.variablesReference]));
  };
  const scopesOf = async (frameId: number | undefined): Promise<number[]> => {
    const { scopes } = await client.request('scopes', { frameId });
    return (scopes as unknown as { variablesReference: number }[]).map((each) => each.variablesReference);
  };
  const { stackFrames } = await client.request('stackTrace', { threadId: 2 });
  const [inner, outer] = stackFrames as unknown as { id: number }[];
  const [locals] = await scopesOf(inner?.id);
  const top = await variables(locals);
  for (const name of ['this', 'stock', 'wide', 'hidden', 'accessor', 'fails', 'long']) await variables(top[name]);
  const pages = await variables(top['list']);
  await variables(pages['[100 … 199]']);
  await variables(pages['[200 … 251]'], { start: 1, count: 2 });
  await variables(pages['[200 … 251]']);
  await variables(top['list'], { start: 249, count: 10 });
  await variables(top['list'], { start: 5, count: 1 });
  await variables(top['list'], { count: 2 });
  const [outerLocals] = await scopesOf(outer?.id);
  const outerTop = await variables(outerLocals);
  await variables(outerTop['items']);
  // Variables of the inner frame are loaded again, although ids of the outer one have replaced theirs.
  await variables(top['this']);
  const evaluate = (expression: string, frameId?: number, context?: string): Promise<unknown> =>
    client.requestRaw('evaluate', { expression, frameId, context });
  for (const context of [undefined, 'hover', 'watch', 'repl', 'clipboard']) {
    await evaluate('count + 1', inner?.id, context);
    await evaluate('count = 3', inner?.id, context);
    await evaluate('{ a: [count], b: list.length }', inner?.id, context);
    await evaluate('edge + long', undefined, context);
    await evaluate('total', outer?.id, context);
    await evaluate('fails()', inner?.id, context);
    await evaluate('() => 1', inner?.id, context);
  }
  const complete = (text: string, column: number, frameId?: number, line?: number): Promise<unknown> =>
    client.request('completions', { text, column, line, frameId });
  await complete('1 + co', 7, inner?.id);
  await complete('list.len + 1', 9);
  await complete('count;\nlist.l', 7, inner?.id, 2);
  await complete('tot', 4, outer?.id);
  const info = (args: object): Promise<Record<string, unknown>> => client.request('dataBreakpointInfo', args);
  await info({ name: 'count' });
  await info({ name: ' ' });
  await info({ name: 'count', variablesReference: 0 });
  const data = await info({ name: 'coins', variablesReference: top['this'] });
  await info({ name: 'sum', variablesReference: top['accessor'] });
  await info({ name: 'total', frameId: outer?.id });
  await info({ name: 'count', frameId: stop.frame });
  await client.request('setDataBreakpoints', {
    breakpoints: [
      { dataId: data['dataId'] },
      { dataId: data['dataId'], accessType: 'write' },
      { dataId: data['dataId'], accessType: 'read' },
      { dataId: data['dataId'], condition: 'x' },
      { dataId: data['dataId'], hitCondition: '2' },
      { dataId: '{"expression":"x"}' },
      { dataId: '{"position":"0.1"}' },
      { dataId: 'x' },
    ],
  });
  await client.runToStop('continue', THREAD);
  await client.runToStop('reverseContinue', THREAD);
  await client.request('setDataBreakpoints', { breakpoints: [] });
  await client.runToStop('turntable/move', { move: 'goto', arguments: { target: '0.2:1.5' } });
  const idle = await client.request('stackTrace', { threadId: 1 });
  const [idleFrame] = idle['stackFrames'] as unknown as { id: number }[];
  for (const reference of await scopesOf(idleFrame?.id)) await variables(reference);
  await client.runToStop('next', { threadId: 1 });
  const cart = await client.request('stackTrace', { threadId: 2 });
  const [cartFrame] = cart['stackFrames'] as unknown as { id: number }[];
  await evaluate('1', cartFrame?.id);
  for (const reference of await scopesOf(cartFrame?.id)) await variables(reference);
  // References and frames end with a move.
  await client.requestRaw('variables', { variablesReference: top['list'] });
  await client.requestRaw('scopes', { frameId: inner?.id });
  await expectGolden(client, 'values');
});

test('an editor that counts lines and columns from 0 gives the golden session', async () => {
  const initialize = { adapterID: 'turntable', linesStartAt1: false, columnsStartAt1: false };
  const client = await launchCart({}, { initialize });
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 4 }, { line: 4, column: 6 }, { line: 18 }] });
  await client.request('breakpointLocations', { source, line: 3, column: 0, endLine: 9, endColumn: 4 });
  await client.request('setBreakpoints', { source, breakpoints: [{ line: 9, logMessage: 'x' }, { line: 4 }] });
  await client.request('configurationDone');
  await client.nextStop();
  await client.nextEvent('output');
  await client.runToStop('continue', THREAD);
  await client.request('stackTrace', { threadId: 2 });
  await client.request('gotoTargets', { source, line: 4, column: 6 });
  await client.request('completions', { text: 'Ma', column: 2 });
  await expectGolden(client, 'counted-from-0');
});
