// Inputs of a debugger's console: statements, assignments, `await`, output, and names that complete an input.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SHOP = `
import { setTimeout as sleep } from 'node:timers/promises';

const limit = 3;
let sold = 0;
let name = 'shop';
class Till {
  #sum = 0;
  log = [];
  add(amount) {
    this.#sum += amount;
    this.log.push(amount);
    return this.#sum;
  }
}
const till = new Till();
const done = Promise.resolve(42);
const pending = new Promise(() => {});
async function priceOf(item) {
  await null;
  return item.length;
}
async function total(order) {
  let sum = 0;
  for (const item of order) {
    await sleep(1);
    const price = await priceOf(item);
    sum += price;
    sold++;
  }
  return sum;
}
function createCounter() {
  let count = 0;
  let by = 1;
  const step = () => (count += by);
  step();
  count += 10;
  return count + step();
}
till.add(await total(['rum', 'tea']));
console.log(createCounter(), till, sold);
`;
const IN_TOTAL = 'main.mjs:27';
const IN_COUNTER = 'main.mjs:37';

const scratch = mkdtempSync(join(tmpdir(), 'turntable-console-'));
let client: Client;
beforeAll(async () => {
  writeFileSync(join(scratch, 'main.mjs'), SHOP.trimStart());
  record(join(scratch, 'recordings'), ['main.mjs'], {}, scratch);
  client = await createClient(join(scratch, 'recordings'), afterAll);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Goes to the first execution of a line. */
async function goTo(location: string): Promise<void> {
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
  expect(await client.request('move', { move: 'advance', arguments: { location } })).toMatchObject({ found: true });
}

/** The value of an input in one line, or its error. */
async function input(expression: string, frame?: number): Promise<string | undefined> {
  const { value, error } = await client.request('evaluate', { expression, frame });
  return error ?? value?.preview;
}

async function variables(): Promise<Record<string, string | undefined>> {
  const { entries } = await client.request('variables', {});
  return Object.fromEntries(entries.map(({ name, value }) => [name, value?.preview]));
}

test('statements run, and the last one gives the value', async () => {
  await goTo(IN_TOTAL);
  expect(await input('let tax: number = 2; tax * price')).toBe('6');
  expect(await input('const list = []; for (const each of order) list.push(each + sum); list')).toBe(
    'Array(2) ["rum0", "tea0"]',
  );
  expect(await input('if (price > limit) price')).toBe('undefined');
  expect(await input('function twice(x) { return 2 * x } twice(price)')).toBe('6');
  expect(await input('let x = ')).toBe('SyntaxError: Unexpected end of input');
});

test('declared variables stay until the position changes', async () => {
  await goTo(IN_TOTAL);
  await input('let tax = 2, { length } = order; class Tax { rate = 4 }');
  expect(await input('tax += length; tax * new Tax().rate')).toBe('16');
  expect(await input('let sum = 7, sold = 8; [sum, sold]')).toBe('Array(2) [7, 8]');
  expect(await input('sum++; sold++; [sum, sold]')).toBe('Array(2) [8, 9]');
  await client.request('move', { move: 'next' });
  expect(await input('tax')).toBe('ReferenceError: tax is not defined');
  expect(await input('[sum, sold]')).toBe('Array(2) [3, 0]');
});

test('an assigned variable keeps its value until the position changes', async () => {
  await goTo(IN_TOTAL);
  expect(await input('sum = 5')).toBe('5');
  expect(await input('sum++; [sum] = [sum * 2]; sum')).toBe('12');
  expect(await variables()).toMatchObject({ sum: '12', price: '3' });
  expect(await input('sold = 7; name = "till"')).toBe('"till"');
  expect(await input('[name, sold + sum]')).toBe('Array(2) ["till", 19]');
  await client.request('move', { move: 'next' });
  expect(await variables()).toMatchObject({ sum: '3' });
  expect(await input('sold')).toBe('0');
  await client.request('move', { move: 'next', direction: 'backward' });
  expect(await variables()).toMatchObject({ sum: '0' });
});

test('closures get the assigned value of a captured variable', async () => {
  await goTo(IN_COUNTER);
  expect(await input('count')).toBe('1');
  expect(await input('count = 40; step() + count')).toBe('82');
  expect(await variables()).toMatchObject({ count: '41' });
  expect(await input('let count = 7; [count, step()]')).toBe('Array(2) [7, 42]');
  expect(await input('count')).toBe('7');
  await client.request('move', { move: 'next' });
  expect(await variables()).toMatchObject({ count: '11' });
});

test('an assignment that has no effect is refused', async () => {
  await goTo(IN_TOTAL);
  expect(await input('price = 1')).toBe('TypeError: Assignment to constant variable price');
  expect(await input('limit++')).toBe('TypeError: Assignment to constant variable limit');
  await input('const tax = 2');
  expect(await input('tax = 3')).toBe('TypeError: Assignment to constant variable tax');
  expect(await input('let tax = 3; tax++; tax')).toBe('4');
  expect(await input('till = 1', 1)).toContain('only an input in the innermost frame');
  expect(await variables()).toMatchObject({ price: '3' });
  await goTo(IN_COUNTER);
  expect(await input('by = 2')).toBe(
    'TypeError: by is captured by value, since nothing assigns it, so it cannot be assigned here',
  );
});

test('await gives the value of a promise that needs no more of the program', async () => {
  await goTo(IN_TOTAL);
  expect(await client.request('evaluate', { expression: 'await done' })).toMatchObject({
    value: { preview: '42' },
    isPure: true,
  });
  expect(await input('await priceOf("gin!") + await 1')).toBe('5');
  expect(await input('const all = await Promise.all([done, priceOf(item)]); all')).toBe('Array(2) [42, 3]');
  expect(await input('await Promise.reject(new TypeError("no"))')).toBe('TypeError: no');
  expect(await input('await ({ then(resolve) { resolve(6) } })')).toBe('6');
  for (const text of ['await pending', 'await sleep(1)', 'await total(order)'])
    expect(await input(text)).toBe('TypeError: the promise is pending here');
});

test('after an await in the console, the program runs as recorded', async () => {
  await goTo(IN_TOTAL);
  await input('await Promise.all(order.map(priceOf)); till.add(100)');
  const { cursor } = await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect(cursor.position).toBeDefined();
  expect(await input('[till.log, sold]')).toBe('Array(2) [Array(1) [6], 2]');
});

test('output of an input is returned, and not that of the program', async () => {
  await goTo(IN_TOTAL);
  const evaluated = await client.request('evaluate', { expression: 'console.log("sum", sum); console.error(1); sum' });
  expect(evaluated).toMatchObject({ value: { preview: '0' }, output: 'sum 0\n1\n' });
  expect(await client.request('evaluate', { expression: 'sum' })).not.toHaveProperty('output');
});

async function namesOf(expression: string, frame?: number): Promise<{ from: number; names: string[] }> {
  const { from, names } = await client.request('names', { expression, frame });
  return { from, names: names.map(({ name }) => name) };
}

test('variables, globals and properties complete an input', async () => {
  await goTo(IN_TOTAL);
  await input('const mine = 1');
  expect((await namesOf('')).names.slice(0, 5)).toEqual(['price', 'item', 'order', 'sum', 'mine']);
  expect(await namesOf('1 + so')).toEqual({ from: 4, names: ['sold'] });
  expect(await namesOf('struct')).toEqual({ from: 0, names: ['structuredClone'] });
  expect((await namesOf('till.')).names.slice(0, 4)).toEqual(['#sum', 'log', 'constructor', 'add']);
  expect(await namesOf('(till).log.map((x) => x)\n  .findL')).toEqual({
    from: 28,
    names: ['findLast', 'findLastIndex'],
  });
  expect(await namesOf('[order, 1][0]?.toSp')).toEqual({ from: 15, names: ['toSpliced'] });
  expect(await namesOf('f(\'a.b\', "x)".slice(1).toUp')).toEqual({ from: 23, names: ['toUpperCase'] });
  expect(await namesOf('till.add(1).')).toEqual({ from: 12, names: [] });
  expect(await namesOf('nothing.x')).toEqual({ from: 8, names: [] });
  expect(await namesOf(').x')).toEqual({ from: 2, names: [] });
});

test('names of outer and awaiting frames complete an input there', async () => {
  await goTo(IN_COUNTER);
  expect((await namesOf('', 1)).names).not.toContain('count');
  expect((await namesOf('sol', 1)).names).toEqual(['sold']);
  await goTo('main.mjs:19');
  const { frames } = await client.request('frames', {});
  const total = frames.find((frame) => frame.function === 'total');
  expect((await namesOf('or', total?.index)).names).toEqual(['order']);
  expect((await namesOf('order.at', total?.index)).names).toEqual(['at']);
});
