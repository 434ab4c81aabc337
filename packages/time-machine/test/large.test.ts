// A long recording of many actors is gone about in as a short one is: page by page, and whoever waits for one thing is not kept by another.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Survey } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { NOBODY, NotesWriter } from '@turntable/time-machine/notes';
import { TimeMachineServer } from '@turntable/time-machine/server';

const COUNT = Number(process.env['TURNTABLE_LARGE'] ?? 200_000);
const ACTORS = 10_000;
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let client: Client;

beforeAll(async () => {
  const notes = new NotesWriter(join(directory, '0.0.tsv'), { worker: 0, life: 0, phase: 0 });
  for (let i = 1; i <= COUNT; i++) {
    if (i % 2 === 0) notes.mark('stdout', i);
    if (i % 3 === 0) notes.mark('stderr', 1);
    if (i === COUNT - 1) notes.error('Error: at last');
    notes.stretch(
      {
        kind: i <= ACTORS ? 'construct' : 'call',
        actor: `Counter#${i % ACTORS}`,
        method: 'add',
        place: 'counter.ts:1',
        turn: i,
        event: i,
        time: i,
        sender: i === 1 ? NOBODY : 0,
        senderLife: 0,
        number: i - 1,
      },
      3,
      1,
    );
  }
  notes.end('ended', COUNT, COUNT);
  const survey = Survey.read(directory);
  const server = new TimeMachineServer(survey, { name: 'large', from: undefined, verdict: 'same' }, '1.2.3');
  client = new Client(server.wire());
  expect((await client.hello('test')).stretches).toBe(COUNT);
});

test('lists come page by page, and all pages are the whole', async () => {
  const { total, actors } = await client.request('actors', { from: ACTORS - 10, count: 1000 });
  expect([total, actors.length]).toEqual([ACTORS, 10]);
  let found = 0;
  for (let from: number | undefined = 1; from !== undefined;) {
    const page: { stretches: readonly { actor: string }[]; next?: number | undefined } = await client.request(
      'stretches',
      { from, count: 7, actor: 'Counter#77' },
    );
    expect(page.stretches.every(({ actor }) => actor === 'Counter#77')).toBe(true);
    found += page.stretches.length;
    from = page.next;
  }
  expect(found).toBe(COUNT / ACTORS);
});

test('what was printed is found from either end, with what stands there', async () => {
  const landed = await client.request('move', { move: 'nth', arguments: { worker: 0, turn: 5 } });
  expect(landed.where.stretch?.marks).toEqual([]);
  const next = await client.request('move', { move: 'output' });
  expect(next.where.stretch?.marks).toEqual([
    { kind: 'stdout', value: 6 },
    { kind: 'stderr', value: 1 },
  ]);
  const back = await client.request('move', { move: 'output', direction: 'backward' });
  expect(back.where.order).toBe(4);
  const error = await client.request('move', { move: 'error' });
  expect(error.where.order).toBe(COUNT - 1);
});

test('a search through all of it tells how far it is, and is given up when it is asked to be', async () => {
  await client.request('move', { move: 'start' });
  const giving = new AbortController();
  const told: number[] = [];
  const searching = client.request(
    'move',
    { move: 'match', arguments: { actor: 'Nobody*' } },
    {
      signal: giving.signal,
      onProgress: (done, total) => {
        expect(total).toBe(COUNT);
        told.push(done);
        if (told.length === 2) giving.abort();
      },
    },
  );
  await expect(searching).rejects.toMatchObject({ code: -32_800 });
  expect(told.length).toBeGreaterThanOrEqual(2);
  expect((await client.request('where', {})).order).toBe(1);
});
