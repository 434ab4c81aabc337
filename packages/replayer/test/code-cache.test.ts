// Tests the code cache directories of recordings.
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { codeCacheDirectory } from '../src/paths/code-cache.ts';

const testRoot = mkdtempSync(join(tmpdir(), 'turntable-code-place-'));
afterAll(() => rmSync(testRoot, { recursive: true, force: true }));

function makeRecording(name: string): string {
  const directory = join(testRoot, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ name }));
  return directory;
}

test('each recording has its own permanent directory', () => {
  const environment = { TURNTABLE_CACHE: join(testRoot, 'own') };
  const [first, second] = [makeRecording('one'), makeRecording('other')].map((each) =>
    codeCacheDirectory(each, environment),
  );
  expect(first).not.toBe(second);
  expect(codeCacheDirectory(join(testRoot, 'one'), environment)).toBe(first);
  expect(dirname(first ?? '')).toBe(join(testRoot, 'own', 'code'));
  expect([first, second].map((directory) => existsSync(directory ?? ''))).toEqual([true, true]);
});

test('the most recently used caches are kept', () => {
  const environment = { TURNTABLE_CACHE: join(testRoot, 'few') };
  const directories = ['a', 'b', 'c', 'd'].map((name, hours) => {
    const directory = codeCacheDirectory(makeRecording(name), environment) ?? '';
    writeFileSync(join(directory, 'code'), '');
    const usedAt = new Date(Date.now() - (10 - hours) * 3_600_000);
    utimesSync(directory, usedAt, usedAt);
    return directory;
  });
  codeCacheDirectory(join(testRoot, 'a'), environment);
  codeCacheDirectory(makeRecording('e'), environment);
  expect(directories.map((directory) => existsSync(join(directory, 'code')))).toEqual([true, false, true, true]);
});

test('caches that replays may be using are kept, however many there are', () => {
  const environment = { TURNTABLE_CACHE: join(testRoot, 'many') };
  const directories = Array.from({ length: 12 }, (_, i) => codeCacheDirectory(makeRecording(`used ${i}`), environment));
  expect(directories.filter((directory) => existsSync(directory ?? ''))).toEqual(directories);
});

test('there is no cache with a key, without a cache directory, or for a path without a recording', () => {
  const directory = makeRecording('sealed');
  const cache = join(testRoot, 'none');
  expect(codeCacheDirectory(directory, { TURNTABLE_CACHE: cache, TURNTABLE_KEY: 'key' })).toBeUndefined();
  expect(codeCacheDirectory(directory, { TURNTABLE_CACHE: 'off' })).toBeUndefined();
  expect(codeCacheDirectory(join(testRoot, 'nowhere'), { TURNTABLE_CACHE: cache })).toBeUndefined();
  expect(existsSync(cache)).toBe(false);
});
