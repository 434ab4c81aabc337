// Breakpoints, as clients use them: at functions, at groups of events, at starts of tasks; disabled, ignored, temporary.
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import type { MoveResult, ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer, type TimeMachineDeps } from '@turntable/time-machine/server';
import { CART_FUNCTIONS, scriptedRecording, type ScriptedTask, type ScriptOptions } from './scripted-recording.ts';

/** Three turns and a callback: the cart adds twice, checks its total and throws; a service is called. */
const TASKS: readonly ScriptedTask[] = [
  { kind: 'evaluation', actor: 'main', method: '', statements: [14, 15, { line: 15, events: [['stdout', 'ready']] }] },
  { statements: [4, 5, 4, { line: 5, events: [['send', 'Stock#1.take']] }, 7] },
  {
    kind: 'entry',
    actor: 'main',
    method: 'http',
    beginsPhase: true,
    events: [['request', 'POST /orders']],
    statements: [
      14,
      { line: 15, events: [['stderr', 'slow']] },
      { line: 16, events: [['device', 'clock.now']] },
      { line: 16, events: [['stdout', 'done\nsecond line']] },
    ],
  },
  {
    method: 'check',
    statements: [
      4,
      { line: 10, depth: 2, events: [['caught', 'Error: too expensive']] },
      { line: 10, depth: 2, events: [['rejection', 'Error: out of stock']] },
      { line: 7, events: [['uncaught', 'TypeError: x']] },
    ],
  },
  { kind: 'jobs', actor: 'main', statements: [{ line: 16, events: [['unhandled', 'Error: out of stock']] }] },
];

interface Fixture {
  readonly client: Client;
  readonly hello: ResultOf<'hello'>;
  readonly add: (params: ParamsOf<'addBreakpoint'>) => Promise<number>;
  readonly run: (direction?: 'forward' | 'backward', count?: number) => Promise<MoveResult>;
  /** Positions of all stops from the start forward, after a check that those backward are the same. */
  readonly stops: () => Promise<string[]>;
  readonly searchCount: () => number;
}

async function open(options: ScriptOptions = {}, more: Partial<TimeMachineDeps> = {}): Promise<Fixture> {
  const { runIndex, deps, searchCount } = scriptedRecording(TASKS, options);
  const recording = { name: 'cart', from: undefined, verdict: 'same' };
  const server = new TimeMachineServer(runIndex, recording, '1.2.3', { ...deps, ...more });
  const client = new Client(server.openWire());
  const hello = await client.hello('test');
  const run: Fixture['run'] = (direction = 'forward', count = 1) =>
    client.request('move', { move: 'continue', direction, count });
  const goTo = (target: string): Promise<MoveResult> => client.request('move', { move: 'goto', arguments: { target } });
  const all = async (direction: 'forward' | 'backward'): Promise<string[]> => {
    const found: string[] = [];
    await goTo(direction === 'forward' ? 'start' : 'end');
    for (let stop = await run(direction); isStop(stop); stop = await run(direction)) found.push(stop.cursor.position);
    return found;
  };
  return {
    client,
    hello,
    searchCount,
    add: async (params) => (await client.request('addBreakpoint', params)).id,
    run,
    stops: async () => {
      const [forward, backward] = [await all('forward'), await all('backward')];
      // A stop at the very start is not ahead of the start, and the edge backward.
      expect(backward.toReversed()).toEqual(forward);
      await goTo('start');
      return forward;
    },
  };
}

test('a breakpoint of a function stops at the first statement of each function of the name, in both directions', async () => {
  const copy = 'file:///p/src/copy.ts';
  const { add, stops, client } = await open(
    {},
    {
      sourceFiles: () => ['file:///p/src/cart.ts', copy],
      findSource: () => 'sum add check',
      findFunctions: (file) => (file === copy ? [{ ...CART_FUNCTIONS[2]!, name: 'add' }] : CART_FUNCTIONS),
      // The functions of the copy begin at the line at which `sum` begins.
      findStatements: () =>
        [
          [4, 5],
          [10, 5],
          [14, 3],
        ].map(([line = 1, column = 1]) => ({
          line,
          column,
          endLine: line,
          endColumn: 40,
          function: '',
          kind: 'statement',
        })),
    },
  );
  expect((await client.request('locations', { function: 'add' })).locations).toEqual([
    { file: 'file:///p/src/cart.ts', line: 4, column: 5 },
    { file: copy, line: 14, column: 3 },
  ]);
  const id = await add({ function: 'Cart.add' });
  expect(await stops()).toEqual(['0.2:1.1', '0.2:1.3', '1.2:1.1']);
  await client.request('removeBreakpoint', { id });
  await add({ function: 'check' });
  expect(await stops()).toEqual(['1.2:1.2', '1.2:1.3']);
});

