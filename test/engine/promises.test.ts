// Pending promises at a pause: their origins, their waiters, and the promises that they wait for, across workers; the
// same on every route to the position.
import './own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record, runTurntable } from '../replay/record-and-replay.ts';
import { SharedClients } from './time-machine-server.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-promises-'));
const clients = new SharedClients();
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});
const program = (name: string): string => join(import.meta.dirname, 'programs', name);

beforeAll(() => {
  record(join(scratch, 'waiting'), [program('waiting.ts')]);
  record(join(scratch, 'held'), [program('held.ts')]);
});

type PromiseInfo = ResultOf<'promises'>['promises'][number];

/** The line of the program that contains a text. */
function lineOf(name: string, text: string): number {
  return (
    readFileSync(program(name), 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

async function toLine(client: Client, name: string, text: string): Promise<void> {
  const { id } = await client.request('addBreakpoint', { file: name, line: lineOf(name, text) });
  const { found, isEdge } = await client.request('move', { move: 'continue' });
  expect({ found, isEdge }).toEqual({ found: true });
  await client.request('removeBreakpoint', { id });
}

async function all(client: Client): Promise<readonly PromiseInfo[]> {
  const { promises, total } = await client.request('promises', { count: 1000 });
  expect(promises.length).toBe(total);
  return promises;
}

/** The promises without ids, which differ between processes. */
function withoutIds(promises: readonly PromiseInfo[]): string[] {
  const descriptions = new Map(promises.map((each) => [each.value.id, each.description]));
  return promises
    .map((each) =>
      JSON.stringify({
        ...each,
        value: each.value.preview,
        waitsFor: each.waitsFor.map((id) => descriptions.get(id)),
        waiters: each.waiters.map(({ promise, ...waiter }) => ({ ...waiter, for: descriptions.get(promise) })),
      }),
    )
    .toSorted();
}

test('describes each promise with its origin, its waiters and the promises that it waits for', async () => {
  const client = await clients.of(join(scratch, 'waiting'));
  await toLine(client, 'waiting.ts', "'closing'");
  const promises = await all(client);
  const named = (description: string): PromiseInfo => {
    const found = promises.filter((each) => each.description === description);
    expect([description, found.length]).toEqual([description, 1]);
    return found[0] as PromiseInfo;
  };
  const prepared = named('the result of Baker.prepare');
  expect(named('the answer of baker.prepare')).toMatchObject({
    worker: 0,
    since: '0.1',
    waitsFor: [prepared.value.id],
    waiters: [{ description: 'served, passed to then', location: { line: lineOf('waiting.ts', 'function served') } }],
  });
  const both = named('Promise.all');
  expect(prepared).toMatchObject({
    waitsFor: [both.value.id],
    location: { line: lineOf('waiting-actors.ts', 'Promise.all') },
    waiters: [
      {
        description: 'the answer of baker.prepare',
        actor: 'the main program',
        promise: named('the answer of baker.prepare').value.id,
      },
    ],
  });
  expect(both.waiters).toMatchObject([{ description: 'Baker.prepare', actor: 'baker', promise: prepared.value.id }]);
  const made = named('the result of Baker.make');
  const [warm, baked] = [named('the answer of oven.warm'), named('the answer of oven.bake')];
  expect(both.waitsFor.toSorted()).toEqual([warm, made].map(({ value }) => value.id).toSorted());
  expect(baked).toMatchObject({
    worker: 0,
    waitsFor: [],
    reason: 'it waits for an answer from worker 1',
    waiters: [{ description: 'Baker.make' }],
  });
  expect(named('the answer of baker.rest')).toMatchObject({
    reason: 'queued in the mailbox of baker',
    waiterCount: 1,
  });
  const warmed = named('the result of Oven.warm');
  expect(warmed).toMatchObject({
    worker: 1,
    waiters: [{ description: 'the answer of oven.warm', actor: 'the main thread' }],
  });
  const { cursor } = await client.request('find', {
    move: 'goto',
    arguments: { target: warmed.since ?? '' },
  });
  expect(cursor.task?.title).toBe('oven.warm');
  // Page by page.
  const some = await client.request('promises', { from: 2, count: 3 });
  expect(some).toEqual({ promises: promises.slice(2, 5), total: promises.length });
  const { promises: ovens } = await client.request('promises', { actor: 'ov*', count: 100 });
  expect(ovens.map(({ waiters }) => waiters.map(({ description, actor }) => [description, actor]))).toEqual([
    [['Oven.warm', 'oven']],
  ]);
});

test('follows a promise across workers to a promise that never settles', async () => {
  const client = await clients.of(join(scratch, 'waiting'));
  await toLine(client, 'waiting.ts', "'closing'");
  const first = (await all(client)).find(({ description }) => description === 'the answer of baker.prepare');
  const { promises } = await client.request('promises', { promise: first?.value.id, count: 100 });
  const byId = new Map(promises.map((each) => [each.value.id, each]));
  const chainFrom = (id: number | undefined): readonly unknown[] => {
    const { description, waitsFor } = byId.get(id) ?? { description: 'nothing', waitsFor: [] };
    return [description, ...waitsFor.map(chainFrom)];
  };
  expect(chainFrom(first?.value.id)).toEqual([
    'the answer of baker.prepare',
    [
      'the result of Baker.prepare',
      [
        'Promise.all',
        ['the answer of oven.warm', ['the result of Oven.warm', ['a promise']]],
        ['the result of Baker.make', ['the answer of oven.bake', ['a promise']]],
      ],
    ],
  ]);
  const reasonFor = (waiter: string): string | undefined =>
    promises.find(({ waiters }) => waiters.some(({ description }) => description === waiter))?.reason;
  expect(reasonFor('Oven.warm')).toBe('oven.#heated settles it when called');
  // No object holds the functions that settle it.
  expect(reasonFor('the answer of oven.bake')).toBe(undefined);
  await expect(client.request('promises', { promise: 999, count: 1 })).rejects.toThrow('#999 is not a promise');
});

test('names the suspended function whose variable settles a promise', async () => {
  const client = await clients.of(join(scratch, 'held'));
  await toLine(client, 'held.ts', "'cooking'");
  const meal = (await all(client)).find(({ waiters }) => waiters.some(({ description }) => description === 'guest'));
  const { promises } = await client.request('promises', { promise: meal?.value.id, count: 100 });
  expect(promises.map(({ reason }) => reason)).toEqual(['a variable of cook settles it when called']);
});

test('lists the same promises on every route to a position', async () => {
  const client = await clients.of(join(scratch, 'waiting'));
  await toLine(client, 'waiting.ts', "'closing'");
  const { position } = await client.request('cursor', {});
  const expected = withoutIds(await all(client));
  expect(expected.length).toBeGreaterThan(6);
  // Back within the task by undoing, and from after the task by re-execution.
  await client.request('move', { move: 'next' });
  expect(withoutIds(await all(client))).toEqual(expected);
  await client.request('move', { move: 'next', direction: 'backward' });
  expect(withoutIds(await all(client))).toEqual(expected);
  await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect((await all(client)).map(({ description, worker }) => [description, worker])).toEqual([['a promise', 1]]);
  await client.request('move', { move: 'goto', arguments: { target: position } });
  expect(withoutIds(await all(client))).toEqual(expected);
  // A move undoes the effects of an evaluation.
  await client.request('evaluate', { expression: 'void bread.then(String)' });
  const bread = (await all(client)).find(({ description }) => description === 'the answer of baker.prepare');
  expect(bread).toMatchObject({
    waiterCount: 2,
    waiters: [{}, { description: 'String, passed to then', promise: expect.any(Number) }],
  });
  await client.request('move', { move: 'next' });
  expect(withoutIds(await all(client))).toEqual(expected);
  await client.request('move', { move: 'next', direction: 'backward' });
  expect(withoutIds(await all(client))).toEqual(expected);
});

const LINES = [
  'promises',
  `break waiting.ts:${lineOf('waiting.ts', "'closing'")}`,
  'continue',
  'promises',
  'promises #1',
  'promises oven',
  'promises unknown',
  'promises #77',
  'goto end',
  'promises',
];

test('shows promises at the terminal', async () => {
  const { stdout, stderr, status } = runTurntable(['debug', join(scratch, 'waiting')], {
    input: LINES.map((line) => `${line}\n`).join(''),
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 1 });
  const [, ...output] = stdout.split('\n');
  const actual = output.join('\n').replaceAll(/\+\d+\.\d{3}s/g, '+0.000s');
  await expect(actual).toMatchFileSnapshot('golden/promises.txt');
});
