// Moves of a client, one after the other, and the output that they pass: each text is printed once, when the position is
// after the statement that printed it.
import { expect, test } from 'vitest';
import { Client, moveTitle, MoveQueue, OutputFollower, recordingEdgeText } from '@turntable/time-machine/client';
import type { CursorInfo, MoveResult } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { scriptedRecording, type ScriptedTask } from './scripted-recording.ts';
import { scriptedServer } from './scripted-server.ts';

const RECORDING = { name: 'x', from: undefined, verdict: 'same' } as const;
const print = (line: number, text: string) => ({ line, events: [['stdout', text]] as const });
const TASKS: readonly ScriptedTask[] = [
  { kind: 'evaluation', actor: 'main', method: '', statements: [print(4, 'one'), 5, print(7, 'two'), 10] },
  { statements: [4] },
  { statements: [print(4, 'three'), { line: 5, events: [['stderr', 'four']] }, 7] },
  { statements: [4] },
];

async function open(tasks = TASKS): Promise<{ readonly client: Client; readonly cursor: CursorInfo }> {
  const client = new Client(scriptedServer({ tasks }).openWire());
  const { cursor } = await client.hello('test');
  return { client, cursor };
}

async function follow(tasks = TASKS): Promise<{
  readonly printed: string[];
  readonly follower: OutputFollower;
  /** Moves; returns what is printed. */
  readonly goTo: (target: string) => Promise<string[]>;
}> {
  const { client, cursor: start } = await open(tasks);
  const printed: string[] = [];
  const follower = new OutputFollower(client, {
    print: ({ stream, text, time }) => void printed.push(`${stream} ${text} ${time}`),
    hasMore: (from) => void printed.push(`more from ${from}`),
    failed: (reason) => void printed.push(`failed: ${reason}`),
  });
  let previous = start;
  const goTo = async (target: string): Promise<string[]> => {
    const { cursor } = await client.request('move', { move: 'goto', arguments: { target } });
    const before = printed.length;
    await follower.cursorMoved(previous, cursor);
    previous = cursor;
    return printed.slice(before);
  };
  return { printed, follower, goTo };
}

test('output is printed when the position is after its statement, each text once', async () => {
  const { goTo, follower } = await follow();
  expect(await goTo('0.1:1.1')).toEqual([]);
  expect(await goTo('0.1:1.2')).toEqual(['stdout one 1000']);
  expect(await goTo('0.1:1.3')).toEqual([]);
  expect(await goTo('0.1:1.1')).toEqual([]);
  expect(await goTo('0.1:1.4')).toEqual(['stdout two 1000']);
  expect(await goTo('0.2')).toEqual([]);
  expect(await goTo('0.3:1.3')).toEqual(['stdout three 1020', 'stderr four 1020']);
  expect(await goTo('start')).toEqual([]);
  expect(await goTo('end')).toEqual([]);
  follower.reset();
  expect(await goTo('start')).toEqual([]);
  expect(await goTo('0.3')).toEqual(['stdout one 1000', 'stdout two 1000']);
  expect(await goTo('0.4')).toEqual(['stdout three 1020', 'stderr four 1020']);
});

test('a range of tasks is printed completely, with the number of texts', async () => {
  const { follower, printed } = await follow();
  const { signal } = new AbortController();
  const printRange = async (from: number, to: number): Promise<readonly [number, string[]]> => {
    printed.length = 0;
    return [await follower.printRange(from, to, signal), printed.map((line) => line.split(' ')[1] ?? '')];
  };
  expect(await printRange(1, Infinity)).toEqual([4, ['one', 'two', 'three', 'four']]);
  expect(await printRange(2, 3)).toEqual([2, ['three', 'four']]);
  expect(await printRange(1, 2)).toEqual([2, ['one', 'two']]);
  expect(await printRange(1, 1)).toEqual([2, ['one', 'two']]);
  expect(await printRange(4, 9)).toEqual([0, []]);
});