test('several functions of a name are one breakpoint, whose hits are counted together', async () => {
  const both = { ...CART_FUNCTIONS[2]!, name: 'add' };
  const { add, stops, client } = await open({}, { findFunctions: () => [CART_FUNCTIONS[0]!, both] });
  await add({ function: 'add' });
  expect(await stops()).toEqual(['0.1:1.1', '0.2:1.1', '0.2:1.3', '1.1:1.1', '1.2:1.1']);
  await client.request('removeBreakpoint', { id: 1 });
  await add({ function: 'add', hitNumber: 4 });
  expect(await stops()).toEqual(['1.1:1.1']);
});

test('a condition of a function breakpoint applies at each location', async () => {
  const { add, stops, client } = await open({ isMet: (condition, { order }) => condition === `task ${order}` });
  const id = await add({ function: 'add', condition: 'task 4' });
  expect(await stops()).toEqual(['1.2:1.1']);
  const changed = await client.request('updateBreakpoint', { id, condition: 'task 2' });
  expect(changed).toEqual({ id, function: 'add', condition: 'task 2', isEnabled: true });
  expect(await stops()).toEqual(['0.2:1.1', '0.2:1.3']);
  expect((await client.request('updateBreakpoint', { id, condition: '' })).condition).toBeUndefined();
  expect(await stops()).toEqual(['0.2:1.1', '0.2:1.3', '1.2:1.1']);
});

test('a breakpoint of exceptions stops at each error once, whether caught or not', async () => {
  const { add, stops } = await open();
  await add({ kind: 'exception' });
  expect(await stops()).toEqual(['1.2:1.2', '1.2:1.3', '1.2:1.4']);
});

test.each([
  [{ kind: 'caught' }, ['1.2:1.2']],
  [{ kind: 'rejection' }, ['1.2:1.3']],
  // An uncaught error stops at its throw and, if it was reported before, at the report.
  [{ kind: 'uncaught' }, ['1.2:1.4', '1.3:1.1']],
  [{ kind: 'exception', text: 'stock' }, ['1.2:1.3']],
  [{ kind: 'exception', text: 'Error: *' }, ['1.2:1.2', '1.2:1.3']],
  [{ kind: 'exception', hitNumber: 2 }, ['1.2:1.3']],
  [{ kind: 'output' }, ['0.1:1.3', '1.1:1.2', '1.1:1.4']],
  [{ kind: 'output', text: 'do' }, ['1.1:1.4']],
  // A text with * must match the first line as a whole.
  [{ kind: 'output', text: '*e' }, ['1.1:1.4']],
  [{ kind: 'output', text: 'd*w' }, []],
  [{ kind: 'output', hitNumber: 3 }, ['1.1:1.4']],
  [{ kind: 'stdout' }, ['0.1:1.3', '1.1:1.4']],
  [{ kind: 'stderr' }, ['1.1:1.2']],
  [{ kind: 'device', text: 'clock' }, ['1.1:1.3']],
  [{ kind: 'send', text: 'Stock*.take' }, ['0.2:1.4']],
  [{ kind: 'request' }, ['1.1']],
] as const)('a breakpoint %o stops at its events in both directions', async (params, expected) => {
  const { add, stops } = await open();
  await add(params);
  expect(await stops()).toEqual(expected);
});

test.each([
  // A stop at the first task is the start of the recording, which is an edge.
  [{ kind: 'task' }, ['0.2', '1.1', '1.2', '1.3']],
  [{ kind: 'task', text: 'callback' }, ['1.1']],
  [{ kind: 'turn' }, ['0.2', '1.2']],
  [{ kind: 'turn', text: '.check' }, ['1.2']],
  [{ kind: 'turn', text: 'Cart*.add' }, ['0.2']],
  [{ kind: 'turn', hitNumber: 2 }, ['1.2']],
  [{ kind: 'turn', hitNumber: 3 }, []],
  [{ kind: 'callback' }, ['1.1']],
  [{ kind: 'callback', text: 'timer' }, []],
  [{ kind: 'snapshot' }, ['1.1']],
  [{ kind: 'actor', text: 'Cart*' }, ['0.2', '1.2']],
  [{ kind: 'actor', text: 'main' }, ['1.1', '1.3']],
  [{ kind: 'worker', text: '0' }, ['0.2', '1.1', '1.2', '1.3']],
  [{ kind: 'worker', text: '3' }, []],
] as const)('a breakpoint %o stops at starts of tasks in both directions', async (params, expected) => {
  const { add, run, client, searchCount } = await open();
  await add(params);
  const found: string[] = [];
  for (let stop = await run(); isStop(stop); stop = await run()) found.push(stop.cursor.position);
  expect(found).toEqual(expected);
  const back: string[] = [];
  for (let stop = await run('backward'); isStop(stop); stop = await run('backward')) {
    back.push(stop.cursor.position);
    if (stop.cursor.order === 1) break;
  }
  expect(back.filter((each) => each !== '0.1').toReversed()).toEqual(expected);
  // The run index has the answers.
  expect(searchCount()).toBe(0);
  expect((await client.request('cursor', {})).order).toBe(1);
});

