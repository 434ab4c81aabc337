// Steps over awaits: `next` stays in the activation, `finish` leads to what awaits it, and back the same way.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { SharedClients } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-stepping-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A package of the programs. */
const QUEUE = `
export async function run(task) {
  const result = await task();
  return result;
}
`;

/** Programs of one recording, in the order in which it runs them. */
const PROGRAMS: Record<string, string> = {};
const clients = new SharedClients();
afterAll(() => clients[Symbol.asyncDispose]());

/** Adds a program to the recording that most tests share. Returns the function that moves to a line of it. */
function program(name: string, text: string): (line: number) => Promise<Client> {
  PROGRAMS[name] = text;
  return async (line) => {
    const client = await clients.of(join(scratch, 'recordings'));
    await goTo(client, `${name}.mjs:${line}`);
    return client;
  };
}

beforeAll(() => {
  mkdirSync(join(scratch, 'node_modules/queue'), { recursive: true });
  writeFileSync(join(scratch, 'node_modules/queue/index.mjs'), QUEUE);
  const names = Object.keys(PROGRAMS);
  for (const name of names) writeFileSync(join(scratch, `${name}.mjs`), PROGRAMS[name] as string);
  // No function of the program calls or awaits the first one.
  const [first, ...others] = names.map((name) => `'./${name}.mjs'`);
  const imports = [`import ${first};\n`, ...others.map((name) => `await import(${name});\n`)];
  writeFileSync(join(scratch, 'main.mjs'), imports.join(''));
  record(join(scratch, 'recordings'), ['main.mjs'], {}, scratch);
});

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

async function goTo(client: Client, location: string): Promise<void> {
  const { found } = await client.request('move', {
    move: 'advance',
    direction: 'forward',
    arguments: { location },
  });
  expect(found).toBe(true);
}

const orders = program(
  'orders',
  `
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
`.trimStart(),
);

test('next goes over an await to the next statement of the same activation, and back', async () => {
  const client = await orders(7);
  expect(await walk(client, ...Array(6).fill('next'))).toEqual([8, 9, 10, 9, 10, 12]);
  expect(await walk(client, ...Array(6).fill('-next'))).toEqual([10, 9, 10, 9, 8, 7]);
  expect(await walk(client, '-next', 'next', 'next', 'next')).toEqual([15, 16, 17, 18]);
});

test('finish leads to the caller while that is on the stack, and behind an await to the function that awaits', async () => {
  const client = await orders(3);
  // The caller awaits `price` in the same statement.
  expect(await walk(client, 'finish', '-finish', 'finish')).toEqual([10, 15, 21]);
  await orders(4);
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
  const client = await orders(9);
  expect(await walk(client, 'step', 'step', '-step', '-step')).toEqual([3, 1, 3, 9]);
  expect(await walk(client, 'next', 'step')).toEqual([10, 9]);
  await goTo(client, 'orders.mjs:3');
  expect(await walk(client, 'stepi', 'stepi', 'stepi', '-stepi')).toEqual([1, 1, 4, 1]);
});

test('until leaves a loop over its awaits', async () => {
  const client = await orders(10);
  expect(await walk(client, 'until')).toEqual([12]);
});