test('a statement that prints several texts prints them when its task is over', async () => {
  const twice = {
    line: 4,
    events: [
      ['stdout', 'a'],
      ['stdout', 'b'],
    ] as const,
  };
  const { goTo } = await follow([{ kind: 'evaluation', statements: [twice, 5] }, { statements: [4] }]);
  expect(await goTo('0.1:1.2')).toEqual([]);
  expect(await goTo('0.2')).toEqual(['stdout a 1000', 'stdout b 1000']);
});

test('texts have their statements, as far as they are known and up to a number of texts', async () => {
  const several = (line: number) => ({
    line,
    events: [['stdout', `${line}a`] as const, ['stdout', `${line}b`] as const],
  });
  const tasks: readonly ScriptedTask[] = [
    { kind: 'evaluation', statements: [print(4, 'one'), print(7, 'two'), 10] },
    { statements: [several(4), 5] },
    { statements: [several(4), several(5)] },
    { statements: [print(7, 'last'), print(5, 'beyond')] },
  ];
  const { client, cursor } = await open(tasks);
  const printed: string[] = [];
  const follower = new OutputFollower(client, {
    maxLocated: 9,
    print: ({ text, statement }) => void printed.push(`${text} ${statement?.line}`),
    hasMore: () => {},
    failed: (reason) => void printed.push(reason),
  });
  const { cursor: end } = await client.request('find', { move: 'goto', arguments: { target: 'end' } });
  await follower.cursorMoved(cursor, end);
  const unknown = ['4a', '4b', '5a', '5b'].map((text) => `${text} undefined`);
  const expected = ['one 4', 'two 7', '4a 4', '4b 4', ...unknown, 'last 7', 'beyond undefined'];
  expect(printed).toEqual(expected);
  printed.length = 0;
  await follower.printRange(1, 1, new AbortController().signal);
  expect(printed).toEqual(['one 4', 'two 7']);
});

test('the output of a recording that is not replayed by statement has no statements', async () => {
  const client = new Client(new TimeMachineServer(scriptedRecording(TASKS).runIndex, RECORDING, '1.2.3').openWire());
  const { cursor } = await client.hello('test');
  const printed: string[] = [];
  const follower = new OutputFollower(client, {
    maxLocated: 9,
    print: ({ text, statement }) => void printed.push(`${text} ${statement?.line}`),
    hasMore: () => {},
    failed: (reason) => void printed.push(reason),
  });
  const { cursor: end } = await client.request('find', { move: 'goto', arguments: { target: 'end' } });
  await follower.cursorMoved(cursor, end);
  expect(printed).toEqual(['one', 'two', 'three', 'four'].map((text) => `${text} undefined`));
});

test.each([
  [20, '0.1:1.21', 20],
  [21, '0.1:1.22', 0],
])('of %i outputs of the current task, at %s %i are printed', async (count, target, expected) => {
  const statements = [...Array.from({ length: count }, (_, i) => print(4, `${i}`)), 5];
  const { goTo } = await follow([{ kind: 'evaluation', statements }, { statements: [4] }]);
  expect(await goTo(target)).toHaveLength(expected);
  expect(await goTo('0.2')).toHaveLength(count - expected);
});

test('after a thousand texts, the task with the others is named', async () => {
  const many = Array.from({ length: 1001 }, (_, i) => ({ statements: [print(4, `${i}`)] }));
  const { goTo, follower } = await follow(many);
  const printed = await goTo('end');
  expect(printed).toHaveLength(1001);
  expect(printed.slice(-2)).toEqual(['stdout 999 10990', 'more from 1001']);
  expect(await follower.printRange(1, Infinity, new AbortController().signal)).toBe(1001);
  expect(await follower.printRange(1000, 1001, new AbortController().signal)).toBe(2);
});

test('output that cannot be loaded is reported, unless the follower was stopped', async () => {
  const { client, cursor } = await open();
  const reasons: string[] = [];
  const follower = new OutputFollower(client, {
    print: () => {},
    hasMore: () => {},
    failed: (reason) => void reasons.push(reason),
  });
  const { cursor: end } = await client.request('find', { move: 'goto', arguments: { target: 'end' } });
  client.close();
  await follower.cursorMoved(cursor, end);
  expect(reasons).toEqual([expect.stringContaining('the client closed the connection')]);
  const stopped = follower.cursorMoved(cursor, end);
  follower.stop();
  await stopped;
  expect(reasons).toHaveLength(1);
});

