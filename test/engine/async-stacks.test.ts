// Stacks with the suspended functions that await what runs: their places, their variables and their positions.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-async-stacks-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

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
  const client = await createClient(shop);
  await goTo(client, 4);
  const lines = ['price:4', 'await total:11', 'await all serve:22', 'await :31'];
  expect(await stack(client)).toEqual(lines);
  expect(await variables(client, 1)).toMatchObject({ order: '[1, 2]', item: '1', sum: '0' });
  expect(await variables(client, 2)).toEqual({ shop: 'Shop {discount: 1}', name: '"first"' });
  expect(await variables(client, 3)).toMatchObject({ name: '"first"', results: '[]' });
  const total = await client.request('evaluate', { expression: 'this.discount + item + price.length', frame: 1 });
  expect(total).toMatchObject({ value: { preview: '3' }, isPure: true });
  expect(await client.request('evaluate', { expression: 'shop.discount = 4', frame: 2 })).toMatchObject({
    error: 'the expression could change the program, which this request forbids',
  });
});
