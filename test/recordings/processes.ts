// Runs recorded programs and Turntable commands in child processes, on recordings in a scratch directory that the tests
// of a file share.
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

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

export interface RecordedProgramOptions {
  /** Directory for the recording. */
  readonly recordings: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A fixture that is loaded before the recorder. */
  readonly preload?: string;
}

export interface RecordedProgram {
  /** The program itself, so that a kill hits it. It has a channel to this process. */
  readonly child: ChildProcess;
  readonly recordings: string;
  /** Exit code and signal, once all output has arrived. */
  readonly ended: Promise<readonly [status: number | null, signal: NodeJS.Signals | null]>;
  /** Text on standard output so far. */
  stdout(): string;
  /** Text on standard error so far. */
  stderr(): string;
}

/** Starts a program that is recorded with its trace. @param file relative to the fixtures */
export function startRecorded(file: string, options: RecordedProgramOptions): RecordedProgram {
  const { recordings, args = [], env = {}, preload } = options;
  const preloads = [...(preload === undefined ? [] : [join(FIXTURES, preload)]), REGISTER];
  const child = fork(join(FIXTURES, file), args, {
    execArgv: [...FLAGS, ...preloads.flatMap((each) => ['--import', each])],
    env: { ...environment, TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: recordings, ...env },
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { child, recordings, ended, stdout: () => output.stdout, stderr: () => output.stderr };
}

/** The only recording in a directory of recordings. */
export function recordingIn(directory: string): string {
  const names = readdirSync(directory);
  expect(names).toHaveLength(1);
  return join(directory, names[0] as string);
}
