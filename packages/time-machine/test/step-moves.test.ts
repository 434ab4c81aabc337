// Moves to locations and breakpoints inside tasks, as clients make them: until, advance, continue, and moves that repeat.
import { expect, test } from 'vitest';
import { Client, parseLocationSpec } from '@turntable/time-machine/client';
import type { MoveResult, ParamsOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { scriptedRecording, type ScriptedTask } from './scripted-recording.ts';

/** `sum` calls `add`, whose loop runs twice; in task 3, `add` calls itself. */
const TASKS: readonly ScriptedTask[] = [
  { kind: 'evaluation', actor: 'main', statements: [14, 15, 16] },
  {
    statements: [14, ...[4, 5, 4, 5, 4, 7].map((line) => ({ line, depth: 2 })), 16],
  },
  { statements: [4, { line: 4, depth: 2 }, { line: 5, depth: 2 }, { line: 7, depth: 2 }, 5, 7] },
  { actor: 'main', kind: 'entry', method: 'timer', statements: [] },
];

interface Fixture {
  readonly client: Client;
  readonly move: (params: ParamsOf<'move'>) => Promise<MoveResult>;
  /** The target of a move from a position, or the reason why there is none. */
  readonly targetOf: (from: string, params: ParamsOf<'move'>) => Promise<string | undefined>;
}

async function open(): Promise<Fixture> {
  const { runIndex, deps } = scriptedRecording(TASKS);
  const recording = { name: 'cart', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(runIndex, recording, '1.2.3', deps).openWire());
  await client.hello('test');
  return {
    client,
    move: (params) => client.request('move', params),
    targetOf: async (from, params) => {
      const { found, reason, cursor } = await client.request('find', { ...params, from });
      return found ? cursor.position : reason;
    },
  };
}

test('until leaves loops, and stops where the function returns', async () => {
  const { targetOf } = await open();
  const until = (from: string): Promise<string | undefined> => targetOf(from, { move: 'until' });
  // From the loop's head to its body, which is below it; from the body out of the loop.
  expect(await until('0.2:1.2')).toBe('0.2:1.3');
  expect(await until('0.2:1.3')).toBe('0.2:1.7');
  expect(await until('0.2:1.7')).toBe('0.2:1.8');
  // Over calls, also of the same function.
  expect(await until('0.3:1.1')).toBe('0.3:1.5');
  expect(await until('0.2:1.1')).toBe('0.2:1.8');
  // From the start of a task to its first statement. Nothing follows the last statement of what the host has called.
  expect(await until('0.2')).toBe('0.2:1.1');
  expect(await until('0.2:1.8')).toBe('end of sum, which no function called; use continue');
  expect(await until('0.4')).toBe('0.5');
  expect(await until('0.5')).toBe('this is the end of the recording');
});

test('until a location runs to it in this call, or to where the function returns', async () => {
  const { targetOf } = await open();
  const until = (from: string, location: string): Promise<string | undefined> =>
    targetOf(from, { move: 'until', arguments: { location } });
  expect(await until('0.2:1.2', '7')).toBe('0.2:1.7');
  expect(await until('0.2:1.2', 'cart.ts:5')).toBe('0.2:1.3');
  expect(await until('0.2:1.2', 'cart.ts:5:7')).toBe('0.2:1.3');
  expect(await until('0.2:1.2', 'cart.ts:5:8')).toBe('0.2:1.8');
  expect(await until('0.2:1.3', 'Cart.add')).toBe('0.2:1.4');
  // Another call of the function does not count.
  expect(await until('0.3:1.1', '7')).toBe('0.3:1.6');
  expect(await until('0.3:1.1', '5')).toBe('0.3:1.5');
  expect(await until('0.2:1.2', 'other.ts:5')).toBe('0.2:1.8');
  expect(await until('0.2:1.8', '14')).toBe('end of sum, which no function called; use continue');
  expect(await until('0.2:1.2', 'nowhere')).toBe('the recorded code has no function nowhere');
  expect(await until('0.2', '7')).toBe('there is no current file; give FILE:LINE');
  expect(await until('0.2:1.2', 'a b')).toBe('"a b" must be LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method');
});

test('advance goes to the next or previous execution of a location, in any function', async () => {
  const { targetOf } = await open();
  const advance = (
    from: string,
    location: string,
    direction: 'forward' | 'backward' = 'forward',
  ): Promise<string | undefined> => targetOf(from, { move: 'advance', direction, arguments: { location } });
  expect(await advance('0.1', 'cart.ts:5')).toBe('0.2:1.3');
  expect(await advance('0.2:1.3', 'src/cart.ts:5')).toBe('0.2:1.5');
  expect(await advance('0.2:1.5', '5')).toBe('0.3:1.3');
  expect(await advance('0.2:1.5', 'Cart.add')).toBe('0.2:1.6');
  expect(await advance('0.3:1.5', 'cart.ts:5')).toBe('cart.ts:5 is not executed later');
  expect(await advance('0.5', 'cart.ts:5')).toBe('cart.ts:5 is not executed later');
  expect(await advance('0.5', 'cart.ts:5', 'backward')).toBe('0.3:1.5');
  expect(await advance('0.3:1.3', '5', 'backward')).toBe('0.2:1.5');
  expect(await advance('0.2:1.3', 'cart.ts:5', 'backward')).toBe('cart.ts:5 is not executed earlier');
  expect(await advance('0.1', 'sum', 'backward')).toBe('sum is not executed earlier');
  expect(await advance('0.1', 'nowhere')).toBe('the recorded code has no function nowhere');
  expect(await advance('0.1', '5')).toBe('there is no current file; give FILE:LINE');
});

test('advance stops at a breakpoint before the location', async () => {
  const { client, move } = await open();
  const { id } = await client.request('addBreakpoint', { file: 'cart.ts', line: 15, isTemporary: true });
  const params = { move: 'advance', direction: 'forward', arguments: { location: 'cart.ts:7' } } as const;
  expect(await move(params)).toMatchObject({ breakpoints: [id], cursor: { position: '0.1:1.2' } });
  expect((await client.request('breakpoints', {})).breakpoints).toEqual([]);
  expect(await move(params)).toMatchObject({ breakpoints: [], cursor: { position: '0.2:1.7' } });
  await client.request('addBreakpoint', { kind: 'turn' });
  expect(await move({ ...params, direction: 'backward' })).toMatchObject({ cursor: { position: '0.2' } });
});

test('a location is required for advance, which has both directions, and not for until, which has none', async () => {
  const { move } = await open();
  await expect(move({ move: 'advance' })).rejects.toThrow(
    'the move advance needs the argument location: LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method',
  );
  await expect(move({ move: 'until', direction: 'backward' })).rejects.toThrow('the move until takes no direction');
});

test('a count repeats a move, and a note tells if it stops before', async () => {
  const { move, client } = await open();
  expect(await move({ move: 'stepi', count: 3 })).toMatchObject({ found: true, cursor: { position: '0.1:1.3' } });
  expect(await move({ move: 'stepi', count: 2, direction: 'backward' })).toMatchObject({
    cursor: { position: '0.1:1.1' },
  });
  const short = await move({ move: 'stepi', count: 9, direction: 'backward' });
  expect(short).toMatchObject({ found: false, cursor: { position: '0.1:1.1' } });
  expect(await move({ move: 'stepi', count: 100 })).toMatchObject({
    found: true,
    note: 'stopped after 16 of 100: there is no later statement on any thread',
    cursor: { position: '0.3:1.6' },
  });
  expect(await move({ move: 'task', count: 2, direction: 'backward' })).toMatchObject({ cursor: { position: '0.2' } });
  await client.request('addBreakpoint', { file: 'cart.ts', line: 5 });
  expect(await move({ move: 'continue', count: 3 })).toMatchObject({
    breakpoints: [1],
    cursor: { position: '0.3:1.3' },
  });
  // The edge ends the repetition.
  expect(await move({ move: 'continue', count: 9 })).toMatchObject({ isEdge: true, cursor: { position: '0.3:1.6' } });
  await expect(move({ move: 'stepi', count: 0 })).rejects.toThrow('params.count must be an integer from 1 to 1000000');
});

test('continue goes to the edge of the recording if no breakpoint is hit, and tells at the edge that it is one', async () => {
  const { targetOf } = await open();
  const go = (from: string, direction: 'forward' | 'backward'): Promise<string | undefined> =>
    targetOf(from, { move: 'continue', direction });
  expect(await go('0.2:1.3', 'forward')).toBe('0.3:1.6');
  expect(await go('0.3:1.6', 'forward')).toBe('this is the end of the recording');
  // A later task without statements.
  expect(await go('0.4', 'forward')).toBe('0.5');
  expect(await go('0.2:1.3', 'backward')).toBe('0.1');
  expect(await go('0.1:1.1', 'backward')).toBe('0.1');
  expect(await go('0.5', 'forward')).toBe('this is the end of the recording');
  expect(await go('0.1', 'backward')).toBe('this is the start of the recording');
});

test('goto leads to statements that exist', async () => {
  const { targetOf, move } = await open();
  const goTo = (target: string): Promise<string | undefined> =>
    targetOf('0.1', { move: 'goto', arguments: { target } });
  expect(await goTo('0.2:1.3')).toBe('0.2:1.3');
  expect(await goTo('0.2:1')).toBe('0.2:1.1');
  expect(await goTo('2:1.3')).toBe('0.2:1.3');
  expect(await goTo('0.2:1.9')).toBe('task 2 has no statement 1.9');
  expect(await goTo('0.4:1.1')).toBe('task 4 has no statement 1.1');
  expect(await goTo('0:2')).toBe('0.3');
  expect(await goTo('last')).toBe('0.3:1.6');
  expect(await goTo('end')).toBe('0.5');
  expect(await goTo('0:9')).toBe('worker 0 has no turn 9');
  await expect(move({ move: 'goto', arguments: { target: '0.2:1.0' } })).rejects.toThrow(
    'target must be a position such as 2.137, a percentage (50%), a time (+1.5s), start, last, end or WORKER:TURN, not "0.2:1.0"; the recording has 0.1 to 0.5 (the end)',
  );
});

test.each([
  ['42', { file: undefined, line: 42, column: undefined }],
  ['cart.ts:42', { file: 'cart.ts', line: 42, column: undefined }],
  ['src/cart.ts:42:7', { file: 'src/cart.ts', line: 42, column: 7 }],
  ['file:///p/cart.ts:42', { file: 'file:///p/cart.ts', line: 42, column: undefined }],
  ['C:\\p\\cart.ts:42:1', { file: 'C:\\p\\cart.ts', line: 42, column: 1 }],
  ['add', { function: 'add' }],
  ['Cart.add', { function: 'Cart.add' }],
  ['Cart.#check', { function: 'Cart.#check' }],
  ['app.locals.$run', { function: 'app.locals.$run' }],
] as const)('the location %s is parsed', (text, location) => {
  expect(parseLocationSpec(text)).toEqual(location);
});

test.each(['', 'a b', 'cart.ts:', ':42', 'cart.ts:x', 'a..b', '.add', 'add()', '-3', 'a/b'])(
  '"%s" is not a location',
  (text) => {
    expect(parseLocationSpec(text)).toBeUndefined();
  },
);
