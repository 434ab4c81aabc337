// Files that are kept for users: the list of recent recordings, and run indexes with their checkpoints.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RunIndexCache, runIndexKey } from '@turntable/time-machine';
import { digestCode } from '@turntable/recording/code-digest';
import { codeDigestOf, RecentRecordings } from '../src/recent.ts';
import { buildRunIndex } from './random-runs.ts';
import { SHOP_STEPS } from './shop-steps.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const scratch = (): string => mkdtempSync(join(directory, 'test-'));

test('recent recordings are listed once, the last opened first, up to twenty', () => {
  const file = join(scratch(), 'new', 'recent.json');
  const recent = new RecentRecordings(file);
  expect(recent.list()).toEqual([]);
  for (let i = 0; i < 22; i++) recent.add(`/r/${i}`);
  recent.add('/r/20', 'digest');
  const paths = recent.list().map(({ path }) => path);
  expect(paths).toEqual(['/r/20', '/r/21', ...Array.from({ length: 18 }, (_, i) => `/r/${19 - i}`)]);
  expect(recent.list()[0]).toEqual({ path: '/r/20', openedAt: expect.any(Number) as number, codeDigest: 'digest' });
  expect(recent.list()[1]).toEqual({ path: '/r/21', openedAt: expect.any(Number) as number });
  recent.remove('/r/21');
  expect(new RecentRecordings(file).list()).toHaveLength(19);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(file, '..'))).toEqual(['recent.json']);
});

test('consent to run the code of a recording ends when the code changes, or when the recording is removed', async () => {
  const [recording, packed] = [scratch(), join(scratch(), 'packed.ttr')];
  const recent = new RecentRecordings(join(scratch(), 'recent.json'));
  writeFileSync(join(recording, 'manifest.json'), '{"modules":[1]}');
  writeFileSync(packed, 'one');
  for (const path of [recording, packed]) {
    const digest = await digestCode(path);
    recent.add(path);
    expect(recent.hasConsent(path, digest)).toBe(false);
    recent.add(path, digest);
    // Opened again, from a terminal.
    recent.add(path);
    expect(recent.hasConsent(path, digest)).toBe(true);
  }
  expect(recent.hasConsent(packed, await digestCode(recording))).toBe(false);
  writeFileSync(join(recording, 'manifest.json'), '{"modules":[2]}');
  expect(recent.hasConsent(recording, await digestCode(recording))).toBe(false);
  recent.remove(packed);
  expect(recent.hasConsent(packed, await digestCode(packed))).toBe(false);
  expect(await codeDigestOf(recording)).toBe(await digestCode(recording));
  expect(await codeDigestOf(directory)).toBe(undefined);
});

test('a damaged list counts as empty, and invalid entries are left out', () => {
  const file = join(scratch(), 'recent.json');
  const valid = { path: '/r', openedAt: 1 };
  for (const [content, list] of [
    ['{', []],
    ['{}', []],
    [JSON.stringify([valid, null, 7, { path: '/s' }, { path: 1, openedAt: 1 }, { openedAt: 2 }]), [valid]],
    [JSON.stringify(Array.from({ length: 21 }, () => valid)), Array.from({ length: 20 }, () => valid)],
  ] as const) {
    writeFileSync(file, content);
    expect(new RecentRecordings(file).list()).toEqual(list);
  }
});

test('without a file nothing is kept, and a list that cannot be written is no error', () => {
  const none = new RecentRecordings(undefined);
  none.add('/r');
  expect(none.list()).toEqual([]);
  const file = join(scratch(), 'file');
  writeFileSync(file, '');
  const unwritable = new RecentRecordings(join(file, 'recent.json'));
  unwritable.add('/r');
  unwritable.remove('/r');
  expect(unwritable.list()).toEqual([]);
});

