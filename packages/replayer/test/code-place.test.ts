// Where the code of recordings that are looked into is kept.
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { codePlaceOf } from '../src/places/code-place.ts';

const room = mkdtempSync(join(tmpdir(), 'turntable-code-place-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

function recording(name: string): string {
  const directory = join(room, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ name }));
  return directory;
}

test('each recording has a place of its own, and has it again', () => {
  const environment = { TURNTABLE_CACHE: join(room, 'own') };
  const [one, other] = [recording('one'), recording('other')].map((each) => codePlaceOf(each, environment));
  expect(one).not.toBe(other);
  expect(codePlaceOf(join(room, 'one'), environment)).toBe(one);
  expect(dirname(one ?? '')).toBe(join(room, 'own', 'code'));
  expect([one, other].map((place) => existsSync(place ?? ''))).toEqual([true, true]);
});

test('those that were looked at last stay', () => {
  const environment = { TURNTABLE_CACHE: join(room, 'few') };
  const places = ['a', 'b', 'c', 'd'].map((name, hours) => {
    const place = codePlaceOf(recording(name), environment) ?? '';
    writeFileSync(join(place, 'code'), '');
    const then = new Date(Date.now() - (10 - hours) * 3_600_000);
    utimesSync(place, then, then);
    return place;
  });
  codePlaceOf(join(room, 'a'), environment);
  codePlaceOf(recording('e'), environment);
  expect(places.map((place) => existsSync(join(place, 'code')))).toEqual([true, false, true, true]);
});

test('nothing is kept with a key, where nothing is to be kept, and of what is no recording', () => {
  const directory = recording('sealed');
  const cache = join(room, 'none');
  expect(codePlaceOf(directory, { TURNTABLE_CACHE: cache, TURNTABLE_KEY: 'key' })).toBeUndefined();
  expect(codePlaceOf(directory, { TURNTABLE_CACHE: 'off' })).toBeUndefined();
  expect(codePlaceOf(join(room, 'nowhere'), { TURNTABLE_CACHE: cache })).toBeUndefined();
  expect(existsSync(cache)).toBe(false);
});
