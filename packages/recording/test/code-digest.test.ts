// The digest to which a user consents before recorded code runs.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { digestCode } from '../src/code-digest.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function createRecording(name: string): string {
  const recording = join(directory, name);
  mkdirSync(join(recording, 'snapshots'), { recursive: true });
  writeFileSync(join(recording, 'manifest.json'), '{"modules":[1]}');
  return recording;
}

test('the digest changes with the manifest, the log of modules and each snapshot', async () => {
  const recording = createRecording('changed');
  const digests = [await digestCode(recording)];
  for (const [name, text] of [
    ['manifest.json', '{"modules":[2]}'],
    ['snapshots/1.tts', 'a'],
    ['snapshots/1.tts', 'b'],
    ['snapshots/2.tts', ''],
    ['modules.jsonl', '{}'],
  ] as const) {
    writeFileSync(join(recording, name), text);
    digests.push(await digestCode(recording));
  }
  expect(new Set(digests).size).toBe(6);
  for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
});

test.skipIf(process.platform === 'win32')('names of files cannot stand in for contents', async () => {
  const [recording, other] = [createRecording('names'), createRecording('other-names')];
  writeFileSync(join(recording, 'snapshots/a'), 'x\n0\n');
  writeFileSync(join(other, 'snapshots/a\n4\nx'), '');
  expect(await digestCode(other)).not.toBe(await digestCode(recording));
});

test('a copy has the digest of the original, whatever else is beside it', async () => {
  const recording = createRecording('original');
  writeFileSync(join(recording, 'snapshots/1.tts'), 'state');
  const copy = join(directory, 'copy');
  cpSync(recording, copy, { recursive: true });
  mkdirSync(join(copy, 'traces'));
  writeFileSync(join(copy, 'traces/0.ttt'), 'trace');
  symlinkSync(copy, join(directory, 'link'));
  const digest = await digestCode(recording);
  expect(await digestCode(copy)).toBe(digest);
  expect(await digestCode(join(directory, 'link'))).toBe(digest);
});

test('the digest of a packed recording or a state covers the whole file, also a large one', async () => {
  const file = join(directory, 'large.ttr');
  const bytes = Buffer.alloc((3 << 20) + 7, 'x');
  writeFileSync(file, bytes);
  const digest = await digestCode(file);
  writeFileSync(join(directory, 'renamed.state'), bytes);
  expect(await digestCode(join(directory, 'renamed.state'))).toBe(digest);
  bytes[bytes.length - 1] = 0;
  writeFileSync(file, bytes);
  expect(await digestCode(file)).not.toBe(digest);
});

test('what is no recording has no digest, and the error names the file', async () => {
  await expect(digestCode(join(directory, 'nowhere'))).rejects.toThrow('nowhere');
  mkdirSync(join(directory, 'several/one'), { recursive: true });
  await expect(digestCode(join(directory, 'several'))).rejects.toThrow('manifest.json');
  const recording = createRecording('with-directory');
  mkdirSync(join(recording, 'snapshots/1.tts'));
  await expect(digestCode(recording)).rejects.toThrow('1.tts is not a file');
});

test.skipIf(process.platform === 'win32')('a pipe, a device and a link inside a recording are refused', async () => {
  await expect(digestCode('/dev/zero')).rejects.toThrow('/dev/zero is not a file');
  const recording = createRecording('with-pipe');
  expect(spawnSync('mkfifo', [join(recording, 'snapshots/1.tts')]).status).toBe(0);
  await expect(digestCode(recording)).rejects.toThrow('1.tts is not a file');
  rmSync(join(recording, 'snapshots/1.tts'));
  symlinkSync('/etc/hosts', join(recording, 'snapshots/1.tts'));
  await expect(digestCode(recording)).rejects.toThrow('1.tts');
});