test('the nearest of all breakpoints stops a move, and the result has the numbers of all that stop there', async () => {
  const { add, run } = await open();
  const [line, turn, cause, other] = [
    await add({ file: 'cart.ts', line: 10 }),
    await add({ kind: 'turn' }),
    await add({ kind: 'caught' }),
    await add({ file: 'src/cart.ts', line: 5 }),
  ];
  const stops: unknown[] = [];
  for (let stop = await run(); isStop(stop); stop = await run()) stops.push([stop.cursor.position, stop.breakpoints]);
  expect(stops).toEqual([
    ['0.2', [turn]],
    ['0.2:1.2', [other]],
    ['0.2:1.4', [other]],
    ['1.2', [turn]],
    ['1.2:1.2', [line, cause]],
    ['1.2:1.3', [line]],
  ]);
});

test('a disabled breakpoint does not stop, until it is enabled', async () => {
  const { add, stops, client, searchCount } = await open();
  const [line, turn] = [await add({ file: 'cart.ts', line: 7 }), await add({ kind: 'turn', isEnabled: false })];
  expect(await stops()).toEqual(['0.2:1.5', '1.2:1.4']);
  const searches = searchCount();
  expect(await client.request('updateBreakpoint', { id: line, isEnabled: false })).toMatchObject({ isEnabled: false });
  await client.request('updateBreakpoint', { id: turn, isEnabled: true });
  expect(await stops()).toEqual(['0.2', '1.2']);
  await client.request('updateBreakpoint', { id: line, isEnabled: true });
  expect(await stops()).toEqual(['0.2', '0.2:1.5', '1.2', '1.2:1.4']);
  // Hits are searched once, whether a breakpoint is enabled or not.
  expect(searchCount()).toBe(searches);
  const { breakpoints } = await client.request('breakpoints', {});
  expect(breakpoints.map(({ id, isEnabled }) => [id, isEnabled])).toEqual([
    [line, true],
    [turn, true],
  ]);
});

test('a breakpoint passes as many hits as it ignores, and each hit that a move has passed counts once', async () => {
  const { add, run, client } = await open();
  const id = await add({ file: 'cart.ts', line: 5, ignoreCount: 1 });
  // A search does not use up the count.
  const found = await client.request('find', { move: 'continue' });
  expect(found.cursor.position).toBe('0.2:1.4');
  expect((await client.request('breakpoints', {})).breakpoints).toMatchObject([{ ignoreCount: 1 }]);
  expect((await run()).cursor.position).toBe('0.2:1.4');
  expect((await client.request('breakpoints', {})).breakpoints).toMatchObject([{ ignoreCount: 0 }]);
  expect((await run('backward')).cursor.position).toBe('0.2:1.2');
  await client.request('updateBreakpoint', { id, ignoreCount: 2 });
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
  expect(await run()).toMatchObject({ isEdge: true });
  // Hits on the way to the end count, too.
  expect((await client.request('breakpoints', {})).breakpoints).toMatchObject([{ ignoreCount: 0 }]);
});

test('a repeated move ignores hits and stops at temporary breakpoints as single moves do', async () => {
  const openWithThree = async (): Promise<Fixture> => {
    const fixture = await open();
    await fixture.add({ file: 'cart.ts', line: 4, ignoreCount: 1 });
    await fixture.add({ file: 'cart.ts', line: 10, isTemporary: true });
    await fixture.add({ kind: 'rejection' });
    return fixture;
  };
  const [single, repeated, searched] = [await openWithThree(), await openWithThree(), await openWithThree()];
  for (const [i, position] of ['0.2:1.3', '1.2:1.1', '1.2:1.2', '1.2:1.3'].entries()) {
    expect((await single.run()).cursor.position).toBe(position);
    const found = await searched.client.request('find', { move: 'continue', count: i + 1 });
    expect(found.cursor.position).toBe(position);
  }
  expect(await repeated.run('forward', 4)).toMatchObject({ breakpoints: [3], cursor: { position: '1.2:1.3' } });
  for (const { client } of [single, repeated])
    expect((await client.request('breakpoints', {})).breakpoints).toMatchObject([{ id: 1, ignoreCount: 0 }, { id: 3 }]);
  expect((await searched.client.request('breakpoints', {})).breakpoints).toMatchObject([{ ignoreCount: 1 }, {}, {}]);
  // At the end of the recording, the stops before it count.
  expect(await searched.run('forward', 99)).toMatchObject({ isEdge: true });
  expect((await searched.client.request('breakpoints', {})).breakpoints).toMatchObject([
    { id: 1, ignoreCount: 0 },
    { id: 3 },
  ]);
});

