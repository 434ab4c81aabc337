// Queries about a whole recording and about the stack: the history of a task, live actors and their mailboxes,
// differences between two positions, variables of callers.
import './own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record, runTurntable } from '../replay/record-and-replay.ts';
import { SharedClients } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-asking-'));
const clients = new SharedClients();
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});
const program = (name: string): string => join(import.meta.dirname, 'programs', name);

beforeAll(() => {
  record(join(scratch, 'writing'), [program('writing.mjs')]);
  record(join(scratch, 'selling'), [program('selling.ts')]);
});

/** Seeks to the start of the last turn that adds to the sum. */
async function toLastAdd(client: Client): Promise<void> {
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  const { found } = await client.request('move', {
    move: 'turn',
    direction: 'backward',
    arguments: { text: 'Till*.add' },
  });
  expect(found).toBe(true);
}

test('the history of a turn leads back to the start of the program and names each sending statement', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  for (let i = 0; i < 5; i++) await client.request('move', { move: 'turn', arguments: { text: 'Till*.add' } });
  const { tasks, reason } = await client.request('history', { count: 1000 });
  expect(reason).toBe('the program starts here');
  expect(tasks.at(-1)?.task.order).toBe(1);
  for (const [i, { task, sentAt, statement }] of tasks.entries()) {
    expect(task.sender).toBe(tasks[i + 1]?.task.order);
    if (task.kind !== 'call') continue;
    expect(sentAt).toContain(`${tasks[i + 1]?.task.position}:`);
    expect(statement?.function === 'serve' || statement?.file.endsWith('selling.ts')).toBe(true);
  }
  expect(tasks.some(({ task }) => task.method === 'serve')).toBe(true);
  const short = await client.request('history', { count: 2 });
  expect(short).toEqual({ tasks: tasks.slice(0, 2) });
});

test('lists live actors with the number of messages that wait for each', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  await toLastAdd(client);
  const { actors, total } = await client.request('liveActors', { count: 10 });
  expect(total).toBe(4);
  expect(actors.map(({ name }) => name.replace(/#.*/, '')).toSorted()).toEqual(['Clerk', 'Clerk', 'Clerk', 'Till']);
  expect((await client.request('liveActors', { from: 1, count: 2 })).actors).toEqual(actors.slice(1, 3));
  for (const { worker, id, waitingCount } of actors)
    expect((await client.request('mailbox', { worker, id, count: 10 })).total).toBe(waitingCount);
  const till = actors.find(({ name }) => name.startsWith('Till'));
  // At the start of a turn, `this` is its actor.
  const { value } = await client.request('evaluate', { expression: 'this' });
  expect(value?.preview).toBe(till?.value?.preview);
});

test('a message that is never handled stays in the mailbox from the moment it is sent', async () => {
  record(join(scratch, 'leaving'), [program('leaving.ts')]);
  const client = await clients.of(join(scratch, 'leaving'));
  const waiting = async (): Promise<string[]> => {
    const { actors } = await client.request('liveActors', { count: 10 });
    const { worker, id } = actors.find(({ name }) => name === 'box') ?? { worker: 1, id: 0 };
    const { messages } = await client.request('mailbox', { worker, id, count: 10 });
    return messages.map(({ subject, sender }) => `${subject} of ${sender}`);
  };
  const left = ['put of the main program', 'put of the main program'];
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect(await waiting()).toEqual(left);
  const wanted = { text: 'box.leave' };
  await client.request('move', { move: 'turn', direction: 'backward', arguments: wanted });
  expect(await waiting()).toEqual(['leave of the main program', ...left]);
  expect(await client.request('move', { move: 'sender' })).toMatchObject({ found: true });
  expect(await waiting()).toEqual([]);
});

test('an expression without permitted effects is not evaluated where it could change something', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  await toLastAdd(client);
  const evaluated = (text: string) => client.request('evaluate', { expression: text, effects: 'none' });
  const before = await evaluated('this.sum + 1');
  expect(before).toMatchObject({ value: { kind: 'number' }, isPure: true });
  expect(await evaluated('(this.sum = 1000)')).toMatchObject({
    error: expect.stringContaining('could change the program') as string,
    isPure: true,
  });
  expect(await evaluated('this.sum + 1')).toEqual(before);
});

test('lists every turn in which the value of an expression changed, with the values before and after', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  await toLastAdd(client);
  const { changes, next } = await client.request('changes', { expression: 'this.sum', count: 100 });
  expect(next).toBe(undefined);
  const sums = changes.filter(({ task }) => task.method === 'add');
  expect(sums.length).toBe(24);
  for (const [i, { before }] of sums.entries()) expect(before).toBe(i === 0 ? '0' : sums[i - 1]?.after);
  expect(sums.at(-1)?.after).toBe('60');
  const half = changes.slice(0, 10);
  expect((await client.request('changes', { expression: 'this.sum', count: 10 })).changes).toEqual(half);
  const first = half[5]?.task.order ?? 0;
  const some = await client.request('changes', {
    expression: 'this.sum',
    firstTask: first,
    lastTask: first,
    count: 10,
  });
  expect(some.changes).toEqual(half.slice(5, 6));
  // The first change is the task from which on the expression has a value.
  const { changes: others } = await client.request('changes', { expression: '1 + 1', count: 10 });
  expect(others).toMatchObject([{ task: { kind: 'construct' }, after: '2' }]);
});

