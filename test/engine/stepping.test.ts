// Steps over awaits: `next` stays in the activation, `finish` leads to what awaits it, and back the same way.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-stepping-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A package of the programs. */
const QUEUE = `
export async function run(task) {
  const result = await task();
  return result;
}
`;

/** Records a program; returns a client of its recording. */
async function open(name: string, text: string, ...flags: readonly string[]): Promise<Client> {
  const directory = mkdtempSync(join(scratch, `${name}-`));
  writeFileSync(join(directory, 'main.mjs'), text);
  mkdirSync(join(directory, 'node_modules/queue'), { recursive: true });
  writeFileSync(join(directory, 'node_modules/queue/index.mjs'), QUEUE);
  record(join(directory, 'recordings'), [...flags, 'main.mjs'], {}, directory);
  return createClient(join(directory, 'recordings'));
}

/** Makes moves, such as `next` or `-next` for the reverse; returns the lines of the stops, or the reasons. */
async function walk(client: Client, ...moves: readonly string[]): Promise<(number | string)[]> {
  const stops: (number | string)[] = [];
  for (const each of moves) {
    const move = each.replace(/^-/, '');
    const direction = each.startsWith('-') ? 'backward' : 'forward';
    const { found, cursor, reason } = await client.request('move', move === 'until' ? { move } : { move, direction });
    stops.push(found ? (cursor.statement?.line ?? cursor.position) : (reason ?? ''));
  }
  return stops;
}

async function goTo(client: Client, line: number): Promise<void> {
  const { found } = await client.request('move', {
    move: 'advance',
    direction: 'forward',
    arguments: { location: `main.mjs:${line}` },
  });
  expect(found).toBe(true);
}

const ORDERS = `
const tick = () => new Promise((resolve) => setImmediate(resolve));
async function price(item) {
  await tick();
  return item * 2;
}
async function total(order) {
  let sum = 0;
  for (const item of order) {
    const p = await price(item);
    sum += p;
  }
  return sum;
}
async function serve() {
  const [a, b] = await Promise.all([total([1, 2]), total([3])]);
  console.log(a, b);
  const c = await total([5]);
  return a + b + c;
}
const result = await serve();
console.log(result);
`.trimStart();

test('next goes over an await to the next statement of the same activation, and back', async () => {
  const client = await open('orders', ORDERS);
  await goTo(client, 7);
  expect(await walk(client, ...Array(6).fill('next'))).toEqual([8, 9, 10, 9, 10, 12]);
  expect(await walk(client, ...Array(6).fill('-next'))).toEqual([10, 9, 10, 9, 8, 7]);
  expect(await walk(client, '-next', 'next', 'next', 'next')).toEqual([15, 16, 17, 18]);
});

test('finish leads to the caller while that is on the stack, and behind an await to the function that awaits', async () => {
  const client = await open('orders', ORDERS);
  await goTo(client, 3);
  // The caller awaits `price` in the same statement.
  expect(await walk(client, 'finish', '-finish', 'finish')).toEqual([10, 15, 21]);
  await client.request('move', { move: 'goto', arguments: { target: '0.1' } });
  await goTo(client, 4);
  expect(await walk(client, 'finish')).toEqual([10]);
  // Through `Promise.all`.
  expect(await walk(client, 'finish', 'next', 'next', 'next')).toEqual([16, 17, 18, 21]);
  expect(await walk(client, 'next')).toEqual(['end of the top-level code, which no function awaits; use continue']);
  expect(await walk(client, '-next', '-next', '-finish')).toEqual([
    20,
    1,
    'start of the top-level code, which no function called',
  ]);
});

test('step goes into calls and over awaits, and stepi to the next statement of all', async () => {
  const client = await open('orders', ORDERS);
  await goTo(client, 9);
  expect(await walk(client, 'step', 'step', '-step', '-step')).toEqual([3, 1, 3, 9]);
  expect(await walk(client, 'next', 'step')).toEqual([10, 9]);
  await goTo(client, 3);
  expect(await walk(client, 'stepi', 'stepi', 'stepi', '-stepi')).toEqual([1, 1, 4, 1]);
});

test('until leaves a loop over its awaits', async () => {
  const client = await open('orders', ORDERS);
  await goTo(client, 10);
  expect(await walk(client, 'until')).toEqual([12]);
});

