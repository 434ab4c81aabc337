// Runs Turntable commands in child processes, on recordings in a scratch directory that the tests of a file share.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

export const REPOSITORY: string = fileURLToPath(new URL('../../', import.meta.url));
export const FIXTURES: string = fileURLToPath(new URL('fixtures/', import.meta.url));

export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_OPTIONS: '',
  NO_COLOR: '1',
};

/** A directory that is removed after the tests of the file. */
export function createScratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A directory with `main.ts`, a module that can import `turntable`. */
export function createProgramDirectory(text: string): string {
  const directory = createScratchDirectory();
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(join(REPOSITORY, 'node_modules/turntable'), join(directory, 'node_modules/turntable'));
  writeFileSync(join(directory, 'main.ts'), text);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  return directory;
}

export function runTurntable(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): CliResult {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...environment, ...env },
  });
  return { stdout, stderr: stderr.replaceAll(/\(node:\d+\) /g, '').replace(/^\(Use `node.*\n/m, ''), status };
}

/** The only recording in a directory of recordings. */
export function recordingIn(directory: string): string {
  const names = readdirSync(directory);
  expect(names).toHaveLength(1);
  return join(directory, names[0] as string);
}
