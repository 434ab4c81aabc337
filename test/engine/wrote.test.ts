// The last write of a value: the statement, however it writes; the call or message that passed the value in; and from
// there the write before.
import './own-process.ts';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comparePositions, type Position } from '@turntable/time-machine';
import type { Client } from '@turntable/time-machine/client';
import type { MoveResult } from '@turntable/time-machine/protocol';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { SharedClients } from './time-machine-server.ts';
import { taskStart, openDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-wrote-'));
const clients = new SharedClients();
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});
const program = (name: string): string => join(import.meta.dirname, 'programs', name);

/** Lines with a comment that starts with a mark, and the text after the mark. */
function marked(file: string, mark: string): { readonly line: number; readonly text: string }[] {
  return readFileSync(program(file), 'utf8')
    .split('\n')
    .flatMap((each, i) => {
      const [, text] = each.split(`// ${mark}`);
      return text === undefined ? [] : [{ line: i + 1, text: text.trim() }];
    });
}

async function goTo(client: Client, file: string, mark: string): Promise<void> {
  const [{ line = 0 } = {}] = marked(file, mark);
  const { id } = await client.request('addBreakpoint', { file, line });
  const { found, isEdge } = await client.request('move', { move: 'continue' });
  expect({ found, isEdge }).toEqual({ found: true });
  await client.request('removeBreakpoint', { id });
}

const lineOf = (part: string): number =>
  1 +
  readFileSync(program('clerks.ts'), 'utf8')
    .split('\n')
    .findIndex((each) => each.includes(part));

const wrote = (client: Client, expression: string): Promise<MoveResult> =>
  client.request('find', { move: 'last-write', arguments: { expression } });

beforeAll(() => {
  record(join(scratch, 'writing'), [program('writing.mjs')]);
  record(join(scratch, 'selling'), [program('selling.ts')]);
  record(join(scratch, 'rewriting'), [program('rewriting.mjs')]);
  // The same program within a task that can be re-executed in place.
  const text = readFileSync(program('writing.mjs'), 'utf8').trimEnd();
  mkdirSync(join(scratch, 'later'));
  writeFileSync(
    join(scratch, 'later', 'writing.mjs'),
    `${text.replace('const [order, other, express]', 'setTimeout(() => { const [order, other, express]')} }, 1);\n`,
  );
  record(join(scratch, 'written later'), [join(scratch, 'later', 'writing.mjs')]);
});

test('finds the statement of the last write, however it writes', async () => {
  const client = await clients.of(join(scratch, 'writing'));
  await goTo(client, 'writing.mjs', 'HERE');
  const marks = marked('writing.mjs', 'WROTE').filter(({ text }) => text !== 'count');
  const found: unknown[] = [];
  for (const { text } of marks) found.push({ text, line: (await wrote(client, text)).cursor.statement?.line });
  expect(found).toEqual(marks.map(({ text, line }) => ({ text, line })));
});

test('finds writes to captured variables and the call that passed a parameter', async () => {
  const client = await clients.of(join(scratch, 'writing'));
  await goTo(client, 'writing.mjs', 'HERE');
  const [passed] = marked('writing.mjs', 'PASSED');
  expect(await wrote(client, 'order')).toMatchObject({
    note: 'order was passed by this call',
    lastWrite: { kind: 'passed', part: 'order' },
    cursor: { statement: { line: passed?.line } },
  });
  await goTo(client, 'writing.mjs', 'AND HERE');
  const [count] = marked('writing.mjs', 'WROTE count');
  expect((await wrote(client, 'count')).cursor.statement?.line).toBe(count?.line);
});

test('says why a value has no write', async () => {
  const client = await clients.of(join(scratch, 'writing'));
  await goTo(client, 'writing.mjs', 'HERE');
  expect(await wrote(client, 'adding')).toMatchObject({ found: false });
  await expect(wrote(client, 'nowhere')).rejects.toThrow('there is no variable nowhere here');
  await expect(wrote(client, 'order + 1')).rejects.toThrow('order + 1 must be a variable, property or entry');
  await expect(wrote(client, 'number.length')).rejects.toThrow('number is number, which has no parts that are written');
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect(await wrote(client, 'order')).toMatchObject({
    found: false,
    reason: expect.stringContaining('nothing runs at the end'),
  });
});

