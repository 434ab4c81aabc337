// Values in user interfaces: pages of parts, long texts, values that are loaded again when another frame was looked at,
// and the expressions that lead to parts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Client,
  expressionOf,
  loadActors,
  loadLiveActors,
  loadSenderFrames,
  loadStatements,
  splitRange,
  statementAt,
  taskStartLocation,
  ValueBrowser,
  type EntryInfo,
  type ExpandableValue,
} from '@turntable/time-machine/client';
import type { CursorInfo } from '@turntable/time-machine/protocol';
import { CART_PATH, CART_TASKS, scriptedServer, type ScriptedServerOptions } from './scripted-server.ts';
import { ScriptedValues } from './scripted-values.ts';

const LONG = Array.from({ length: 2500 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
const cart = { total: 9, items: ['tea', 'milk', 'bread'], note: LONG };

async function clientAt(
  position: string,
  options: ScriptedServerOptions = {},
): Promise<{ client: Client; cursor: CursorInfo }> {
  const values = new ScriptedValues([{ this: cart, count: 2 }, { outer: { list: [1, 2] } }]);
  const client = new Client(scriptedServer({ values, ...options }).openWire());
  await client.hello('test');
  const { cursor } = await client.request('move', { move: 'goto', arguments: { target: position } });
  return { client, cursor };
}

async function browser(): Promise<{
  readonly values: ValueBrowser;
  readonly client: Client;
  readonly requests: string[];
}> {
  const { client } = await clientAt('0.2:1.5');
  const requests: string[] = [];
  const request = client.request.bind(client) as (method: string, ...args: unknown[]) => Promise<never>;
  client.request = ((method: string, ...args: unknown[]) => {
    requests.push(method);
    return request(method, ...args);
  }) as Client['request'];
  return { values: new ValueBrowser(client), client, requests };
}

const ALL = { from: 0, to: 100 };
const namesOf = (entries: readonly EntryInfo[]): string[] => entries.map(({ name }) => name);

async function partOf(values: ValueBrowser, owner: ExpandableValue, name: string): Promise<ExpandableValue> {
  const { entries } = await values.loadParts(owner, ALL);
  const index = entries.findIndex((each) => each.name === name);
  return values.part(owner, entries[index] as EntryInfo, index).expandable as ExpandableValue;
}

test('the variables of a frame are loaded once, until another frame is loaded or the position changes', async () => {
  const { values, requests } = await browser();
  const [inner, outer] = [values.frame(0, '0.2:1.5'), values.frame(1, '0.2:1.1')];
  expect((await values.loadParts(inner, ALL)).entries.map(({ name }) => name)).toEqual(['this', 'count']);
  expect(await values.loadParts(inner, { from: 1, to: 2 })).toMatchObject({ entries: [{ name: 'count' }], total: 2 });
  expect(requests).toEqual(['variables']);
  expect(namesOf((await values.loadParts(outer, ALL)).entries)).toEqual(['outer']);
  await values.loadParts(inner, ALL);
  values.invalidate();
  await values.loadParts(inner, ALL);
  expect(requests).toEqual(['variables', 'variables', 'variables', 'variables']);
});

test('a value whose id is no longer valid is loaded again', async () => {
  const { values, requests } = await browser();
  const object = await partOf(values, values.frame(0, undefined), 'this');
  const items = await partOf(values, object, 'items');
  const names = ['prototype', '0', '1', '2', 'length'];
  expect(namesOf((await values.loadParts(items, ALL)).entries)).toEqual(names);
  await values.loadParts(values.frame(1, '0.2:1.1'), ALL);
  requests.length = 0;
  expect(namesOf((await values.loadParts(items, ALL)).entries)).toEqual(names);
  expect(requests).toEqual(['variables', 'expand', 'expand']);
  expect(await values.loadParts(items, { from: 2, to: 4 })).toMatchObject({ total: 5 });
  expect(requests).toHaveLength(4);
});

test('a long text is loaded in full or up to a length, or in parts of a thousand characters', async () => {
  const { values } = await browser();
  const object = await partOf(values, values.frame(0, undefined), 'this');
  const note = await partOf(values, object, 'note');
  expect(await values.loadText(note, 10_000)).toBe(LONG);
  expect(await values.loadText(note, 2500)).toBe(LONG);
  expect(await values.loadText(note, 5)).toBe(LONG.slice(0, 5));
  expect(await values.loadText(object, 5)).toBeUndefined();
  const { entries, total } = await values.loadParts(note, ALL);
  expect(total).toBe(3);
  expect(namesOf(entries)).toEqual(['0 … 999', '1000 … 1999', '2000 … 2499']);
  expect(entries.map(({ value }) => JSON.parse(value?.preview ?? '') as string).join('')).toBe(LONG);
  expect(namesOf((await values.loadParts(note, { from: 1, to: 2 })).entries)).toEqual(['1000 … 1999']);
});

test('only an expression without side effects is evaluated again when its value is needed later', async () => {
  const { values } = await browser();
  const pure = await values.evaluate({ expression: ' this.items ', frame: 0 }, undefined, {});
  const impure = await values.evaluate({ expression: 'this.copy = [1]', frame: 0 }, undefined, {});
  expect(pure.expandable?.expression).toBe('this.items');
  const outer = await values.evaluate({ expression: 'outer', frame: 1, effects: 'none' }, '0.2:1.1', {});
  expect(outer.expandable).toMatchObject({ expression: 'outer', position: '0.2:1.1' });
  expect((await values.loadParts(pure.expandable as ExpandableValue, ALL)).total).toBe(5);
  await expect(values.loadParts(impure.expandable as ExpandableValue, ALL)).rejects.toThrow(
    'this.copy = [1] may have side effects; it is not evaluated again',
  );
  expect((await values.evaluate({ expression: '1' }, undefined, {})).expandable).toBeUndefined();
  expect(await values.evaluate({ expression: 'nowhere' }, undefined, {})).toMatchObject({
    error: 'ReferenceError: nowhere is not defined',
    expandable: undefined,
  });
  // A failed evaluation does not block later ones.
  expect((await values.loadParts(values.frame(1, '0.2:1.1'), ALL)).total).toBe(1);
});

test('the messages of a mailbox are listed by page', async () => {
  const liveActors = [{ name: 'Cart#1', mailbox: [[1, 'a'], [], [cart]] }];
  const { client } = await clientAt('0.2:1.5', { liveActors });
  const values = new ValueBrowser(client);
  const mailbox = values.mailbox({ worker: 0, id: 1 });
  const { entries, total } = await values.loadParts(mailbox, { from: 1, to: 3 });
  expect(total).toBe(3);
  expect(entries.map(({ name, value }) => [name, value?.preview])).toEqual([
    ['1', 'add() from main'],
    ['2', expect.stringMatching(/^add\({total: 9.*}\) from main$/)],
  ]);
});

test('a range is split into pages of one size, at most as many as the size', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(5000), fc.integer({ min: 2, max: 10 }), (from, length, maxLength) => {
      const pages = splitRange({ from, to: from + length }, maxLength);
      expect(pages.flatMap((page) => Array.from({ length: page.to - page.from }, (_, i) => page.from + i))).toEqual(
        Array.from({ length }, (_, i) => from + i),
      );
      expect(pages.length).toBeLessThanOrEqual(maxLength);
      const sizes = new Set(pages.slice(0, -1).map((page) => page.to - page.from));
      expect(sizes.size).toBeLessThanOrEqual(1);
      let size = maxLength;
      while (length / size > maxLength) size *= maxLength;
      expect(pages).toHaveLength(Math.ceil(length / size));
    }),
  );
  expect(splitRange({ from: 0, to: 100 }, 10)).toHaveLength(10);
  expect(splitRange({ from: 0, to: 101 }, 10)).toEqual([
    { from: 0, to: 100 },
    { from: 100, to: 101 },
  ]);
});

