// Stacks with the suspended functions that await what runs: their places, their variables and their positions.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { SharedClients } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-async-stacks-'));
const clients = new SharedClients();
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

type Frame = ResultOf<'frames'>['frames'][number];

/** Records a program; returns the directory of its recordings. */
function recordProgram(name: string, text: string, ...flags: readonly string[]): string {
  const directory = mkdtempSync(join(scratch, `${name}-`));
  writeFileSync(join(directory, 'main.mjs'), text);
  record(join(directory, 'recordings'), [...flags, 'main.mjs'], {}, directory);
  return join(directory, 'recordings');
}

async function goTo(client: Client, line: number, direction: 'forward' | 'backward' = 'forward'): Promise<void> {
  const { found } = await client.request('move', {
    move: 'advance',
    direction,
    arguments: { location: `main.mjs:${line}` },
  });
  expect(found).toBe(true);
}

/** A frame as `function:line`, with its combinator and the number of other waiters. */
function frameText({ function: name, location, isAwaiting, combinator, others = 0 }: Frame): string {
  const waits = isAwaiting === true ? `await${combinator === undefined ? '' : ` ${combinator}`} ` : '';
  return `${waits}${name}:${location?.line}${others === 0 ? '' : ` +${others}`}`;
}

async function stack(client: Client): Promise<string[]> {
  return (await client.request('frames', {})).frames.map(frameText);
}

async function variables(client: Client, frame: number): Promise<Record<string, string | undefined>> {
  const { entries } = await client.request('variables', { frame });
  return Object.fromEntries(entries.map(({ name, value }) => [name, value?.preview]));
}

/** Moves to the position of a frame; returns the line, or why there is none. */
async function goToFrame(client: Client, frame: number): Promise<number | string | undefined> {
  const { position, reason } = await client.request('framePosition', { frame });
  if (position === undefined) return reason;
  const { cursor } = await client.request('move', { move: 'goto', arguments: { target: position } });
  return cursor.statement?.line;
}

const SHOP = `
const tick = () => new Promise((resolve) => setImmediate(resolve));
async function price(item) {
  await tick();
  return item * 2;
}
class Shop {
  discount = 1;
  async total(order) {
    let sum = 0;
    for (const item of order) {
      const p = await price(item);
      sum += p;
    }
    for (const unused of []) await tick(unused);
    const add = () => (sum -= this.discount);
    await tick();
    add();
    return sum;
  }
}
async function serve(shop, name) {
  const [a, b] = await Promise.all([shop.total([1, 2]), shop.total([3])]);
  const c = await shop.total([5]).then((x) => {
    return x + 1;
  });
  console.log(name);
  return a + b + c;
}
const results = [];
for (const name of ['first', 'second']) {
  results.push(await serve(new Shop(), name));
}
console.log(results);
`.trimStart();

let shop: string;
beforeAll(() => {
  shop = recordProgram('shop', SHOP);
});

test('awaiting functions follow the stack, with their variables', async () => {
  const client = await clients.of(shop);
  await goTo(client, 4);
  const lines = ['price:4', 'await total:11', 'await all serve:22', 'await :31'];
  expect(await stack(client)).toEqual(lines);
  expect(await variables(client, 1)).toEqual({
    this: 'Shop {discount: 1}',
    order: 'Array(2) [1, 2]',
    item: '1',
    sum: '0',
  });
  expect(await variables(client, 2)).toEqual({ shop: 'Shop {discount: 1}', name: '"first"' });
  expect(await variables(client, 3)).toMatchObject({ name: '"first"', results: 'Array(0) []' });
  const total = await client.request('evaluate', { expression: 'this.discount + item + price.length', frame: 1 });
  expect(total).toMatchObject({ value: { preview: '3' }, isPure: true });
  expect(await client.request('evaluate', { expression: 'shop.discount = 4', frame: 2 })).toMatchObject({
    error: 'it could change the program, which only an input in the innermost frame may do',
  });
});

test('a frame that reuses slots lists the variables of its place', async () => {
  const client = await clients.of(shop);
  await goTo(client, 24);
  expect(await stack(client)).toEqual([':24', 'await serve:23', 'await :31']);
  expect(await variables(client, 1)).toEqual({ name: '"first"', a: '5', b: '5', shop: 'Shop {discount: 1}' });
});

test('the position of an awaiting frame is the statement with its await', async () => {
  const client = await clients.of(shop);
  const walk: unknown[] = [];
  for (const frame of [1, 2, 3]) {
    await goTo(client, 4);
    walk.push(await goToFrame(client, frame), await stack(client));
    await client.request('move', { move: 'goto', arguments: { target: '0.1' } });
  }
  expect(walk).toEqual([11, ['total:11', 'serve:22', ':31'], 22, ['serve:22', ':31'], 31, [':31']]);
});

test('the stack is the same after moves back in place', async () => {
  const client = await clients.of(shop);
  const visits: { readonly position: string; readonly frames: unknown; readonly variables: unknown[] }[] = [];
  for (const line of [4, 12, 18, 24, 26, 4, 12]) {
    await goTo(client, line);
    const { position } = await client.request('cursor', {});
    const { frames } = await client.request('frames', {});
    const values = [];
    for (const { index } of frames) values.push(await variables(client, index));
    visits.push({ position, frames, variables: values });
  }
  for (const visit of [...visits.toReversed(), ...visits]) {
    await client.request('move', { move: 'goto', arguments: { target: visit.position } });
    const { frames } = await client.request('frames', {});
    const values = [];
    for (const { index } of frames) values.push(await variables(client, index));
    expect({ position: visit.position, frames, variables: values }).toEqual(visit);
  }
});

