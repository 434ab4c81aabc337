// Recordings of an older format: each command names the version that recorded them before it looks at anything else.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

/** Recorded by Turntable 0.1.0: a directory, and the same recording packed. */
const FIXTURE = join(import.meta.dirname, 'fixtures/format-1');
const PACKED = join(FIXTURE, 'shop.ttr');
const DIRECTORY = join(FIXTURE, readdirSync(FIXTURE).find((name) => name.startsWith('2026')) ?? '');
const REFUSAL = 'recorded by Turntable 0.1.0 (format 1); this is 0.2.0 (format 4); replay it with that version';

function turntable(...args: readonly string[]): { readonly text: string; readonly status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    input: '',
  });
  return { text: stdout + stderr, status };
}

test.each([
  ['replay', DIRECTORY],
  ['replay', PACKED],
  ['inspect', DIRECTORY],
  ['inspect', PACKED],
  ['tasks', DIRECTORY],
  ['export', DIRECTORY],
  ['restore', DIRECTORY],
  ['debug', '--repl', DIRECTORY],
  ['devtools', DIRECTORY],
  ['pack', DIRECTORY],
  ['unpack', PACKED],
])('%s %s names the version that recorded it and refuses', (...args) => {
  const { text, status } = turntable(...args);
  expect(text).toContain(REFUSAL);
  expect(text.match(/recorded by/g)).toHaveLength(1);
  expect(status).toBe(1);
});

test('ls lists recordings of an older format with the version that recorded them', () => {
  const { text, status } = turntable('ls', FIXTURE);
  expect(text.split(REFUSAL)).toHaveLength(3);
  expect(status).toBe(0);
});