test('an ignored hit does not hide another breakpoint at the same statement', async () => {
  const { add, run } = await open();
  await add({ file: 'cart.ts', line: 10, ignoreCount: 1 });
  const cause = await add({ kind: 'caught' });
  expect(await run()).toMatchObject({ breakpoints: [cause], cursor: { position: '1.2:1.2' } });
  expect(await run()).toMatchObject({ breakpoints: [1], cursor: { position: '1.2:1.3' } });
});

test('a temporary breakpoint is removed when a move has stopped at it, and not by a search', async () => {
  const { add, run, client } = await open();
  const id = await add({ file: 'cart.ts', line: 5, isTemporary: true });
  const kept = await add({ kind: 'turn' });
  const idsOf = async (): Promise<number[]> =>
    (await client.request('breakpoints', {})).breakpoints.map((each) => each.id);
  await client.request('find', { move: 'continue', from: '0.2' });
  expect(await run()).toMatchObject({ breakpoints: [kept], cursor: { position: '0.2' } });
  expect(await idsOf()).toEqual([id, kept]);
  expect(await run()).toMatchObject({ breakpoints: [id], cursor: { position: '0.2:1.2' } });
  expect(await idsOf()).toEqual([kept]);
  expect(await run()).toMatchObject({ breakpoints: [kept], cursor: { position: '1.2' } });
});

test('an update of a breakpoint that does not exist, or with an invalid condition, is refused', async () => {
  const { add, client } = await open();
  const id = await add({ kind: 'turn' });
  await expect(client.request('updateBreakpoint', { id: 9, isEnabled: false })).rejects.toThrow(
    'there is no breakpoint 9',
  );
  await expect(client.request('updateBreakpoint', { id, condition: 'x' })).rejects.toThrow(
    'breakpoints of the kind turn take no condition: they stop before the first statement, where there are no variables',
  );
  expect((await client.request('breakpoints', {})).breakpoints).toEqual([{ id, kind: 'turn', isEnabled: true }]);
  expect(await client.request('removeBreakpoint', { id: 9 })).toEqual({ found: false });
});

test('every kind of breakpoint can be set as the server describes it', async () => {
  const { client, hello } = await open();
  const { breakpointKinds } = hello;
  expect(new Set(breakpointKinds.map(({ id }) => id)).size).toBe(breakpointKinds.length);
  for (const { id: kind, detail, canHaveCondition } of breakpointKinds) {
    const texts = { ...(detail !== undefined && { text: kind === 'worker' ? '0' : 'x' }) };
    expect(await client.request('addBreakpoint', { kind, ...texts })).toMatchObject({ kind, ...texts });
    const withCondition = client.request('addBreakpoint', { kind, ...texts, condition: 'true' });
    await (canHaveCondition
      ? expect(withCondition).resolves.toMatchObject({ condition: 'true' })
      : expect(withCondition).rejects.toThrow('take no condition'));
    const withText = client.request('addBreakpoint', { kind, text: '1' });
    await (detail !== undefined
      ? expect(withText).resolves.toMatchObject({ text: '1' })
      : expect(withText).rejects.toThrow('have no text to match'));
  }
});

test('without a breakpoint ahead, a move goes to the edge, and stays there with a reason', async () => {
  const { run } = await open();
  const end = await run();
  expect(end).toMatchObject({
    found: true,
    isEdge: true,
    breakpoints: [],
    note: 'the recording ends after this statement',
  });
  expect(await run()).toMatchObject({ found: false, reason: 'this is the end of the recording' });
  expect(await run('backward')).toMatchObject({ found: true, isEdge: true, cursor: { position: '0.1' } });
  expect(await run('backward')).toMatchObject({ found: false, reason: 'this is the start of the recording' });
});

function isStop({ found, isEdge }: MoveResult): boolean {
  return found && isEdge !== true;
}