test('the stack stays while evaluations change the program, and after they are undone', async () => {
  const client = await clients.of(shop);
  for (const line of [4, 12]) {
    await goTo(client, line);
    const lines = await stack(client);
    expect(lines.length).toBeGreaterThan(2);
    await client.request('evaluate', { expression: 'globalThis.left = [1]' });
    expect(await stack(client)).toEqual(lines);
    const { position } = await client.request('cursor', {});
    await client.request('move', { move: 'goto', arguments: { target: position } });
    expect(await stack(client)).toEqual(lines);
    // Now in a task that was re-executed in place.
    await client.request('move', { move: 'goto', arguments: { target: 'end' } });
    await client.request('frames', {});
    await client.request('move', { move: 'goto', arguments: { target: position } });
    await client.request('evaluate', { expression: 'globalThis.left = [1]' });
    expect(await stack(client)).toEqual(lines);
    await client.request('move', { move: 'goto', arguments: { target: position } });
    expect(await stack(client)).toEqual(lines);
  }
});

const RELAY = `
const tick = () => new Promise((resolve) => setImmediate(resolve));
async function leaf() {
  await tick();
  return 1;
}
async function wait(promise, name) {
  return (await promise) + name;
}
async function level(n) {
  if (n === 0) return await leaf();
  return (await level(n - 1)) + n;
}
const shared = leaf();
await Promise.race([
  wait(shared, 'a'),
  wait(shared, 'b'),
  shared.then((value) => {
    return value;
  }),
  wait(shared, 'c'),
]);
console.log(await level(40));
class Later extends Promise {}
await Later.resolve(tick()).then(() => {
  console.log('later');
});
async function* numbers() {
  await tick();
  yield 1;
}
async function consume() {
  for await (const n of numbers()) console.log(n);
}
await consume();
await { then: (resolve) => leaf().then(resolve) };
setTimeout(() => console.log('end'), 1);
`.trimStart();

let relay: string;
beforeAll(() => {
  relay = recordProgram('relay', RELAY);
});

test('of several waiters the first is followed, and a race leads to what awaits it', async () => {
  const client = await clients.of(relay);
  await goTo(client, 4);
  expect(await stack(client)).toEqual(['leaf:4', 'await wait:7 +3', 'await :14']);
  expect(await variables(client, 1)).toMatchObject({ name: '"a"' });
  await goTo(client, 18);
  expect(await stack(client)).toEqual([':18', 'await :14']);
});

test('at most 32 awaiting frames are listed, with the number of the others', async () => {
  const client = await clients.of(relay);
  await goTo(client, 4);
  await goTo(client, 4);
  const { frames, moreAwaiting } = await client.request('frames', {});
  expect(frames.map(frameText)).toEqual([
    'leaf:4',
    'await level:10',
    ...Array.from({ length: 31 }, () => 'await level:11'),
  ]);
  expect(moreAwaiting).toBe(10);
  expect(await variables(client, 32)).toMatchObject({ n: '31' });
  expect(await goToFrame(client, 32)).toBe(11);
  expect(await variables(client, 0)).toMatchObject({ n: '31' });
});

test('handlers, subclasses, async generators and thenables lead to what awaits them', async () => {
  const client = await clients.of(relay);
  const stacks: unknown[] = [];
  for (const line of [25, 29]) {
    await goTo(client, line);
    stacks.push(await stack(client));
  }
  await goTo(client, 4);
  stacks.push(await stack(client));
  await goTo(client, 36);
  stacks.push(await stack(client));
  expect(stacks).toEqual([
    [':25', 'await :24'],
    ['numbers:29', 'await consume:32', 'await :34'],
    ['leaf:4', 'await :35'],
    [':36'],
  ]);
});

const SLOW = `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function work(rounds) {
  for (let i = 0; i < rounds; i++) {
    for (let n = 0; n < 30_000; n++) Math.sqrt(n);
    await sleep(1);
  }
  await sleep(1);
  return 'done';
}
async function serve(name) {
  const result = await work(30);
  console.log(name, result);
}
await serve('slow');
`.trimStart();

test('frames that are older than the snapshot have their variables and positions', async () => {
  const client = await clients.of(recordProgram('slow', SLOW, '--snapshots', 'work=2ms'));
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect((await client.request('move', { move: 'snapshot', direction: 'backward' })).cursor.position).toMatch(/^[1-9]/);
  await goTo(client, 8);
  expect(await stack(client)).toEqual(['work:8', 'await serve:11', 'await :14']);
  expect(await variables(client, 1)).toEqual({ name: '"slow"' });
  const { position = '' } = await client.request('framePosition', { frame: 1 });
  expect(position).toMatch(/^0\.1:/);
  expect(await goToFrame(client, 1)).toBe(11);
  expect(await stack(client)).toEqual(['serve:11', ':14']);
});
