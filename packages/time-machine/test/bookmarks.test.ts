// Bookmarks: places with notes, kept beside a recording, and there again for whoever looks at it next.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import { ERRORS } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { surveyOf } from './random-runs.ts';
import { SHOP } from './shop.ts';

const room = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));
const survey = surveyOf(SHOP);

let files = 0;
const newFile = (): string => join(room, `shop-${++files}.bookmarks.json`);

/** One that is asked for nothing that needs a process. */
async function clientOf(bookmarksIn: string | undefined): Promise<Client> {
  const inside = { bookmarksIn, sourceOf: () => undefined } as unknown as ConstructorParameters<
    typeof TimeMachineServer
  >[3];
  const about = { name: 'shop', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(survey, about, '1.2.3', inside).wire());
  await client.hello('test');
  return client;
}

test('a bookmark is of where all stand, or of a position, and there again the next time', async () => {
  const file = newFile();
  const client = await clientOf(file);
  expect(await client.request('bookmarks', {})).toEqual({ bookmarks: [] });
  const here = await client.request('bookmark', { note: 'here it begins' });
  expect(here).toMatchObject({ id: 1, position: '0.1', note: 'here it begins', stretch: { order: 1 } });
  const { where } = await client.request('find', { move: 'end' });
  const end = await client.request('bookmark', { position: where.position });
  expect(end).toEqual({ id: 2, position: where.position, note: '' });
  expect(await (await clientOf(file)).request('bookmarks', {})).toEqual({ bookmarks: [here, end] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(room).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a note is changed and a bookmark removed; others stay as they are', async () => {
  const client = await clientOf(newFile());
  await client.request('bookmark', { note: 'one' });
  await client.request('bookmark', { note: 'two' });
  expect(await client.request('bookmark', { id: 1, note: 'first' })).toMatchObject({ note: 'first', position: '0.1' });
  expect(await client.request('bookmark', { id: 1, position: '2' })).toMatchObject({ note: 'first', position: '0.2' });
  expect(await client.request('unbookmark', { id: 2 })).toEqual({ found: true });
  expect(await client.request('unbookmark', { id: 2 })).toEqual({ found: false });
  const { bookmarks } = await client.request('bookmarks', {});
  expect(bookmarks.map(({ id, note }) => [id, note])).toEqual([[1, 'first']]);
  await expect(client.request('bookmark', { id: 7 })).rejects.toMatchObject({
    code: ERRORS.params,
    message: 'there is no bookmark 7',
  });
  await expect(client.request('bookmark', { position: '9.9' })).rejects.toMatchObject({ code: ERRORS.params });
});

test('without a file they last as long as the time machine', async () => {
  const client = await clientOf(undefined);
  await client.request('bookmark', { note: 'x' });
  expect((await client.request('bookmarks', {})).bookmarks.length).toBe(1);
});

test('of a place that was not run again the position is told alone', async () => {
  const file = newFile();
  writeFileSync(file, JSON.stringify({ version: 1, bookmarks: [{ id: 3, position: '9.1:4.1', note: 'later' }] }));
  const client = await clientOf(file);
  expect((await client.request('bookmarks', {})).bookmarks).toEqual([{ id: 3, position: '9.1:4.1', note: 'later' }]);
  expect((await client.request('bookmark', {})).id).toBe(4);
});

test('a damaged file is told of and left as it is; one that cannot be written keeps nothing', async () => {
  for (const [text, what] of [
    ['{"version":1,', 'is damaged'],
    ['{"version":2,"bookmarks":[]}', 'is no file of bookmarks'],
    ['{"version":1,"bookmarks":[{"id":0}]}', 'is no file of bookmarks'],
  ] as const) {
    const file = newFile();
    writeFileSync(file, text);
    const client = await clientOf(file);
    await expect(client.request('bookmarks', {})).rejects.toThrow(what);
    await expect(client.request('bookmark', { note: 'x' })).rejects.toThrow(file);
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  const nowhere = await clientOf(join(room, 'not', 'there.json'));
  await expect(nowhere.request('bookmark', { note: 'x' })).rejects.toThrow('so the bookmark is not kept');
  expect((await nowhere.request('bookmarks', {})).bookmarks).toEqual([]);
});