interface MoveLog {
  readonly events: string[];
  readonly queue: MoveQueue<string>;
  readonly client: Client;
}

async function queueOf(): Promise<MoveLog> {
  const { client, cursor } = await open();
  const events: string[] = [];
  const queue = new MoveQueue<string>(client, cursor, {
    startMove: (title, { signal }) => {
      events.push(`start ${title}`);
      return { signal, end: () => void events.push(`end ${title}`) };
    },
    moved: (reason) => void events.push(`moved: ${reason} at ${queue.cursor.position}`),
    notMoved: (reason) => void events.push(`not moved: ${reason}`),
  });
  queue.onLeave = () => void events.push(`leave for ${queue.cursor.position}`);
  queue.onArrive = (previous, { position }) => void events.push(`from ${previous.position} to ${position}`);
  return { events, queue, client };
}

test('moves run one after the other, and each reports its end', async () => {
  const { events, queue } = await queueOf();
  const move = (title: string, target: string): Promise<MoveResult> =>
    queue.enqueue({ title, run: (options) => queue.moveTo(target, options), reasonOf: () => title });
  expect(queue.isMoving).toBe(false);
  const moves = [move('a', '0.2'), move('b', '9.9'), move('c', 'end')];
  await moves[0];
  expect((await Promise.all(moves)).map(({ found }) => found)).toEqual([true, false, true]);
  expect(queue.isMoving).toBe(false);
  expect(queue.cursor.position).toBe('0.5');
  expect(events).toEqual([
    'start a',
    'leave for 0.2',
    'moved: a at 0.2',
    'from 0.1 to 0.2',
    'end a',
    'start b',
    expect.stringMatching(/^not moved: ./),
    'end b',
    'start c',
    'leave for 0.5',
    'moved: c at 0.5',
    'from 0.2 to 0.5',
    'end c',
  ]);
});

test('a move is cancelled by its signal or by the queue, and the position is unchanged', async () => {
  const { events, queue } = await queueOf();
  const pending = (signal?: AbortSignal): Promise<MoveResult> =>
    queue.enqueue({ title: 'x', run: (options) => queue.moveTo('end', options), reasonOf: () => 'x' }, signal);
  const controller = new AbortController();
  const bySignal = pending(controller.signal);
  while (!queue.isMoving) await Promise.resolve();
  controller.abort();
  expect(await bySignal).toMatchObject({ found: false, reason: 'cancelled; the position is unchanged' });
  expect(await pending(AbortSignal.abort())).toMatchObject({ found: false });
  const byQueue = pending();
  while (!queue.isMoving) await Promise.resolve();
  queue.cancel();
  expect(await byQueue).toMatchObject({ found: false, cursor: { position: '0.1' } });
  queue.cancel();
  expect(events.filter((each) => each.startsWith('not moved'))).toEqual(
    Array.from({ length: 3 }, () => 'not moved: cancelled; the position is unchanged'),
  );
  expect(await pending()).toMatchObject({ found: true });
});

test('without breakpoints, or without statements, a client continues to the edges of the recording', async () => {
  const { queue } = await queueOf();
  const positionAfter = async (direction: 'forward' | 'backward', canStep: boolean): Promise<string> => {
    const { cursor } = await queue.continue(direction, canStep, {});
    return cursor.position;
  };
  expect(await positionAfter('forward', true)).toBe('0.4:1.1');
  expect(await positionAfter('backward', true)).toBe('0.1');
  expect(await positionAfter('forward', false)).toBe('0.5');
  expect(await positionAfter('backward', false)).toBe('0.1');
  expect((await queue.find({ move: 'task' }, {})).cursor.position).toBe('0.2');
  expect(recordingEdgeText('forward')).toBe('the end of the recording');
  expect(recordingEdgeText('backward')).toBe('the start of the recording');
  expect(moveTitle({ title: '{next} turn' }, 'backward')).toBe('the previous turn');
  expect(moveTitle({ title: '{next} turn' }, 'forward')).toBe('the next turn');
  expect(moveTitle({ title: '{next} turn' }, undefined)).toBe('the next turn');
});
