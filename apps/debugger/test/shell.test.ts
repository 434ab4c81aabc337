// The shell of the desktop application without Electron: links, arguments and remembered recordings.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeableByOthers, ConfirmedCommands, findDebugServerCommand } from '../src/shell/debug-server-command.ts';
import { pathOfLink, parseOpenRequest } from '../src/shell/links.ts';
import { DesktopRecents } from '../src/shell/desktop-recents.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'turntable-')));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('a link names a recording by its absolute path, and any other link is ignored', () => {
  expect(pathOfLink('turntable://open?recording=/a/b%20c.ttr')).toBe('/a/b c.ttr');
  for (const other of [
    'turntable://open',
    'turntable://open?recording=recordings',
    'turntable://open?recording=../b',
    'turntable://open?recording=/a%00b',
    'turntable://start?recording=/a',
    'https://open?recording=/a',
    'no link',
  ])
    expect(pathOfLink(other), other).toBe(undefined);
});

test('a path from a terminal is distinguished from one in a link', () => {
  const path = join(directory, 'asked');
  mkdirSync(path);
  const parse = (...args: string[]) => parseOpenRequest(['/opt/electron', ...args], directory, true);
  expect(parse('--flag', 'asked')).toEqual({ path, isFromUser: true });
  expect(parse(path)).toEqual({ path, isFromUser: true });
  expect(parse('nowhere')).toEqual({ path: undefined, isFromUser: false });
  expect(parse()).toEqual({ path: undefined, isFromUser: false });
  expect(parse('asked', `turntable://open?recording=${path}`)).toEqual({ path, isFromUser: false });
  // Without packaging, Electron's own flags may come before the application.
  expect(parseOpenRequest(['/opt/electron', '--no-sandbox', '/app', 'asked'], directory, false).path).toBe(path);
  expect(parseOpenRequest(['/opt/electron', '--no-sandbox', directory], directory, false).path).toBe(undefined);
});

test('opened recordings are remembered, the last one first, until they are removed', () => {
  const recent = new DesktopRecents(join(directory, 'data/recent.json'));
  expect(recent.entries()).toEqual([]);
  recent.add('/a', undefined);
  recent.add(directory, 'x');
  recent.add('/a', undefined);
  expect(recent.entries().map(({ path, exists }) => [path, exists])).toEqual([
    ['/a', false],
    [directory, true],
  ]);
  expect(Object.keys(recent.entries()[0] ?? {}).toSorted()).toEqual(['exists', 'name', 'path', 'time']);
  expect([recent.has(directory), recent.has('/b')]).toEqual([true, false]);
  recent.remove('/a');
  expect(new DesktopRecents(join(directory, 'data/recent.json')).entries().map(({ path }) => path)).toEqual([
    directory,
  ]);
  for (let i = 0; i < 30; i++) recent.add(`/many/${i}`, undefined);
  expect(recent.entries().length).toBe(20);
});

test('a damaged list is read as empty', () => {
  const file = join(directory, 'damaged.json');
  for (const text of ['{', '{}', '[1, {"path": 2}]']) {
    writeFileSync(file, text);
    expect(new DesktopRecents(file).entries()).toEqual([]);
  }
});

describe('the Turntable of a debug server', () => {
  const cli = join(directory, 'project/node_modules/turntable/dist/cli.js');
  beforeAll(() => {
    mkdirSync(join(directory, 'project/recordings/one'), { recursive: true });
    mkdirSync(dirname(cli), { recursive: true });
    writeFileSync(cli, '');
  });

  test('is the one that the user names, otherwise that of the project', () => {
    const recording = join(directory, 'project/recordings/one');
    expect(findDebugServerCommand(recording, {})).toEqual({ node: 'node', cli, isFromProject: true });
    expect(findDebugServerCommand(recording, { TURNTABLE_CLI: '/c.js', TURNTABLE_NODE: '/n' })).toEqual({
      node: '/n',
      cli: '/c.js',
      isFromProject: false,
    });
    expect(findDebugServerCommand(directory, {})).toBe(undefined);
  });

  test.skipIf(process.platform === 'win32')('is refused if another user can change it', () => {
    expect(changeableByOthers(cli)).toBe(undefined);
    const project = join(directory, 'project');
    const linked = join(directory, 'linked.js');
    symlinkSync(cli, linked);
    chmodSync(project, 0o777);
    expect(changeableByOthers(cli)).toBe(project);
    expect(changeableByOthers(linked)).toBe(project);
    // As in /tmp.
    chmodSync(project, 0o1777);
    expect(changeableByOthers(cli)).toBe(undefined);
    chmodSync(project, 0o755);
    chmodSync(cli, 0o666);
    expect(changeableByOthers(cli)).toBe(cli);
    chmodSync(cli, 0o644);
  });

  test('is confirmed once', () => {
    const file = join(directory, 'confirmed.json');
    expect(new ConfirmedCommands(file).has(cli)).toBe(false);
    new ConfirmedCommands(file).add(cli);
    new ConfirmedCommands(file).add('/other');
    expect([cli, '/other', '/third'].map((each) => new ConfirmedCommands(file).has(each))).toEqual([true, true, false]);
    writeFileSync(file, '{');
    expect(new ConfirmedCommands(file).has(cli)).toBe(false);
  });
});
