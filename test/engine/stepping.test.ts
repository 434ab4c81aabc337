// Steps over awaits: `next` stays in the activation, `finish` leads to what awaits it, and back the same way.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-stepping-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Records a program; returns a client of its recording. */
async function open(name: string, text: string): Promise<Client> {
  const directory = mkdtempSync(join(scratch, `${name}-`));
  writeFileSync(join(directory, 'main.mjs'), text);
  record(join(directory, 'recordings'), ['main.mjs'], {}, directory);
  return createClient(join(directory, 'recordings'));
}

/** Makes moves, such as `next` or `-next` for the reverse; returns the lines of the stops, or the reasons. */
async function walk(client: Client, ...moves: readonly string[]): Promise<(number | string)[]> {
  const stops: (number | string)[] = [];
  for (const each of moves) {
    const move = each.replace(/^-/, '');
    const direction = each.startsWith('-') ? 'backward' : 'forward';
    const { found, cursor, reason } = await client.request('move', { move, direction });
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
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function price(item) {
  await sleep(1);
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
