import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

function turntable(args: readonly string[], cwd?: string): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, ['-C', 'turntable-source', CLI, ...args], {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, TURNTABLE_CACHE: 'off' },
  });
}

function directoryWith(files: Record<string, string>, onFinished: (clean: () => void) => void): string {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

describe('turntable', () => {
  it('says what it can do and which version it is', () => {
    expect(turntable([]).stdout).toContain('turntable doctor');
    expect(turntable(['--help']).status).toBe(0);
    expect(turntable(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('names the remedy for a command it does not know', () => {
    expect(turntable(['spin'])).toMatchObject({
      status: 2,
      stderr: 'turntable: there is no command "spin"; turntable --help lists them\n',
    });
  });

  it('runs a file transformed, with its arguments and exit code', ({ onTestFinished }) => {
    const directory = directoryWith(
      { 'main.mjs': 'console.log(process.argv.slice(2), await (async () => 1)()); process.exitCode = 7;' },
      onTestFinished,
    );
    expect(turntable(['run', 'main.mjs', '--flag', 'x'], directory)).toMatchObject({
      stdout: "[ '--flag', 'x' ] 1\n",
      status: 7,
    });
    expect(turntable(['run'])).toMatchObject({ status: 2 });
    expect(turntable(['run', 'none.mjs'], directory).stderr).toContain('there is no file none.mjs');
  });

  it('tells which side everything is on, and why', ({ onTestFinished }) => {
    const directory = directoryWith(
      {
        'main.mjs': "import fs from 'node:fs'; import path from 'node:path';",
        'package.json': '{"name":"shop","version":"1.2.3","main":"main.mjs"}',
      },
      onTestFinished,
    );
    const plain = turntable(['doctor'], directory);
    expect(plain.stdout).toContain('shop@1.2.3  transformed  1      the program itself');
    expect(plain.stdout).toMatch(/^fs +device +files$/m);
    const { packages, builtins } = JSON.parse(turntable(['doctor', 'main.mjs', '--json'], directory).stdout) as {
      packages: unknown[];
      builtins: unknown[];
    };
    expect(packages).toEqual([
      { name: 'shop', version: '1.2.3', side: 'program', reason: 'the program itself', files: 1 },
    ]);
    expect(builtins).toEqual([
      { name: 'fs', class: 'device', reason: 'files' },
      { name: 'path', class: 'pure', reason: 'strings' },
    ]);
  });

  it('says what is missing to examine a program', ({ onTestFinished }) => {
    expect(turntable(['doctor'], directoryWith({}, onTestFinished)).stderr).toContain(
      'package.json names no entry point',
    );
    expect(turntable(['doctor', '--what']).stderr).toContain('there is no option --what');
  });
});