test('a breakpoint on the way stops a step, in both directions, with its reason', async () => {
  const client = await open('orders', ORDERS);
  await goTo(client, 9);
  const { id } = await client.request('addBreakpoint', { file: 'main.mjs', line: 4 });
  const move = (name: string, direction: 'forward' | 'backward'): Promise<unknown> =>
    client.request('move', { move: name, direction });
  const stop = { breakpoints: [id], cursor: { statement: { line: 4 } } };
  expect(await move('next', 'forward')).toMatchObject(stop);
  expect(await move('finish', 'forward')).toMatchObject({ cursor: { statement: { line: 10 } } });
  expect(await move('next', 'backward')).toMatchObject(stop);
  expect(await move('next', 'backward')).toMatchObject({ cursor: { statement: { line: 3 } } });
  await client.request('updateBreakpoint', { id, ignoreCount: 1 });
  expect(await move('finish', 'forward')).toMatchObject({ breakpoints: [], cursor: { statement: { line: 10 } } });
  expect((await client.request('breakpoints', {})).breakpoints).toMatchObject([{ id, ignoreCount: 0 }]);
});

test('generators keep their activation over yields', async () => {
  const client = await open(
    'generators',
    `
function* numbers() {
  const a = yield 1;
  const b = yield 2;
  return 3;
}
async function* slow() {
  yield 1;
  await null;
  yield 2;
}
async function main() {
  for (const x of numbers()) {
    console.log(x);
  }
  for await (const y of slow()) {
    console.log(y);
  }
}
await main();
`.trimStart(),
  );
  await goTo(client, 2);
  expect(await walk(client, ...Array(3).fill('next'))).toEqual([3, 4, 15]);
  expect(await walk(client, ...Array(4).fill('next'))).toEqual([
    16,
    16,
    'end of main; what awaits it has no later statement; use continue',
    'end of main; what awaits it has no later statement; use continue',
  ]);
  await client.request('move', { move: 'goto', arguments: { target: '0.1' } });
  await goTo(client, 7);
  expect(await walk(client, ...Array(2).fill('next'), '-next', '-next')).toEqual([8, 9, 8, 7]);
  await client.request('move', { move: 'goto', arguments: { target: '0.1' } });
  await goTo(client, 3);
  expect(await walk(client, 'finish')).toEqual([13]);
});

test('errors: an await that throws leads to its handler, and an unhandled one to what awaits', async () => {
  const client = await open(
    'errors',
    `
async function fail() {
  await null;
  throw new Error('no');
}
async function handle() {
  try {
    await fail();
  } catch (error) {
    console.log(error.message);
  }
}
async function pass() {
  await fail();
}
async function main() {
  await handle();
  await pass().catch(() => 0);
  console.log('end');
}
await main();
`.trimStart(),
  );
  await goTo(client, 7);
  expect(await walk(client, 'next')).toEqual([9]);
  await goTo(client, 3);
  expect(await walk(client, 'next')).toEqual([18]);
});

test('native callers do not count as callers, nor other calls by them', async () => {
  const client = await open(
    'callbacks',
    `
function each(n) {
  const square = n * n;
  return square;
}
function main() {
  const all = [1, 2].map(each);
  console.log(all);
}
main();
setTimeout(() => {
  console.log('timer');
}, 1);
Promise.resolve(1).then((n) => {
  console.log(n);
});
`.trimStart(),
  );
  await goTo(client, 2);
  expect(await walk(client, 'next', 'next')).toEqual([3, 7]);
  await goTo(client, 11);
  expect(await walk(client, 'next', '-next')).toEqual([
    'end of this function, which no function called; use continue',
    'start of this function, which no function called',
  ]);
  await client.request('move', { move: 'goto', arguments: { target: '0.1' } });
  await goTo(client, 14);
  expect(await walk(client, 'finish')).toEqual(['end of this function, which no function called; use continue']);
});

test('steps go over snapshots, before which a function was suspended', async () => {
  const client = await open(
    'snapshots',
    `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function work(rounds) {
  for (let i = 0; i < rounds; i++) {
    for (let n = 0; n < 30_000; n++) Math.sqrt(n);
    await sleep(1);
  }
  await sleep(1);
  return 'done';
}
async function serve() {
  const result = await work(30);
  console.log(result);
}
await serve();
`.trimStart(),
    '--snapshots',
    'work=2ms',
  );
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect((await client.request('move', { move: 'snapshot', direction: 'backward' })).cursor.position).toMatch(/^[1-9]/);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect(await walk(client, '-step', '-next', '-next')).toEqual([12, 11, 14]);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  await client.request('move', { move: 'advance', direction: 'backward', arguments: { location: 'main.mjs:8' } });
  expect(await walk(client, '-next', '-next', '-next', '-finish')).toEqual([7, 3, 5, 11]);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  await client.request('move', { move: 'advance', direction: 'backward', arguments: { location: 'main.mjs:8' } });
  expect(await walk(client, 'next', '-finish')).toEqual([12, 14]);
});