const entry = (name: string, kind: EntryInfo['kind'], preview = '1'): EntryInfo => ({
  name,
  kind,
  isEnumerable: true,
  value: { kind: 'number', preview },
});
const owner = (expression: string | undefined, type: string, preview = type) => ({
  expression,
  value: { kind: 'object', class: type, preview },
});
const [object, map, set] = [owner('a', 'Object'), owner('m', 'Map', 'Map(2)'), owner('s', 'Set', 'Set(3)')];

test.each([
  ['x', entry('x', 'variable'), undefined],
  ['this', entry('this', 'variable'), undefined],
  [undefined, entry('new.target', 'variable'), undefined],
  ['a.b', entry('b', 'property'), object],
  ['a.ünder', entry('ünder', 'property'), object],
  ['a[0]', entry('0', 'property'), object],
  ['a[12]', entry('12', 'property'), object],
  ['a["012"]', entry('012', 'property'), object],
  ['a["b c"]', entry('b c', 'property'), object],
  [undefined, entry('[Symbol(s)]', 'property'), object],
  [undefined, entry('b', 'accessor'), object],
  [undefined, entry('b', 'property'), owner(undefined, 'Object')],
  ['a.#b', entry('#b', 'inner'), object],
  [undefined, entry('prototype', 'inner'), object],
  ['m.get("tea")', entry('"tea"', 'inner'), map],
  ['m.get(1)', entry('1', 'inner'), map],
  ['m.get(-1.5e+3)', entry('-1.5e+3', 'inner'), map],
  ['m.get(12n)', entry('12n', 'inner'), map],
  ['m.get(NaN)', entry('NaN', 'inner'), map],
  ['m.get(null)', entry('null', 'inner'), map],
  [undefined, entry('"long…"', 'inner'), map],
  [undefined, entry('"open', 'inner'), map],
  [undefined, entry('{a: 1}', 'inner'), map],
  [undefined, entry('prototype', 'inner'), map],
  ['s.has(7)', entry('0', 'inner', '7'), set],
  ['s.has("a")', entry('2', 'inner', '"a"'), set],
  [undefined, entry('1', 'inner', '{b: 1}'), set],
  [undefined, entry('prototype', 'inner', '{}'), set],
] as const)('%s leads to a part', (expression, part, parent) => {
  expect(expressionOf(part, parent)).toBe(expression);
});

