// Functions of the recorded code by their names, and the parameters of frames.
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer, type TimeMachineDeps } from '@turntable/time-machine/server';
import { scriptedRecording } from './scripted-recording.ts';

type FileFunction = NonNullable<ReturnType<NonNullable<TimeMachineDeps['findFunctions']>>>[number];

interface SourceFile {
  /** Functions in lines of their own: `Owner.name(parameter, …)`. A function has a statement unless it ends with `;`. */
  readonly functions: readonly string[];
  readonly text?: string;
}

async function clientOf(files: Readonly<Record<string, SourceFile>>): Promise<Client> {
  const { runIndex, deps } = scriptedRecording([{ statements: [4, 10] }]);
  const linesOf = (file: string): readonly string[] => files[file]?.functions ?? [];
  const server = new TimeMachineServer(runIndex, { name: 'x', from: undefined, verdict: 'same' }, '1.2.3', {
    ...deps,
    sourceFiles: () => Object.keys(files),
    findSource: (file) => files[file]?.text ?? files[file]?.functions.join('\n'),
    findFunctions: (file) =>
      linesOf(file).map((text, i): FileFunction => {
        const [, owner, name = '', parameters = ''] = /^(?:(.+)\.)?([^.(]*)\((.*)\)/.exec(text) ?? [];
        const start = { line: i * 10 + 1, column: 20 };
        const range = { head: { ...start, column: 12 }, start, end: { line: i * 10 + 9, column: 2 } };
        return { name, owner, parameters: parameters === '' ? [] : parameters.split(', '), ...range };
      }),
    findStatements: (file) =>
      linesOf(file).flatMap((text, i) =>
        // The second one is the first in the text.
        (text.endsWith(';') ? [] : [i * 10 + 5, i * 10 + 3]).map((line) => ({
          line,
          column: 4,
          endLine: line,
          endColumn: 9,
          function: '',
          kind: 'statement',
        })),
      ),
  });
  const client = new Client(server.openWire());
  await client.hello('test');
  return client;
}

type Location = ResultOf<'locations'>['locations'][number];

async function locate(client: Client, name: string): Promise<string[]> {
  const { locations } = await client.request('locations', { function: name });
  return locations.map(({ file, line, column }: Location) => `${file}:${line}:${column}`);
}

test('a function is found by its name, or by its owner and name, at its first statement', async () => {
  const client = await clientOf({
    'cart.ts': { functions: ['Cart.add(item)', 'Stock.add(item)', 'add(a, b)', 'shop.Cart.add(x)', '(each)'] },
    'stock.ts': { functions: ['Stock.take(count)', 'Stock.empty();'] },
  });
  expect(await locate(client, 'add')).toEqual(['cart.ts:3:4', 'cart.ts:13:4', 'cart.ts:23:4', 'cart.ts:33:4']);
  expect(await locate(client, 'Cart.add')).toEqual(['cart.ts:3:4', 'cart.ts:33:4']);
  expect(await locate(client, 'shop.Cart.add')).toEqual(['cart.ts:33:4']);
  expect(await locate(client, 'Stock.add')).toEqual(['cart.ts:13:4']);
  expect(await locate(client, 'Stock.take')).toEqual(['stock.ts:3:4']);
  // A part of a name is another name, and a function without statements cannot be stopped at.
  for (const name of ['ad', 'art.add', 'cart.add', 'Cart', 'Cart.take', 'Stock.empty', 'Cart.', '.add', ''])
    expect([name, await locate(client, name)]).toEqual([name, []]);
});

test('a private method is found with and without #', async () => {
  const client = await clientOf({ 'cart.ts': { functions: ['Cart.#check(limit)', 'Cart.check(limit)'] } });
  expect(await locate(client, '#check')).toEqual(['cart.ts:3:4']);
  expect(await locate(client, 'Cart.#check')).toEqual(['cart.ts:3:4']);
  expect(await locate(client, 'Cart.check')).toEqual(['cart.ts:3:4', 'cart.ts:13:4']);
});

test('functions in packages are found only if own code has none of the name', async () => {
  const inPackage = '/p/node_modules/shop/index.js';
  const client = await clientOf({
    [inPackage]: { functions: ['add(item)', 'Shop.close()'] },
    '/p/src/cart.ts': { functions: ['Cart.add(item)'] },
    '/p/node_modules/other/index.js': { functions: ['close()'] },
  });
  expect(await locate(client, 'add')).toEqual(['/p/src/cart.ts:3:4']);
  expect(await locate(client, 'close')).toEqual([`${inPackage}:13:4`, '/p/node_modules/other/index.js:3:4']);
  expect(await locate(client, 'Shop.close')).toEqual([`${inPackage}:13:4`]);
});

test('a file whose text is not recorded, or lacks the name, is not searched', async () => {
  const client = await clientOf({ 'a.ts': { functions: ['add(a)'], text: 'generated' } });
  expect(await locate(client, 'add')).toEqual([]);
});

test('a frame has the parameters and the range of the innermost function around its location', async () => {
  const { runIndex, deps } = scriptedRecording([{ statements: [4, 10, 15] }]);
  const server = new TimeMachineServer(runIndex, { name: 'x', from: undefined, verdict: 'same' }, '1.2.3', deps);
  const client = new Client(server.openWire());
  await client.hello('test');
  const parameters: unknown[] = [];
  const lines: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    await client.request('move', { move: 'stepi' });
    const { frames } = await client.request('frames', {});
    parameters.push(frames.map((each) => each.parameters));
    lines.push(frames.map(({ functionRange: range }) => range && [range.line, range.column, range.endLine]));
  }
  // The outer frame is that of the module.
  expect(parameters).toEqual([
    [['price', 'count'], []],
    [['limit'], []],
    [['items'], []],
  ]);
  expect(lines).toEqual([
    [[3, 11, 8], undefined],
    [[9, 7, 11], undefined],
    [[13, 18, 17], undefined],
  ]);
});
