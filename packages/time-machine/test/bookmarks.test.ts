// Bookmarks: positions with notes that outlive the time machine.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import { ERROR_CODES } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { buildRunIndex } from './random-runs.ts';
import { SHOP_STEPS } from './shop-steps.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const runIndex = buildRunIndex(SHOP_STEPS);

let files = 0;
const newFile = (): string => join(directory, `shop-${++files}.bookmarks.json`);

/** A driver that fails every request. */
async function clientOf(bookmarksFile: string | undefined): Promise<Client> {
  const deps = { bookmarksFile, findSource: () => undefined } as unknown as ConstructorParameters<
    typeof TimeMachineServer
  >[3];
  const about = { name: 'shop', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(runIndex, about, '1.2.3', deps).openWire());
  await client.hello('test');
  return client;
}

test('a bookmark has the current or a given position and is kept', async () => {
  const file = newFile();
  const client = await clientOf(file);
  expect(await client.request('bookmarks', {})).toEqual({ bookmarks: [] });
  const here = await client.request('setBookmark', { note: 'here it begins' });
  expect(here).toMatchObject({ id: 1, position: '0.1', note: 'here it begins', task: { order: 1 } });
  const { cursor: where } = await client.request('find', { move: 'goto', arguments: { target: 'end' } });
  const end = await client.request('setBookmark', { position: where.position });
  expect(end).toEqual({ id: 2, position: where.position, note: '' });
  expect(await (await clientOf(file)).request('bookmarks', {})).toEqual({ bookmarks: [here, end] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('changing a note and removing a bookmark leaves other bookmarks unchanged', async () => {
  const client = await clientOf(newFile());
  await client.request('setBookmark', { note: 'one' });
  await client.request('setBookmark', { note: 'two' });
  expect(await client.request('setBookmark', { id: 1, note: 'first' })).toMatchObject({
    note: 'first',
    position: '0.1',
  });
  expect(await client.request('setBookmark', { id: 1, position: '2' })).toMatchObject({
    note: 'first',
    position: '0.2',
  });
  expect(await client.request('removeBookmark', { id: 2 })).toEqual({ found: true });
  expect(await client.request('removeBookmark', { id: 2 })).toEqual({ found: false });
  const { bookmarks } = await client.request('bookmarks', {});
  expect(bookmarks.map(({ id, note }) => [id, note])).toEqual([[1, 'first']]);
  await expect(client.request('setBookmark', { id: 7 })).rejects.toMatchObject({
    code: ERROR_CODES.params,
    message: 'there is no bookmark 7',
  });
  await expect(client.request('setBookmark', { position: '9.9' })).rejects.toMatchObject({ code: ERROR_CODES.params });
});

test('without a file, bookmarks end with the time machine', async () => {
  const client = await clientOf(undefined);
  await client.request('setBookmark', { note: 'x' });
  expect((await client.request('bookmarks', {})).bookmarks.length).toBe(1);
});

test('a bookmark outside of the replayed part has only its position', async () => {
  const file = newFile();
  writeFileSync(file, JSON.stringify({ version: 1, bookmarks: [{ id: 3, position: '9.1:4.1', note: 'later' }] }));
  const client = await clientOf(file);
  expect((await client.request('bookmarks', {})).bookmarks).toEqual([{ id: 3, position: '9.1:4.1', note: 'later' }]);
  expect((await client.request('setBookmark', {})).id).toBe(4);
});

test('a damaged file is reported and left unchanged; a failed write keeps nothing', async () => {
  for (const [text, problem] of [
    ['{"version":1,', 'is damaged'],
    ['{"version":2,"bookmarks":[]}', 'is not a bookmarks file'],
    ['{"version":1,"bookmarks":[{"id":0}]}', 'is not a bookmarks file'],
  ] as const) {
    const file = newFile();
    writeFileSync(file, text);
    const client = await clientOf(file);
    await expect(client.request('bookmarks', {})).rejects.toThrow(problem);
    await expect(client.request('setBookmark', { note: 'x' })).rejects.toThrow(file);
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  const unwritable = await clientOf(join(directory, 'not', 'there.json'));
  await expect(unwritable.request('setBookmark', { note: 'x' })).rejects.toThrow('the bookmark is not saved');
  expect((await unwritable.request('bookmarks', {})).bookmarks).toEqual([]);
});
