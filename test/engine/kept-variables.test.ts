// Variables behind an `await` or `yield` that the code there does not use any more.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import { afterAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-kept-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function open(text: string, ...flags: readonly string[]): Promise<Client> {
  const directory = mkdtempSync(join(scratch, 'program-'));
  writeFileSync(join(directory, 'main.mjs'), text.trimStart());
  record(join(directory, 'recordings'), [...flags, 'main.mjs'], {}, directory);
  return createClient(join(directory, 'recordings'));
}

/** Goes to the next or last execution of a line; returns the variables there. */
async function variablesAt(
  client: Client,
  line: number,
  direction: 'forward' | 'backward' = 'forward',
): Promise<Record<string, string | undefined>> {
  const location = `main.mjs:${line}`;
  const { found } = await client.request('move', { move: 'advance', direction, arguments: { location } });
  expect(found, `an execution of line ${line}`).toBe(true);
  const { entries } = await client.request('variables', {});
  return Object.fromEntries(entries.map(({ name, value }) => [name, value?.preview]));
}

async function goToEnd(client: Client): Promise<void> {
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
}

const SHOP = `
const tick = () => new Promise((resolve) => setImmediate(resolve));
class Shop {
  async order(item, unused, { count, price } = { count: 1, price: 2 }) {
    const label = item + '!';
    let total = count * price;
    total += 1;
    await tick();
    console.log('ordered');
    for (const round of [1, 2]) {
      const doubled = round * 2;
      await tick();
      console.log('round');
      {
        const label = 'inner' + round;
        await tick();
        console.log('block');
      }
      console.log('outer');
    }
    try {
      await tick();
      throw new Error('sold out');
    } catch (error) {
      await tick();
      console.log('caught');
    }
    const later = () => label;
    await tick();
    console.log('end');
    return later.name;
  }
}
console.log(await new Shop().order('pen', 'never'));
`;

const ORDER = { item: '"pen"', unused: '"never"', count: '1', price: '2', total: '3', this: 'Shop {}' };

test('parameters, locals and the receiver are there after an await', async () => {
  const client = await open(SHOP);
  expect(await variablesAt(client, 8)).toEqual({ ...ORDER, label: '"pen!"' });
  expect(await variablesAt(client, 12)).toEqual({ ...ORDER, label: '"pen!"', round: '1', doubled: '2' });
  expect(await variablesAt(client, 16)).toEqual({ ...ORDER, label: '"inner1"', round: '1', doubled: '2' });
  expect(await variablesAt(client, 18)).toEqual({ ...ORDER, label: '"pen!"', round: '1', doubled: '2' });
  expect(await variablesAt(client, 16)).toEqual({ ...ORDER, label: '"inner2"', round: '2', doubled: '4' });
  expect(await variablesAt(client, 25)).toEqual({ ...ORDER, label: '"pen!"', error: 'Error: sold out' });
  expect(await variablesAt(client, 29)).toEqual({ ...ORDER, label: '"pen!"', later: 'function later' });
  const { value } = await client.request('evaluate', { expression: 'unused + total' });
  expect(value?.preview).toBe('"never3"');
});

test('after moving back, variables have the values of that round', async () => {
  const client = await open(SHOP);
  await variablesAt(client, 29);
  expect(await variablesAt(client, 16, 'backward')).toMatchObject({ label: '"inner2"', doubled: '4' });
  expect(await variablesAt(client, 12, 'backward')).toMatchObject({ label: '"pen!"', doubled: '4' });
  expect(await variablesAt(client, 16, 'backward')).toMatchObject({ label: '"inner1"', doubled: '2' });
  expect(await variablesAt(client, 12, 'backward')).toEqual({ ...ORDER, label: '"pen!"', round: '1', doubled: '2' });
  expect(await variablesAt(client, 8, 'backward')).toEqual({ ...ORDER, label: '"pen!"' });
});

test('variables are there after a yield, and in the body of a for await', async () => {
  const client = await open(`
function* numbers(first, last) {
  const start = first + 1;
  yield start;
  console.log('resumed');
}
async function* pages(size) {
  const limit = size * 2;
  for (let page = 0; page < 2; page++) {
    const name = 'page' + page;
    yield name;
    console.log('page');
  }
  yield* numbers(size, limit);
  console.log('done');
}
async function main(size) {
  const seen = [...numbers(1, 5)];
  for await (const page of pages(size)) {
    const text = String(page);
    await null;
    console.log('main');
  }
  console.log('end');
}
await main(3);
`);
  expect(await variablesAt(client, 4)).toEqual({ first: '1', last: '5', start: '2' });
  expect(await variablesAt(client, 21)).toMatchObject({
    size: '3',
    seen: 'Array(1) [2]',
    page: '"page0"',
    text: '"page0"',
  });
  expect(await variablesAt(client, 11)).toMatchObject({ size: '3', limit: '6', page: '0', name: '"page0"' });
  expect(await variablesAt(client, 14)).toMatchObject({ size: '3', limit: '6' });
  expect(await variablesAt(client, 23)).toMatchObject({ size: '3', seen: 'Array(1) [2]' });
});

test('what closures capture is there after an await, with the value that they wrote', async () => {
  const client = await open(`
async function main() {
  let count = 0;
  const outer = 'outer';
  const add = () => count++;
  add();
  const inner = async () => {
    const before = outer + count;
    await null;
    console.log('inner');
  };
  await inner();
  add();
  await null;
  console.log('end');
}
await main();
`);
  expect(await variablesAt(client, 9)).toMatchObject({ outer: '"outer"', count: '1', before: '"outer1"' });
  expect(await variablesAt(client, 14)).toMatchObject({ outer: '"outer"', count: '2', add: 'function add' });
});

/** A program whose function `serve` is suspended at all its snapshots. */
const SERVICE = `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let sum = 0;
const spin = () => { for (let n = 0; n < 300_000; n++) sum += Math.sqrt(n); };
async function work(rounds) {
  for (let i = 0; i < rounds; i++) {
    spin();
    await sleep(1);
  }
}
async function serve(request) {
  const id = request.id * 2;
  await work(300);
  console.log('served');
  return 'ok';
}
console.log(await serve({ id: 21 }));
`;

test('the values of a function that was suspended at a snapshot come from a process that began before', async () => {
  const client = await open(SERVICE, '--snapshots', 'work=2ms');
  await goToEnd(client);
  const snapshot = await client.request('move', { move: 'snapshot', direction: 'backward' });
  expect(snapshot.cursor.position).toMatch(/^[1-9]/);
  await goToEnd(client);
  expect(await variablesAt(client, 13, 'backward')).toEqual({ request: '{id: 21}', id: '42' });
  const { value } = await client.request('evaluate', { expression: 'request.id + id' });
  expect(value?.preview).toBe('63');
});

test('in a recording that begins with a snapshot, they are not available', async () => {
  const client = await open(SERVICE, '--snapshots', 'work=2ms', '--keep', 'count=3');
  expect(await variablesAt(client, 13)).toEqual({ request: undefined, id: undefined });
  const { entries } = await client.request('variables', {});
  expect(entries.map(({ isNotKept }) => isNotKept)).toEqual([true, true]);
  expect(await client.request('evaluate', { expression: 'request.id' })).toMatchObject({
    error: 'request is not available after the await',
  });
  expect(await client.request('evaluate', { expression: '({ id: 5 }).id' })).toMatchObject({ value: { preview: '5' } });
});
