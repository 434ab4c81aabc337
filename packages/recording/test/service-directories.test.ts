// Where sockets of recorded processes are.
import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { serviceDirectories } from '@turntable/recording';
import { isPrivateDirectory, isSocketPathTooLong } from '../src/control/service-directories.ts';
import { temporaryDirectory } from './recording.ts';

const FALLBACK = join(tmpdir(), `turntable-${process.getuid?.()}`);
const systemDirectories = serviceDirectories({});

test('sockets are in the directory that the environment names, and nowhere if it is off', () => {
  for (const off of ['off', '0']) expect(serviceDirectories({ TURNTABLE_SERVICES: off })).toEqual([]);
  expect(serviceDirectories({ TURNTABLE_SERVICES: '/a/b' })).toEqual(['/a/b']);
  expect(serviceDirectories({ TURNTABLE_SERVICES: 'c', XDG_RUNTIME_DIR: tmpdir() })).toEqual([resolve('c')]);
  expect(serviceDirectories({ TURNTABLE_SERVICES: '' })).toEqual(systemDirectories);
});

test('sockets are in the user’s runtime directory, or a temporary one', () => {
  expect(systemDirectories.at(-1)).toBe(FALLBACK);
  const own = temporaryDirectory();
  expect(serviceDirectories({ XDG_RUNTIME_DIR: own })).toEqual([join(own, 'turntable'), ...systemDirectories]);
  for (const unusable of ['relative', '/does/not/exist', ''])
    expect(serviceDirectories({ XDG_RUNTIME_DIR: unusable })).toEqual(systemDirectories);
  const [first = '', ...others] = systemDirectories;
  if (others.length > 0) expect(serviceDirectories({ XDG_RUNTIME_DIR: join(first, '..') })).toEqual(systemDirectories);
});

test.runIf(process.getuid?.() !== 0)('a directory of another user is not used', () => {
  expect(serviceDirectories({ XDG_RUNTIME_DIR: '/' })).toEqual(systemDirectories);
  expect(isPrivateDirectory('/root')).toBe(false);
});

test('a directory is private if only its user has access', () => {
  const directory = join(temporaryDirectory(), 'a');
  mkdirSync(directory);
  for (const [mode, isPrivate] of [
    [0o700, true],
    [0o500, true],
    [0o710, false],
    [0o701, false],
    [0o777, false],
  ] as const) {
    chmodSync(directory, mode);
    expect(isPrivateDirectory(directory)).toBe(isPrivate);
  }
  expect(isPrivateDirectory(join(directory, 'none'))).toBe(false);
  expect(isPrivateDirectory(import.meta.filename)).toBe(false);
});

test('a path of a socket has at most 103 bytes', () => {
  expect(isSocketPathTooLong('x'.repeat(103))).toBe(false);
  expect(isSocketPathTooLong('x'.repeat(104))).toBe(true);
  expect(isSocketPathTooLong('ü'.repeat(52))).toBe(true);
});