test('each answer is the start of the next query, back to the class definition', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  const line = lineOf('this.sum = before + amount');
  await client.request('addBreakpoint', { file: 'clerks.ts', line });
  for (let i = 0; i < 3; i++) await client.request('move', { move: 'continue' });
  const lines: unknown[] = [];
  let { order } = await client.request('cursor', {});
  for (let i = 0; i < 3; i++) {
    const { cursor } = await client.request('move', { move: 'last-write', arguments: { expression: 'this.sum' } });
    expect(cursor.order).toBeLessThan(order);
    order = cursor.order;
    lines.push(cursor.statement?.line);
  }
  expect(lines).toEqual([line, line, lineOf('sum = 0;')]);
  expect(await wrote(client, 'this.sum')).toMatchObject({ found: false });
});

test('finds writes to an actor at any position, whichever actor has the turn', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  const line = lineOf('this.sum = before + amount');
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  const add = { move: 'turn', arguments: { text: 'Till*.add' } } as const;
  const { order: last, task } = (await client.request('find', { ...add, direction: 'backward' })).cursor;
  const { order: first } = (await client.request('find', { ...add, from: '1' })).cursor;
  const thisActor = { worker: task?.worker ?? 0, actor: task?.actor ?? '' };
  const query = { move: 'last-write', arguments: { expression: 'this.sum' }, thisActor };
  // After its last turn; and before its first, where the class definition wrote the value.
  const after = await client.request('find', { ...query, from: String(last + 1) });
  expect(after).toMatchObject({
    lastWrite: { kind: 'written', part: 'this.sum' },
    cursor: { order: last, statement: { line } },
  });
  const before = await client.request('find', { ...query, from: String(first) });
  expect(before.cursor.statement?.line).toBe(lineOf('sum = 0;'));
  expect(
    await client.request('find', { ...query, arguments: { expression: 'this' }, from: String(last) }),
  ).toMatchObject({
    note: `${thisActor.actor} is spawned here`,
  });
  const none = { ...query, thisActor: { ...thisActor, actor: 'Unknown' }, from: String(last) };
  await expect(client.request('find', none)).rejects.toThrow('Unknown is not an actor of this thread');
  await expect(client.request('find', { move: 'goto', arguments: { target: 'end' }, thisActor })).rejects.toThrow(
    'the move goto takes no expression, so it takes no actor',
  );
});

test("an argument leads to the message that sent it, and from there to the sender's variable", async () => {
  const client = await clients.of(join(scratch, 'selling'));
  await client.request('addBreakpoint', { file: 'clerks.ts', line: lineOf('this.sum = before + amount') });
  for (let i = 0; i < 2; i++) await client.request('move', { move: 'continue' });
  const { value } = await client.request('evaluate', { expression: 'amount' });
  const sent = await client.request('move', { move: 'last-write', arguments: { expression: 'amount' } });
  expect(sent).toMatchObject({
    note: 'amount came with the message sent here',
    lastWrite: { kind: 'sent', part: 'amount' },
    cursor: { statement: { line: lineOf('await till.add(i)') } },
  });
  expect((await client.request('evaluate', { expression: 'i' })).value).toEqual(value);
  const { tasks } = await client.request('history', { count: 10 });
  expect(tasks[0]?.task.order).toBe(sent.cursor.order);
});

test('follows variables of an async function past each await to its call', async () => {
  const client = await clients.of(join(scratch, 'selling'));
  const lineWith = async (expression: string): Promise<number | undefined> =>
    (await wrote(client, expression)).cursor.statement?.line;
  const { id } = await client.request('addBreakpoint', { file: 'clerks.ts', line: lineOf('return `${this.#name}') });
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  await client.request('move', { move: 'continue', direction: 'backward' });
  await client.request('removeBreakpoint', { id });
  expect(await lineWith('last')).toBe(lineOf('last = Math.max(last, sum)'));
  // The write is before the snapshot.
  expect(await lineWith('this.#name')).toBe(lineOf('this.#name = name'));
  const times = await wrote(client, 'times');
  expect(times).toMatchObject({ note: 'times came with the message sent here' });
  expect(times.cursor.statement?.file).toMatch(/selling\.ts$/);
  await client.request('move', { move: 'last-write', arguments: { expression: 'last' } });
  expect(await lineWith('sum')).toBe(lineOf('await till.add(i)'));
  // Writes in the head of a loop are reported at the last statement before it.
  expect(await lineWith('i')).toBe(lineOf('last = Math.max(last, sum)'));
  expect((await wrote(client, 'till')).note).toBe('till came with the message sent here');
});