test('a breakpoint on the way stops a step, in both directions, with its reason', async () => {
  const client = await orders(9);
  const { id } = await client.request('addBreakpoint', { file: 'orders.mjs', line: 4 });
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

const generators = program(
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

test('generators keep their activation over yields', async () => {
  const client = await generators(2);
  expect(await walk(client, ...Array(3).fill('next'))).toEqual([3, 4, 15]);
  expect(await walk(client, ...Array(4).fill('next'))).toEqual([
    16,
    16,
    'end of main; what awaits it has no later statement; use continue',
    'end of main; what awaits it has no later statement; use continue',
  ]);
  await generators(7);
  expect(await walk(client, ...Array(2).fill('next'), '-next', '-next')).toEqual([8, 9, 8, 7]);
  await generators(3);
  expect(await walk(client, 'finish')).toEqual([13]);
  // Not started by the loop, but resumed behind an await: the loop awaits its next value.
  await generators(9);
  expect(await walk(client, 'finish')).toEqual([16]);
});

const errors = program(
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

test('errors: an await that throws leads to its handler, and an unhandled one to what awaits', async () => {
  const client = await errors(7);
  expect(await walk(client, 'next')).toEqual([9]);
  await goTo(client, 'errors.mjs:3');
  expect(await walk(client, 'next')).toEqual([18]);
});

const callbacks = program(
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

test('native callers do not count as callers, nor other calls by them', async () => {
  const client = await callbacks(2);
  expect(await walk(client, 'next', 'next')).toEqual([3, 7]);
  await goTo(client, 'callbacks.mjs:11');
  expect(await walk(client, 'next', '-next')).toEqual([
    'end of this function, which no function called; use continue',
    'start of this function, which no function called',
  ]);
  await callbacks(14);
  expect(await walk(client, 'finish')).toEqual(['end of this function, which no function called; use continue']);
});

test('steps go over snapshots, before which a function was suspended', async () => {
  writeFileSync(
    join(scratch, 'snapshots.mjs'),
    `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function work(rounds) {
  for (let i = 0; i < rounds; i++) {
    for (let n = 0; n < 3; n++) Array.from({ length: 50_000 }, Math.sqrt);
    await sleep(1);
  }
  await sleep(1);
  return 'done';
}
async function serve() {
  const result = await work(8);
  console.log(result);
}
await serve();
`.trimStart(),
  );
  const recordings = join(scratch, 'recordings-with-snapshots');
  record(recordings, ['--snapshots', 'work=2ms', 'snapshots.mjs'], {}, scratch);
  const client = await clients.of(recordings);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect((await client.request('move', { move: 'snapshot', direction: 'backward' })).cursor.position).toMatch(/^[1-9]/);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect(await walk(client, '-step', '-next', '-next')).toEqual([12, 11, 14]);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  await client.request('move', { move: 'advance', direction: 'backward', arguments: { location: 'snapshots.mjs:8' } });
  expect(await walk(client, '-next', '-next', '-next', '-finish')).toEqual([7, 3, 5, 11]);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  await client.request('move', { move: 'advance', direction: 'backward', arguments: { location: 'snapshots.mjs:8' } });
  expect(await walk(client, 'next', '-finish')).toEqual([12, 14]);
});

const packages = program(
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

test('awaiting functions of packages are passed over', async () => {
  const client = await packages(4);
  expect(await walk(client, 'next', '-next', '-step')).toEqual([8, 7, 10]);
});

const passing = program(
  'passing',
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

test('the call of an async function is the statement that contains it, and not a call of its arguments', async () => {
  const client = await passing(5);
  expect(await walk(client, '-next', 'step', 'step', 'next', '-finish', 'next')).toEqual([9, 2, 5, 6, 9, 10]);
});

/** Loops of three lines, and the lines of all steps from the call of their function. */
const LOOPS: readonly (readonly [loop: string, lines: readonly number[]])[] = [
  ['while (n > 0) {\n    n = less(n);\n  }', [2, 3, 3, 7]],
  ['do {\n    n = less(n);\n  } while (n > 0);', [3, 3, 7]],
  ['do {\n    n = less(n);\n  } while (less(n) >= 0);', [3, 4, 3, 4, 7]],
  ['for (; n > 0; ) {\n    n = less(n);\n  }', [2, 3, 3, 7]],
  ['for (;;) {\n    if (less(n--) < 0) return;\n  }', [2, 3, 3, 3, 3, 7]],
];
const LOOP_LINES = 7;

const loops = program(
  'loops',
  `${LOOPS.map(([loop], i) =>
    `
function count${i}(n) {
  ${loop}
}
count${i}(2);
console.log('end');
`.trimStart(),
  ).join('')}function less(n) { return n - 1; }
`,
);

test.each(LOOPS.map(([loop, lines], i) => [loop, lines, i * LOOP_LINES] as const))(
  'a loop at the start of a function is one call: %s',
  async (_, lines, above) => {
    const client = await loops(above + 6);
    expect(await walk(client, 'step', ...Array(lines.length - 1).fill('next'))).toEqual(
      lines.map((line) => above + line),
    );
  },
);

const awaitingLoops = program(
  'awaiting-loops',
  `
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
`.trimStart(),
);

test('a generator that a resumed loop calls is left to the function of the loop', async () => {
  const client = await awaitingLoops(3);
  expect(await walk(client, 'next', '-next')).toEqual([16, 14]);
  await awaitingLoops(3);
  expect(await walk(client, 'finish')).toEqual([13]);
});

test('step at an await goes into what the resumed function calls', async () => {
  const client = await awaitingLoops(14);
  expect(await walk(client, 'next', '-next', 'step')).toEqual([13, 14, 3]);
});

test('a resumed module that first calls a function keeps its own statements apart', async () => {
  const client = await awaitingLoops(16);
  expect(await walk(client, 'next', '-next', 'step', 'step', 'next')).toEqual([17, 16, 6, 7, 17]);
});

const fields = program(
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

test('fields are initialised in one call, which leads to the constructor', async () => {
  const client = await fields(2);
  expect(await walk(client, 'step', 'finish', 'next', 'next', '-next')).toEqual([9, 3, 5, 12, 11]);
  expect(await walk(client, 'step', 'next', '-next', '-next')).toEqual([2, 3, 2, 11]);
});

const recursion = program(
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

test('a step over a call stays in its function in deep recursion', async () => {
  const client = await recursion(6);
  const { id } = await client.request('addBreakpoint', { file: 'recursion.mjs', line: 2, condition: 'n === 300' });
  await client.request('move', { move: 'continue', direction: 'forward' });
  await client.request('removeBreakpoint', { id });
  expect(await walk(client, 'next', 'next', 'finish', '-next', 'step')).toEqual([3, 4, 4, 3, 2]);
});

/** The class of an actor, and the program that sends to it from another thread. */
const TILL = `
import { Actor } from 'turntable';
export class Till extends Actor {
  sum = 0;
  async add(amount) {
    await null;
    this.sum += amount;
    return this.sum;
  }
  total() {
    return this.sum;
  }
}
`.trimStart();
const SALE = `
import { send, spawnWith, start } from 'turntable';
import { Till } from './till.mjs';
start({ workers: 1 });
const till = spawnWith({ on: 1 }, Till);
async function sell() {
  const sum = await send(till).add(3);
  const total = await send(till).total();
  console.log(sum, total);
}
await sell();
`.trimStart();

test('the end of a method of an actor leads to the sender of the message, and its start to the send', async () => {
  symlinkSync(resolve('packages/turntable'), join(scratch, 'node_modules/turntable'));
  writeFileSync(join(scratch, 'till.mjs'), TILL);
  writeFileSync(join(scratch, 'sale.mjs'), SALE);
  record(join(scratch, 'sale'), ['sale.mjs'], {}, scratch);
  const client = await clients.of(join(scratch, 'sale'));
  await goTo(client, 'till.mjs:5');
  expect(await walk(client, 'next', 'next', '-next', '-next')).toEqual([6, 7, 6, 5]);
  expect(await walk(client, 'finish', '-next')).toEqual([7, 6]);
  await goTo(client, 'till.mjs:7');
  expect(await walk(client, 'next', 'next', 'next')).toEqual([
    7,
    8,
    'end of sell; what awaits it has no later statement; use continue',
  ]);
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
  await goTo(client, 'till.mjs:10');
  expect(await walk(client, 'finish', '-finish')).toEqual([8, 10]);
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
  await goTo(client, 'till.mjs:10');
  expect(await walk(client, '-next', '-next')).toEqual([7, 6]);
});