test('lists that have several pages are loaded completely', async () => {
  const tasks = Array.from({ length: 1001 }, (_, i) => ({ actor: `Cart#${i}`, statements: [] }));
  const liveActors = Array.from({ length: 2000 }, (_, i) => ({ name: `Cart#${i}` }));
  const statements = Array.from({ length: 2001 }, (_, i) => {
    return { line: i + 1, column: 3, endLine: i + 1, endColumn: 9, function: 'f', kind: 'statement' } as const;
  });
  const deps = { findStatements: (file: string) => (file === CART_PATH ? statements : undefined) };
  const { client } = await clientAt('0.1', { tasks, liveActors, deps });
  expect((await loadActors(client)).map(({ name }) => name)).toEqual(tasks.map(({ actor }) => actor));
  expect(await loadLiveActors(client)).toHaveLength(2000);
  const found = await loadStatements(client, { file: CART_PATH });
  expect(found?.map(({ line }) => line)).toEqual(statements.map(({ line }) => line));
  expect(await loadStatements(client, { file: '/other.ts' })).toBeUndefined();
});

test.each([
  [1, undefined, '2:3'],
  [2, undefined, '2:3'],
  [2, 3, '2:3'],
  [2, 4, '2:9'],
  [2, 9, '2:9'],
  [2, 10, '4:1'],
  [3, undefined, '4:1'],
  [4, 1, '4:1'],
  [4, 2, undefined],
  [5, undefined, undefined],
])('a breakpoint in line %s, column %s stops at %s', (line, column, place) => {
  const all = [
    { line: 2, column: 3 },
    { line: 2, column: 9 },
    { line: 4, column: 1 },
  ];
  const found = statementAt(all, line, column);
  expect(found && `${found.line}:${found.column}`).toBe(place);
});

test('the senders of a task are frames, with the place of each send', async () => {
  const { client } = await clientAt('1.1:1.1');
  const all = await loadSenderFrames(client, 5);
  expect(all.isAll).toBe(true);
  expect(all.senders).toEqual([
    { name: 'Cart#1.add', position: '0.2', location: undefined },
    {
      name: 'the program is evaluated, in sum',
      position: '0.1:1.2',
      location: expect.objectContaining({ line: 16, column: 3 }) as unknown,
    },
  ]);
  expect(await loadSenderFrames(client, 2)).toEqual(all);
  expect(await loadSenderFrames(client, 1)).toEqual({ senders: all.senders.slice(0, 1), isAll: false });
});

test('a task is shown at its method or at its first statement', async () => {
  const { client, cursor } = await clientAt('1.1');
  expect(await taskStartLocation(client, { canStep: true }, cursor)).toMatchObject({ line: 10, column: 5 });
  expect(await taskStartLocation(client, { canStep: false }, cursor)).toBeUndefined();
  const withMethod = (methodLocation: string): CursorInfo => ({
    ...cursor,
    task: { ...(cursor.task as NonNullable<CursorInfo['task']>), methodLocation },
  });
  for (const canStep of [true, false])
    expect(await taskStartLocation(client, { canStep }, withMethod('file:///p/a.ts:7:2'))).toEqual({
      file: 'file:///p/a.ts',
      line: 7,
      column: 1,
    });
  expect(await taskStartLocation(client, { canStep: false }, withMethod('a.ts'))).toBeUndefined();
  const empty = await clientAt('0.2', {
    tasks: [CART_TASKS[0] as (typeof CART_TASKS)[number], { statements: [] }, { statements: [4] }],
  });
  expect(await taskStartLocation(empty.client, { canStep: true }, empty.cursor)).toBeUndefined();
});
