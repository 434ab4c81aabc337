// A long recording of many actors works like a short one: page by page, and no request blocks another one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunIndex } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { NO_SENDER, TaskLogWriter } from '@turntable/time-machine/task-log';
import { TimeMachineServer } from '@turntable/time-machine/server';

const COUNT = Number(process.env['TURNTABLE_LARGE'] ?? 200_000);
const ACTORS = 10_000;
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let client: Client;

beforeAll(async () => {
  const notes = new TaskLogWriter(join(directory, '0.0.tsv'), { worker: 0, epoch: 0, phase: 0 });
  for (let i = 1; i <= COUNT; i++) {
    if (i % 2 === 0) notes.writeEvent('stdout', i);
    if (i % 3 === 0) notes.writeEvent('stderr', 1);
    if (i === COUNT - 1) notes.writeTextEvent('uncaught', 'Error: at last');
    notes.writeTask(
      {
        kind: i <= ACTORS ? 'construct' : 'call',
        actor: `Counter#${i % ACTORS}`,
        method: 'add',
        methodLocation: 'counter.ts:1',
        turn: i,
        traceEvent: i,
        time: i,
        sender: i === 1 ? NO_SENDER : 0,
        senderEpoch: 0,
        causeNumber: i - 1,
      },
      3,
      1,
    );
  }
  notes.finish('ended', COUNT, COUNT);
  const runIndex = RunIndex.read(directory);
  const server = new TimeMachineServer(runIndex, { name: 'large', from: undefined, verdict: 'same' }, '1.2.3');
  client = new Client(server.openWire());
  expect((await client.hello('test')).taskCount).toBe(COUNT);
});

test('the pages of a list together are the whole list', async () => {
  const { total, actors } = await client.request('actors', { from: ACTORS - 10, count: 1000 });
  expect([total, actors.length]).toEqual([ACTORS, 10]);
  let found = 0;
  for (let from: number | undefined = 1; from !== undefined;) {
    const page: { tasks: readonly { actor: string }[]; next?: number | undefined } = await client.request('tasks', {
      from,
      count: 7,
      actor: 'Counter#77',
    });
    expect(page.tasks.every(({ actor }) => actor === 'Counter#77')).toBe(true);
    found += page.tasks.length;
    from = page.next;
  }
  expect(found).toBe(COUNT / ACTORS);
});

test('output is found from either end, with its text', async () => {
  const result = await client.request('move', { move: 'goto', arguments: { target: '0:5' } });
  expect(result.cursor.task?.events).toEqual([]);
  const next = await client.request('move', { move: 'output' });
  expect(next.cursor.task?.events).toEqual([
    { kind: 'stdout', value: 6 },
    { kind: 'stderr', value: 1 },
  ]);
  const back = await client.request('move', { move: 'output', direction: 'backward' });
  expect(back.cursor.order).toBe(4);
  const error = await client.request('move', { move: 'uncaught' });
  expect(error.cursor.order).toBe(COUNT - 1);
});

test('a search through all tasks reports progress and can be cancelled', async () => {
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
  const controller = new AbortController();
  const progress: number[] = [];
  const search = client.request(
    'move',
    { move: 'actor', arguments: { name: 'Unknown*' } },
    {
      signal: controller.signal,
      onProgress: (done, total) => {
        expect(total).toBe(COUNT);
        progress.push(done);
        if (progress.length === 2) controller.abort();
      },
    },
  );
  await expect(search).rejects.toMatchObject({ code: -32_800 });
  expect(progress.length).toBeGreaterThanOrEqual(2);
  expect((await client.request('cursor', {})).order).toBe(1);
});