test('lists what differs between two positions, whichever comes first', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  await toLastAdd(client);
  const { cursor } = await client.request('find', {
    move: 'turn',
    direction: 'backward',
    arguments: { text: 'Till*.add' },
  });
  const from = cursor.position;
  const sumAt = async (): Promise<string | undefined> =>
    (await client.request('evaluate', { expression: 'this.sum' })).value?.preview;
  const after = await sumAt();
  const actor = cursor.task?.actor;
  const { entries, total } = await client.request('difference', { from, count: 10 });
  expect({ entries, total }).toEqual({
    entries: [{ actor, path: 'this.sum', before: expect.any(String), after }],
    total: 1,
  });
  const to = (await client.request('cursor', {})).position;
  await client.request('move', { move: 'goto', arguments: { target: from } });
  expect(entries[0]?.before).toBe(await sumAt());
  const back = await client.request('difference', { from: to, count: 10 });
  expect(back.entries).toEqual([{ actor, path: 'this.sum', before: after, after: entries[0]?.before }]);
  const all = await client.request('difference', { from: '1', to, actor: '*', count: 1000 });
  expect(new Set(all.entries.map((each) => each.actor)).size).toBeGreaterThan(3);
  expect(all.entries.some(({ path, after: name }) => path === 'this.#name' && name === '"two"')).toBe(true);
});

test('shows the variables of callers', async () => {
  const client = await clients.of(join(scratch, 'writing'));
  const [line = 0] = readFileSync(program('writing.mjs'), 'utf8')
    .split('\n')
    .flatMap((each, i) => (each.includes('order.sum += 1') ? [i + 1] : []));
  await client.request('addBreakpoint', { file: 'writing.mjs', line });
  await client.request('move', { move: 'continue' });
  const { frames } = await client.request('frames', {});
  expect(frames.map((frame) => [frame.function, frame.hasLocals])).toEqual([
    ['adding', true],
    ['look', true],
    ['', true],
  ]);
  const { entries } = await client.request('variables', { frame: 1 });
  const shown = Object.fromEntries(entries.map(({ name, value }) => [name, value?.preview]));
  expect(shown).toMatchObject({
    number: '0',
    lines: 'Array(0) []',
    shelf: 'Map(1)',
    bytes: 'Uint8Array(4) [0, 0, 0, 0]',
  });
  const shelf = entries.find(({ name }) => name === 'shelf')?.value?.id ?? 0;
  expect((await client.request('expand', { id: shelf, count: 1 })).entries[0]).toMatchObject({ name: '"milk"' });
  await expect(client.request('variables', { frame: 7 })).rejects.toThrow('the variables of frame 7 cannot be seen');
  const inOuter = (text: string): Promise<unknown> => client.request('evaluate', { frame: 1, expression: text });
  await expect(inOuter('[shelf.size, bytes.length, lines]')).resolves.toMatchObject({
    value: { preview: 'Array(3) [1, 4, Array(0) []]' },
    isPure: true,
  });
  await expect(inOuter('lines.push(1)')).resolves.toMatchObject({ error: expect.stringContaining('could change') });
  await expect(inOuter('nowhere')).resolves.toMatchObject({ error: 'ReferenceError: nowhere is not defined' });
  await expect(inOuter('lines.length')).resolves.toMatchObject({ value: { preview: '0' } });
  const { value: long } = await client.request('evaluate', { expression: "'ab\\ud83d'.repeat(100)" });
  expect(long).toMatchObject({ kind: 'string', length: 300 });
  const piece = await client.request('text', { id: long?.id ?? 0, from: 297, count: 1000 });
  expect(piece).toEqual({ text: 'ab\ud83d', total: 300 });
  await expect(client.request('text', { id: shelf, count: 1 })).rejects.toThrow();
});

const LINES = [
  'break writing.mjs:31',
  'continue',
  'bt',
  'frame 1',
  'locals',
  'frame 0',
  'print total + exported',
  'peek last-write total',
  'last-write order.price',
  'last-write name',
  'last-write order',
  'locals',
  'goto end',
  'reverse-continue',
  'why',
  'info actors',
  'mailbox',
  'mailbox clerk',
  'changes total',
  'changes',
  'diff 1',
  'diff',
  'diff 9',
  'last-write',
  'last-write order +',
  'frame x',
  'help last-write',
];

test('answers the same queries at the terminal', () => {
  const { stdout, stderr, status } = runTurntable(['debug', join(scratch, 'writing')], {
    input: LINES.map((line) => `${line}\n`).join(''),
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 1 });
  const [, ...output] = stdout.split('\n');
  return expect(output.join('\n')).toMatchFileSnapshot('golden/debug-asking.txt');
});