test('awaiting functions of packages are passed over', async () => {
  const client = await open(
    'packages',
    `
import { run } from './node_modules/queue/index.mjs';
async function work() {
  await null;
  return 1;
}
async function main() {
  const result = await run(work);
  console.log(result);
}
await main();
`.trimStart(),
  );
  await goTo(client, 4);
  expect(await walk(client, 'next', '-next', '-step')).toEqual([8, 7, 10]);
});

test('the call of an async function is the statement that contains it, and not a call of its arguments', async () => {
  const client = await open(
    'arguments',
    `
function argument() {
  return 1;
}
async function work(value) {
  await null;
  return value;
}
async function main() {
  console.log(await work(argument()));
  console.log('end');
}
await main();
`.trimStart(),
  );
  await goTo(client, 5);
  expect(await walk(client, '-next', 'step', 'step', 'next', '-finish', 'next')).toEqual([9, 2, 5, 6, 9, 10]);
});

test.each([
  ['while (n > 0) {\n    n = less(n);\n  }', [2, 3, 3, 8]],
  ['do {\n    n = less(n);\n  } while (n > 0);', [3, 3, 8]],
  ['do {\n    n = less(n);\n  } while (less(n) >= 0);', [3, 4, 3, 4, 8]],
  ['for (; n > 0; ) {\n    n = less(n);\n  }', [2, 3, 3, 8]],
  ['for (;;) {\n    if (less(n--) < 0) return;\n  }', [2, 3, 3, 3, 3, 8]],
])('a loop at the start of a function is one call: %s', async (loop, lines) => {
  const client = await open(
    'loop',
    `
function count(n) {
  ${loop}
}
count(2);
function less(n) { return n - 1; }
console.log('end');
`.trimStart(),
  );
  await goTo(client, 6);
  expect(await walk(client, 'step', ...Array(lines.length - 1).fill('next'))).toEqual(lines);
});

const AWAITING_LOOPS = `
function* numbers() {
  yield 1;
  yield 2;
}
async function work(n) {
  await null;
  return n;
}
function double(n) {
  return n * 2;
}
for (const x of numbers()) {
  await work(x);
  await null;
}
let sum = (await work(1)) + double(2);
sum += 1;
`.trimStart();

test('a generator that a resumed loop calls is left to the function of the loop', async () => {
  const client = await open('awaiting-loops', AWAITING_LOOPS);
  await goTo(client, 3);
  expect(await walk(client, 'next', '-next')).toEqual([16, 14]);
  await client.request('move', { move: 'goto', arguments: { target: '0.1' } });
  await goTo(client, 3);
  expect(await walk(client, 'finish')).toEqual([13]);
});

test('step at an await goes into what the resumed function calls', async () => {
  const client = await open('awaiting-loops', AWAITING_LOOPS);
  await goTo(client, 14);
  expect(await walk(client, 'next', '-next', 'step')).toEqual([13, 14, 3]);
});

test('a resumed module that first calls a function keeps its own statements apart', async () => {
  const client = await open('awaiting-loops', AWAITING_LOOPS);
  await goTo(client, 16);
  expect(await walk(client, 'next', '-next', 'step', 'step', 'next')).toEqual([17, 16, 6, 7, 17]);
});

test('fields are initialised in one call, which leads to the constructor', async () => {
  const client = await open(
    'fields',
    `
class Part {
  size = one();
  name = 'a';
  constructor() {
    this.isWhole = this.size === 1;
  }
}
function one() {
  return 1;
}
const part = new Part();
console.log(part);
`.trimStart(),
  );
  await goTo(client, 2);
  expect(await walk(client, 'step', 'finish', 'next', 'next', '-next')).toEqual([9, 3, 5, 12, 11]);
  expect(await walk(client, 'step', 'next', '-next', '-next')).toEqual([2, 3, 2, 11]);
});

test('a step over a call stays in its function in deep recursion', async () => {
  const client = await open(
    'recursion',
    `
function deep(n) {
  if (n === 0) return 0;
  const below = deep(n - 1);
  return below + 1;
}
console.log(deep(1000));
`.trimStart(),
  );
  const { id } = await client.request('addBreakpoint', { file: 'main.mjs', line: 2, condition: 'n === 300' });
  await client.request('move', { move: 'continue', direction: 'forward' });
  await client.request('removeBreakpoint', { id });
  expect(await walk(client, 'next', 'next', 'finish', '-next', 'step')).toEqual([3, 4, 4, 3, 2]);
});
