// What the shell of the desktop makes of links and arguments, and what it remembers, without Electron.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { placeOfLink, wantedBy } from '../src/shell/links.ts';
import { codeOf, Recent } from '../src/shell/recent.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a link names a recording by its whole path, and any other means nothing', () => {
  expect(placeOfLink('turntable://open?recording=/a/b%20c.ttr')).toBe('/a/b c.ttr');
  for (const other of [
    'turntable://open',
    'turntable://open?recording=recordings',
    'turntable://open?recording=../b',
    'turntable://open?recording=/a%00b',
    'turntable://start?recording=/a',
    'https://open?recording=/a',
    'no link',
  ])
    expect(placeOfLink(other), other).toBe(undefined);
});

test('what is asked for in a terminal is told from what came by a link', () => {
  const place = join(directory, 'asked');
  mkdirSync(place);
  const by = (...args: string[]) => wantedBy(['/opt/electron', ...args], directory, true);
  expect(by('--flag', 'asked')).toEqual({ place, isAskedFor: true });
  expect(by(place)).toEqual({ place, isAskedFor: true });
  expect(by('nowhere')).toEqual({ place: undefined, isAskedFor: false });
  expect(by()).toEqual({ place: undefined, isAskedFor: false });
  expect(by('asked', `turntable://open?recording=${place}`)).toEqual({ place, isAskedFor: false });
  // Flags of the system may come before the application, as long as it is not packaged.
  expect(wantedBy(['/opt/electron', '--no-sandbox', '/app', 'asked'], directory, false).place).toBe(place);
  expect(wantedBy(['/opt/electron', '--no-sandbox', directory], directory, false).place).toBe(undefined);
});

test('recordings that were opened are remembered, the last first, until they are forgotten', () => {
  const recent = new Recent(join(directory, 'data/recent.json'));
  expect(recent.told()).toEqual([]);
  recent.note('/a', undefined);
  recent.note(directory, 'x');
  recent.note('/a', undefined);
  expect(recent.told().map(({ place, isThere }) => [place, isThere])).toEqual([
    ['/a', false],
    [directory, true],
  ]);
  expect(Object.keys(recent.told()[0] ?? {}).toSorted()).toEqual(['isThere', 'name', 'place', 'time']);
  expect([recent.has(directory), recent.has('/b')]).toEqual([true, false]);
  recent.forget('/a');
  expect(new Recent(join(directory, 'data/recent.json')).told().map(({ place }) => place)).toEqual([directory]);
  for (let i = 0; i < 30; i++) recent.note(`/many/${i}`, undefined);
  expect(recent.told().length).toBe(20);
});

test('a list that somebody has damaged is none', () => {
  const file = join(directory, 'damaged.json');
  for (const text of ['{', '{}', '[1, {"place": 2}]']) {
    writeFileSync(file, text);
    expect(new Recent(file).told()).toEqual([]);
  }
});

test('who has agreed to run a code again is asked anew when it is another one', async () => {
  const recent = new Recent(join(directory, 'agreed.json'));
  const [recording, packed] = [join(directory, 'recording'), join(directory, 'packed.ttr')];
  mkdirSync(recording);
  writeFileSync(join(recording, 'manifest.json'), '{"modules":[1]}');
  writeFileSync(packed, 'one');
  for (const place of [recording, packed]) {
    recent.note(place, await codeOf(place));
    expect(recent.isAgreed(place, await codeOf(place))).toBe(true);
  }
  writeFileSync(join(recording, 'manifest.json'), '{"modules":[2]}');
  writeFileSync(packed, 'other');
  for (const place of [recording, packed]) expect(recent.isAgreed(place, await codeOf(place))).toBe(false);
  // Of what no code is known nobody has agreed to anything.
  recent.note(directory, await codeOf(directory));
  expect(recent.isAgreed(directory, await codeOf(directory))).toBe(false);
  expect(await codeOf('/dev/zero')).toBe(undefined);
});
