// A recording in the format of another version of Turntable: every command reports both version numbers and the remedy,
// and runs nothing of it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRecording, MANIFEST } from '../../recording/test/packed.ts';
import { version } from '../../replayer/src/version.ts';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let recordingDirectory: string;
beforeAll(() => {
  mkdirSync(join(directory, 'made'));
  const { node } = process.versions;
  recordingDirectory = makeRecording(join(directory, 'made'), {
    manifest: { ...MANIFEST, versions: { ...MANIFEST.versions, turntable: version, node }, cwd: directory },
  });
});

function turntable(...args: readonly string[]): { readonly output: string; readonly status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-C', 'turntable-source', CLI, ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  return { output: stdout + stderr, status };
}

/** A copy in which one file has version 9. */
function copyOfVersion9(file: string): string {
  const copy = join(mkdtempSync(join(directory, 'later-')), 'recording');
  cpSync(recordingDirectory, copy, { recursive: true });
  const path = join(copy, file);
  const bytes = readFileSync(path);
  if (file.endsWith('.json')) writeFileSync(path, bytes.toString().replace(/"version": ?4/, '"version": 9'));
  else {
    bytes.writeUInt16LE(9, 4);
    writeFileSync(path, bytes);
  }
  return copy;
}

test.each([
  ['replay', 'manifest.json', `recorded by Turntable ${version} (format 9); this is ${version} (format 4)`],
  ['inspect', 'manifest.json', `recorded by Turntable ${version} (format 9); this is ${version} (format 4)`],
  [
    'replay',
    'traces/0000000000-0.0.ttt',
    'has trace format 9, this Turntable reads format 5; replay it with the version that wrote it',
  ],
  [
    'restore',
    'snapshots/0000000007.tts',
    'has snapshot format 9, this Turntable reads format 2; restore it with the version that wrote it',
  ],
])('%s: %s of another version', (command, file, message) => {
  const { output, status } = turntable(command, copyOfVersion9(file));
  expect(output).toContain(message);
  expect(output).toMatch(new RegExp(`^turntable ${command}: `));
  expect(status).toBe(1);
});

test('the newest recording is refused by name, and no older one is used instead', () => {
  const parent = mkdtempSync(join(directory, 'several-'));
  cpSync(recordingDirectory, join(parent, '20261122T024518.003Z-1'), { recursive: true });
  cpSync(copyOfVersion9('traces/0000000000-0.0.ttt'), join(parent, '20261122T024519.003Z-1'), { recursive: true });
  expect(turntable('replay', parent)).toMatchObject({
    status: 1,
    output: expect.stringContaining('20261122T024519.003Z-1/traces/0000000000-0.0.ttt has trace format 9') as string,
  });
});

test('the newest recording is refused if its manifest was edited, and no older one is used instead', () => {
  const parent = mkdtempSync(join(directory, 'several-'));
  const [older, newest] = ['20261122T024518.003Z-1', '20261122T024519.003Z-1'].map((name) => join(parent, name));
  for (const each of [older, newest]) cpSync(recordingDirectory, each as string, { recursive: true });
  const manifest = join(newest as string, 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"workers": 1', '"workers": 2'));
  for (const command of ['replay', 'inspect', 'restore', 'pack'])
    expect(turntable(command, parent)).toMatchObject({
      status: 1,
      output: expect.stringMatching(
        /519\.003Z-1\S*manifest\.json is damaged .* the manifest was edited or is damaged/,
      ) as string,
    });
});
