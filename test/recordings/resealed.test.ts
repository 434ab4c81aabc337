// A recording that was sealed with another key, or unsealed, has the same replay.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openRecording } from '@turntable/recording';
import { createScratchDirectory, recordingIn, REPOSITORY, runTurntable, type CliResult } from './processes.ts';

const directory = createScratchDirectory();
const run = (...args: readonly string[]): CliResult => runTurntable(directory, args);
const resealed = (target: string, ...args: readonly string[]): string => {
  const { status, stderr, stdout } = run('reseal', ...args, target);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/\d+ files, [\d.]+ (?:KB|bytes)\n$/);
  return recordingIn(join(directory, target));
};

beforeAll(() => {
  for (const key of ['old.key', 'new.key']) writeFileSync(join(directory, key), randomBytes(32).toString('hex'));
  const program = join(REPOSITORY, 'test/replay/fixtures/alone.ts');
  expect(run('record', '--key', 'old.key', '--recordings', 'old', program)).toMatchObject({ status: 0, stderr: '' });
});

it('is copied with a new key, and replayed with only this key', () => {
  const copy = resealed('new', '--key', 'old.key', '--new-key', 'new.key', 'old');
  expect(run('replay', 'new', '--key', 'new.key')).toMatchObject({ status: 0 });
  expect(run('replay', 'old', '--key', 'old.key')).toMatchObject({ status: 0 });
  expect(run('replay', 'new', '--key', 'old.key')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('manifest.json is sealed with another key') as string,
  });
  const [was, is] = [recordingIn(join(directory, 'old')), copy].map((each) => openRecording(each).manifest);
  expect({ ...is, id: was?.id, seal: was?.seal, files: was?.files }).toEqual(was);
  expect(is?.id).not.toBe(was?.id);
  const [trace = ''] = readdirSync(join(copy, 'traces'));
  expect(readFileSync(join(copy, 'traces', trace), 'latin1').slice(0, 4)).toBe('TTSE');
});

it('is copied without a seal, and sealed later', () => {
  const copy = resealed('open', '--key', 'old.key', '--unseal', 'old');
  expect(openRecording(copy).isSealed).toBe(false);
  expect(run('replay', 'open')).toMatchObject({ status: 0 });
  resealed('sealed', '--new-key', 'new.key', 'open');
  expect(run('replay', 'sealed', '--key', 'new.key')).toMatchObject({ status: 0 });
});

it('is not copied if it was changed, or the key is another one, or something is in the way', () => {
  expect(run('reseal', '--key', 'new.key', '--unseal', 'old', 'never')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('is sealed with another key') as string,
  });
  const copy = resealed('changed', '--key', 'old.key', '--new-key', 'new.key', 'old');
  const [trace = ''] = readdirSync(join(copy, 'traces'));
  const bytes = readFileSync(join(copy, 'traces', trace));
  bytes[bytes.length - 20]! ^= 1;
  writeFileSync(join(copy, 'traces', trace), bytes);
  expect(run('reseal', '--key', 'new.key', '--unseal', 'changed', 'never')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('was changed after it was sealed') as string,
  });
  expect(readdirSync(join(directory, 'never'))).toEqual([]);
  mkdirSync(join(directory, 'twice'));
  resealed('twice', '--key', 'old.key', '--unseal', 'old');
  expect(run('reseal', '--key', 'old.key', '--unseal', 'old', 'twice')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('already exists; name another directory, or remove it') as string,
  });
});

it('needs a new key or --unseal, and a readable key', () => {
  for (const args of [
    ['old', 'never'],
    ['--new-key', 'new.key', '--unseal', 'old', 'never'],
  ])
    expect(run('reseal', ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('give either --new-key FILE or --unseal') as string,
    });
  expect(run('reseal', '--new-key', 'nothing', 'old', 'never')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/--new-key names .*nothing, which cannot be read: ENOENT/) as string,
  });
});

it('is refused by replay when execArgv of its manifest was edited', () => {
  const copy = resealed('edited', '--key', 'old.key', '--new-key', 'new.key', 'old');
  const file = join(copy, 'manifest.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"execArgv": [', '"execArgv": ["--import", "data:,"'));
  expect(run('replay', 'edited', '--key', 'new.key')).toMatchObject({ status: 1, stdout: '' });
});