test('the key of a run index depends on names and contents of its files, and on what the caller names', () => {
  const files = scratch();
  const write = (name: string, text: string): void => writeFileSync(join(files, name), text);
  write('a', 'x'.repeat(2 ** 20 + 1));
  write('b', 'one');
  const key = runIndexKey(files, ['a', 'b'], 1, 'v');
  expect(runIndexKey(files, ['b', 'a'], 1, 'v')).toBe(key);
  const others = [
    runIndexKey(files, ['a'], 1, 'v'),
    runIndexKey(files, ['a', 'b'], 2, 'v'),
    runIndexKey(files, ['a', 'b'], 1),
  ];
  write('a', `${'x'.repeat(2 ** 20)}y`);
  others.push(runIndexKey(files, ['a', 'b'], 1, 'v'));
  write('a', 'x'.repeat(2 ** 20 + 1));
  expect(runIndexKey(files, ['a', 'b'], 1, 'v')).toBe(key);
  write('b', 'two');
  others.push(runIndexKey(files, ['a', 'b'], 1, 'v'));
  expect(new Set([key, ...others]).size).toBe(6);
});

const runIndex = buildRunIndex(SHOP_STEPS);

test('a run index is stored with its metadata; a missing or damaged one is built again', () => {
  const room = join(scratch(), 'cache');
  const cache = new RunIndexCache(room);
  expect(cache.get('k')).toBeUndefined();
  cache.put('k', runIndex, { verdict: 'same' });
  const found = cache.get('k');
  expect(found?.metadata).toEqual({ verdict: 'same' });
  expect(found?.runIndex.count).toBe(runIndex.count);
  const [file] = readdirSync(room);
  expect(file).toBe('k.run-index');
  const path = join(room, file ?? '');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length - 3));
  expect(cache.get('k')).toBeUndefined();
  const blocked = join(room, 'file');
  writeFileSync(blocked, '');
  new RunIndexCache(blocked).put('k', runIndex, {});
  new RunIndexCache(blocked).putCheckpoints('k', undefined);
  expect(new RunIndexCache(blocked).createCheckpointRoom('k')).toBeUndefined();
});

test('the sixteen run indexes that were used last are kept, and the checkpoints of four', () => {
  const room = scratch();
  const cache = new RunIndexCache(room);
  const age = (key: string, seconds: number): void => utimesSync(join(room, `${key}.run-index`), seconds, seconds);
  for (let i = 0; i < 16; i++) {
    cache.put(`k${i}`, runIndex, {});
    age(`k${i}`, 1000 + i);
  }
  for (let i = 0; i < 16; i++) mkdirSync(cache.checkpointDirectory(`k${i}`));
  // The use of a run index makes it a recent one.
  expect(cache.get('k0')).toBeDefined();
  cache.put('k16', runIndex, {});
  const names = readdirSync(room);
  const suffixed = (suffix: string): string[] =>
    names
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length))
      .toSorted();
  expect(suffixed('.run-index')).toEqual([
    'k0',
    'k10',
    'k11',
    'k12',
    'k13',
    'k14',
    'k15',
    'k16',
    'k2',
    'k3',
    'k4',
    'k5',
    'k6',
    'k7',
    'k8',
    'k9',
  ]);
  expect(suffixed('.checkpoints')).toEqual(['k0', 'k14', 'k15']);
});

test('checkpoints replace earlier ones, and nothing temporary is left', () => {
  const room = scratch();
  const cache = new RunIndexCache(room);
  cache.put('k', runIndex, {});
  for (const content of ['one', 'two']) {
    const temporary = cache.createCheckpointRoom('k') ?? '';
    mkdirSync(join(temporary, 'set'));
    writeFileSync(join(temporary, 'set', 'file'), content);
    cache.putCheckpoints('k', join(temporary, 'set'));
    expect(readFileSync(join(cache.checkpointDirectory('k'), 'file'), 'utf8')).toBe(content);
  }
  cache.createCheckpointRoom('k');
  cache.putCheckpoints('k', undefined);
  expect(readdirSync(room).toSorted()).toEqual(['k.checkpoints', 'k.run-index']);
  cache.createCheckpointRoom('k');
  cache.putCheckpoints('k', join(room, 'none'));
  expect(existsSync(cache.checkpointDirectory('k'))).toBe(false);
  // Temporary directories of ended processes are deleted, those of others are not.
  const [ended, running] = [
    `${cache.checkpointDirectory('k')}.999999999`,
    `${cache.checkpointDirectory('k')}.${process.ppid}`,
  ];
  for (const each of [ended, running]) mkdirSync(each);
  cache.putCheckpoints('k', undefined);
  expect([existsSync(ended), existsSync(running)]).toEqual([false, true]);
});