test('a task that can be re-executed in place finds the same statements', async () => {
  const { driver, runIndex } = await openDriver(join(scratch, 'written later'));
  const [{ line = 0 } = {}] = marked('writing.mjs', 'HERE');
  const search = driver.searchBreakpoints([{ file: 'writing.mjs', line }], { order: 1, list: 0, statement: 0 });
  const [hit] = await search.runTo({ order: runIndex.count + 1, list: 0, statement: 0 });
  search.close();
  const { position } = await driver.seek(hit?.position ?? { order: 1, list: 0, statement: 0 });
  // Not these: writes to call variables need the earlier statements of the call, and the origin of an object's
  // properties is known only to a process that saw it arrive.
  const excluded = ['count', 'number', 'sorted', 'order.address.city'];
  const marks = marked('writing.mjs', 'WROTE').filter(({ text }) => !excluded.includes(text));
  const found: { readonly text: string; readonly line: number | undefined }[] = [];
  for (const { text } of marks) {
    await driver.seek(position);
    const { kind, position: at } = await driver.recentWrite({ expression: text, earlierStatements: [] });
    const stop = kind === 'written' && at !== undefined ? await driver.seek(at) : undefined;
    found.push({ text, line: stop?.location?.line });
  }
  expect(found).toEqual(marks.map(({ text, line }) => ({ text, line })));
});

test('recent writes at a pause equal the writes that another process finds, task by task', async () => {
  const { driver, runIndex } = await openDriver(join(scratch, 'selling'));
  const search = driver.searchBreakpoints([{ file: 'clerks.ts', line: lineOf('this.sum = before + amount') }], {
    order: 1,
    list: 0,
    statement: 0,
  });
  const hits = await search.runTo({ order: runIndex.count + 1, list: 0, statement: 0 });
  search.close();
  const near: unknown[] = [];
  for (const { position } of hits.slice(-6)) {
    await driver.seek(position);
    const query = { expression: 'this.sum', earlierStatements: [] };
    const recent = await driver.recentWrite(query);
    near.push(recent);
    expect(await driver.lastWrite(position, query)).toEqual(recent);
  }
  expect(near).toEqual(near.map(() => expect.objectContaining({ kind: 'written', part: 'this.sum' })));
});

test(
  'a process with tracked writes gives the same answers after going back as one that only runs forward',
  { timeout: 480_000 },
  async () => {
    const lines = marked('rewriting.mjs', 'AT').map(({ line }) => ({ file: 'rewriting.mjs', line }));
    const texts = [
      'total',
      'shop.name',
      'shop.open',
      'shop.address',
      'shop.address.city',
      'shop.address.street.number',
    ];
    texts.push('sorted[0]', 'sorted[1]', "stock.get('tea')", "known.has('x')", 'bytes[1]', 'late.at', 'this.#till');
    const answersIn = async (
      arrange: (positions: Position[]) => Position[],
      expressions: readonly string[],
    ): Promise<{ readonly answers: object; readonly starts: number }> => {
      let starts = 0;
      const started = (): void => void starts++;
      const { driver, runIndex } = await openDriver(join(scratch, 'rewriting'), { onStart: started });
      const search = driver.searchBreakpoints(lines, taskStart(1));
      const hits = await search.runTo(taskStart(runIndex.count + 1));
      search.close();
      const positions = hits.map(({ position }) => position).toSorted(comparePositions);
      const answers: [string, unknown][] = [];
      for (const position of arrange(positions))
        for (const text of expressions) {
          const wrote = driver.lastWrite(position, { expression: text, earlierStatements: [] });
          answers.push([`${positions.indexOf(position)} ${text}`, await wrote.catch((error: Error) => error.message)]);
        }
      return { answers: Object.fromEntries(answers), starts };
    };
    const forward = await answersIn((positions) => positions, texts);
    expect(Object.keys(forward.answers)).toHaveLength(texts.length * 20);
    const shuffled = (positions: Position[]): Position[] =>
      positions.map((_, i) => positions[(i * 7) % 20] as Position);
    expect((await answersIn(shuffled, texts)).answers).toEqual(forward.answers);
    // The first process knows old writes. The three: it, its standby process, and one for the search.
    expect((await answersIn(shuffled, ['shop.name'])).starts).toBe(3);
    // This also holds for several stops in one turn.
    const inOne = (positions: Position[]): Position[] => [15, 17, 19, 16].map((at) => positions[at] as Position);
    expect((await answersIn(inOne, ['shop.name'])).starts).toBe(3);
  },
);
