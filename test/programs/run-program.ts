/*
 * Runs one program in a child process, natively or transformed, and returns what an observer can see: its output, its
 * exit code and the error that ended it. A program may start with the lines `// node: --flag` (for both runs) and `//
 * environment: TURNTABLE_X=value`.
 */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';

export type ProgramRun = { readonly stdout: string; readonly code: number | string; readonly died: string };

export type ProgramMode = 'native' | 'transformed';

export const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));

const TIMEOUT_MS = 60_000;

/** The main files of all programs with these extensions, relative to `FIXTURES`. */
export function findPrograms(...extensions: readonly string[]): readonly string[] {
  const pattern = `{${extensions.join(',')}}`;
  return globSync([`*/*/main.${pattern}`, `*/*.${pattern}`], { cwd: FIXTURES }).toSorted();
}

export function runProgram(
  file: string,
  mode: ProgramMode,
  environment: Readonly<Record<string, string>> = {},
  register = REGISTER,
): Promise<ProgramRun> {
  const ownHeaders = readHeaders(file);
  const flags = [...ownHeaders.flags, ...(mode === 'native' ? [] : [...FLAGS, '--import', register])];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...flags, basename(file)],
      {
        cwd: dirname(file),
        timeout: TIMEOUT_MS,
        maxBuffer: 2 ** 24,
        // Off unless vitest.config.ts sets a cache of the test run: another cache would be stale during work on the
        // transform.
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          NO_COLOR: '1',
          TURNTABLE_CACHE: process.env['TURNTABLE_CACHE'] ?? 'off',
          ...ownHeaders.environment,
          ...environment,
        },
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : (error.code ?? error.signal ?? 'unknown');
        resolve({ stdout, code, died: code === 0 ? '' : errorLine(stderr) });
      },
    );
  });
}

export function readHeaders(file: string): { flags: readonly string[]; environment: Readonly<Record<string, string>> } {
  const lines = readFileSync(file, 'utf8').split('\n', 2);
  const words = (name: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`// ${name}: `) ? line.slice(name.length + 5).split(' ') : []));
  return {
    flags: words('node'),
    environment: Object.fromEntries(words('environment').map((word) => word.split('=', 2) as [string, string])),
  };
}

/** The `Class: message` line of an uncaught error: the last one before the first frame of its stack. */
export function errorLine(stderr: string): string {
  const lines = stderr.split('\n');
  const frame = lines.findIndex((line) => /^ {4}at /.test(line));
  const candidates = frame < 0 ? lines : lines.slice(0, frame);
  return (
    candidates.findLast(
      (line) => /^(Uncaught )?[\w$]*(\s?\[[\w$]+\])*[\w$]*: /.test(line) || /^(Uncaught )?[\w$]*Error/.test(line),
    ) ?? ''
  );
}
