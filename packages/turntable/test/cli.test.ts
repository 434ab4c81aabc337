import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { CLI, FLAGS, REGISTER } from '../../../scripts/tested-form.ts';

const { NO_COLOR: _, FORCE_COLOR: __, ...WITHOUT_COLOURS } = process.env;

function turntable(
  args: readonly string[],
  cwd?: string,
  environment: Readonly<Record<string, string>> = {},
): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    encoding: 'utf8',
    cwd,
    env: { ...WITHOUT_COLOURS, TURNTABLE_CACHE: 'off', ...environment },
  });
}

function directoryWith(files: Record<string, string>, onFinished: (clean: () => void) => void): string {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

test('an older Node gets the required version instead of a link error', () => {
  const text = `
    const { requireNode } = await import(${JSON.stringify(new URL('../../replayer/src/node-version.ts', import.meta.url).href)});
    requireNode('26.0.0');
    requireNode('24.11.0');
    requireNode(process.argv[1]);
    console.log('went on');
  `;
  for (const version of ['20.20.2', '24.10.0', '25.1.0'])
    expect(
      spawnSync(process.execPath, ['--input-type=module', '-e', text, version], { encoding: 'utf8' }),
    ).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`is required; this is ${version}`) as string,
    });
});

describe('turntable', () => {
  it('prints help and its version', () => {
    expect(turntable([]).stdout).toContain('\n  doctor [FILE]');
    expect(turntable(['--help']).status).toBe(0);
    expect(turntable(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('names the nearest command or flag', () => {
    const errorOf = (...args: string[]): unknown => {
      const { stdout, stderr, status } = turntable(args);
      expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
      return stderr;
    };
    expect(errorOf('spin')).toBe('turntable: unknown command "spin"\nRun turntable --help\n');
    expect(errorOf('repaly')).toBe(
      'turntable: unknown command "repaly"; did you mean "replay"?\nRun turntable --help\n',
    );
    expect(errorOf('--spin')).toBe('turntable: unknown option --spin\nRun turntable --help\n');
    expect(errorOf('--versoin')).toContain('unknown option --versoin; did you mean --version?');
    expect(errorOf('completion', 'bsah')).toContain('not "bsah"; did you mean "bash"?');
  });

  it('every command has help', () => {
    for (const args of [
      ['run', '--help'],
      ['help', 'replay'],
      ['record', '--later', '-h'],
    ])
      expect(turntable(args)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^[RA].*\n\nUsage: turntable r/) as string,
      });
  });

  it('accepts old names of commands, flags and variables, with a warning', ({ onTestFinished }) => {
    const directory = directoryWith({ 'main.mjs': '' }, onTestFinished);
    const tasks = turntable(['turns', directory]);
    expect(tasks.status).toBe(1);
    expect(tasks.stderr).toMatch(
      /^turntable: turntable turns is now turntable tasks; the next release removes the old name\nturntable tasks: /,
    );
    const byFlag = turntable(['run', '--explain', 'main.mjs'], directory);
    expect(byFlag.status).toBe(0);
    expect(byFlag.stderr).toMatch(
      /^turntable: --explain is now --explain-classification; the next release removes the old name\n[^]*transformed/,
    );
    expect(turntable(['run', '--explain-classification', 'main.mjs'], directory).stderr).not.toContain('is now');
    const variable = { TURNTABLE_EXPLAIN: '1' };
    expect(turntable(['run', 'main.mjs'], directory, variable).stderr).toMatch(
      /^turntable: TURNTABLE_EXPLAIN is now TURNTABLE_EXPLAIN_CLASSIFICATION; the next release removes the old name\n[^]*transformed/,
    );
  });

  it('passes flags before the file to Node, and finds the file as Node does', ({ onTestFinished }) => {
    const directory = directoryWith(
      {
        'first.mjs': "globalThis.first = 'loaded first';",
        'main.js':
          'console.log(globalThis.first, process.title, process.argv.slice(2), (async () => {}).constructor.name);',
      },
      onTestFinished,
    );
    const args = ['run', '--title=own', '--import', './first.mjs', 'main', '--title=argument'];
    expect(turntable(args, directory)).toMatchObject({
      stdout: "loaded first own [ '--title=argument' ] AsyncFunction\n",
      status: 0,
    });
    expect(turntable(['run', '--', 'main.js'], directory).status).toBe(0);
  });

  it('leaves -p, -e and standard input to Node, and transforms the files that these load', ({ onTestFinished }) => {
    const directory = directoryWith({ 'dep.cjs': "exports.f = () => eval('1');" }, onTestFinished);
    const node = (args: readonly string[], stdin = ''): { stdout: string; stderr: string } =>
      spawnSync(process.execPath, [...FLAGS, '--import', REGISTER, ...args], {
        encoding: 'utf8',
        cwd: directory,
        input: stdin,
        env: { ...process.env, TURNTABLE_CACHE: 'off' },
      });
    expect(node(['-p', '1 + 1']).stdout).toBe('2\n');
    expect(node(['-'], 'console.log(3)').stdout).toBe('3\n');
    expect(node(['-e', "require('./dep.cjs')"]).stderr).toContain(`${directory}/dep.cjs:1\n`);
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

  it('replaces its process by the program, so a signal ends both', async ({ onTestFinished }) => {
    const directory = directoryWith(
      { 'main.mjs': 'console.log(process.pid, process.ppid); setInterval(() => {}, 1000);' },
      onTestFinished,
    );
    const child = spawn(process.execPath, [...FLAGS, CLI, 'run', 'main.mjs'], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TURNTABLE_CACHE: 'off' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(output)).toBe(`${child.pid} ${process.pid}\n`);
    child.kill('SIGKILL');
    // No other process has its standard output open.
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  });

  it('doctor prints the side of each file, and why', ({ onTestFinished }) => {
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
      { name: 'fs', class: 'device', reason: 'files', isRecorded: false },
      { name: 'path', class: 'pure', reason: 'strings', isRecorded: false },
    ]);
  });

  it('doctor --trace describes a program recorded with traces, packages included', ({ onTestFinished }) => {
    const directory = directoryWith(
      {
        'main.mjs': "import 'store'; import 'wasm';",
        'node_modules/store/package.json': '{"name":"store"}',
        'node_modules/store/index.js': "require('fs'); require('vm');",
        'node_modules/wasm/package.json': '{"name":"wasm"}',
        'node_modules/wasm/index.js': 'new WebAssembly.Module(bytes);',
      },
      onTestFinished,
    );
    const { stdout } = turntable(['doctor', 'main.mjs', '--trace'], directory);
    expect(stdout).toMatch(/^Reached from main\.mjs, recorded with traces:$/m);
    expect(stdout).toMatch(/^store +transformed +1 +part of a program that is recorded$/m);
    expect(stdout).toMatch(/^wasm +device +1 +wasm: index\.js:1 uses WebAssembly$/m);
    expect(stdout).toMatch(/^fs +device +recorded: files$/m);
    expect(stdout).toMatch(/^vm +device +runs code the transform does not see$/m);
    expect(turntable(['doctor', 'main.mjs'], directory).stdout).toMatch(
      /^store +device +1 +store: .*which is I\/O: files$/m,
    );
  });

  it('doctor lists code that cannot be transformed, with location and remedy', ({ onTestFinished }) => {
    const directory = directoryWith(
      {
        'main.mjs': "import './evaluates.cjs'; import './broken.ts';",
        'evaluates.cjs': 'let x;\nmodule.exports = () => eval(x);',
        'broken.ts': 'const x: number = ;',
      },
      onTestFinished,
    );
    const { stdout, status } = turntable(['doctor', 'main.mjs'], directory);
    expect(status).toBe(1);
    expect(stdout).toMatch(/evaluates\.cjs:2:24: direct eval cannot be captured.*--exclude \S+\/evaluates\.cjs/);
    expect(stdout).toMatch(/broken\.ts:1:19: /);
    const { refused } = JSON.parse(turntable(['doctor', '--json', 'main.mjs'], directory).stdout) as {
      refused: string[];
    };
    expect(refused).toHaveLength(2);
  });

  it('doctor needs an entry point', ({ onTestFinished }) => {
    expect(turntable(['doctor'], directoryWith({ 'package.json': '{}' }, onTestFinished)).stderr).toContain(
      'package.json names no entry point',
    );
    expect(turntable(['doctor'], directoryWith({}, onTestFinished)).stderr).toContain(
      'no package.json here names an entry point',
    );
    expect(turntable(['doctor'], directoryWith({ 'package.json': '{"main":' }, onTestFinished)).stderr).toContain(
      'package.json is not valid: ',
    );
    expect(turntable(['doctor', 'a.js', 'b.js']).stderr).toContain('without b.js');
    expect(turntable(['doctor', '--what']).stderr).toContain('unknown option --what');
  });

  it('flags override settings of the environment and the file', ({ onTestFinished }) => {
    const files = {
      'main.cjs': "console.log(eval('1 + 1'));",
      'package.json': '{"name":"shop","main":"main.cjs"}',
      'turntable.config.ts':
        "import { defineConfig } from 'turntable';\nexport default defineConfig({ exclude: ['other'], explain: true });",
    };
    const directory = directoryWith(files, onTestFinished);
    linkTurntable(directory);
    expect(turntable(['run', 'main.cjs'], directory).stderr).toContain('direct eval cannot be captured');
    const run = turntable(
      ['run', '--exclude', './main.cjs', '--cache=off', '--title=x', 'main.cjs', '--exclude=y'],
      directory,
    );
    expect(run).toMatchObject({ stdout: '2\n', status: 0 });
    expect(run.stderr).toContain(`excluded by "${directory}/main.cjs"`);
    expect(turntable(['doctor'], directory).status).toBe(1);
    const doctor = turntable(['doctor', '--exclude=./main.cjs'], directory);
    expect(doctor).toMatchObject({ status: 0 });
    expect(doctor.stdout).toMatch(`Settings of ${directory}/turntable.config.ts\n\nReached from main.cjs:`);
    expect(JSON.parse(turntable(['doctor', '--json'], directory).stdout)).toMatchObject({
      config: join(directory, 'turntable.config.ts'),
    });
    for (const command of ['run', 'doctor'])
      expect(turntable([command, '--include'], directory)).toMatchObject({
        status: 2,
        stderr: `turntable ${command}: --include needs a value; write --include=LIST\nRun turntable ${command} --help\n`,
      });
  });

  it('colours verdicts only if it may', ({ onTestFinished }) => {
    const directory = directoryWith({ 'main.mjs': '' }, onTestFinished);
    const firstLine = (environment: Readonly<Record<string, string>>): unknown =>
      turntable(['doctor', 'main.mjs'], directory, { TERM: 'xterm', ...environment }).stdout.split('\n')[0];
    expect(firstLine({ FORCE_COLOR: '1' })).toBe('main.mjs: \u001b[32mthe program can be transformed\u001b[39m');
    expect(firstLine({ NO_COLOR: '1' })).toBe('main.mjs: the program can be transformed');
    // A pipe is not a terminal.
    expect(firstLine({})).toBe('main.mjs: the program can be transformed');
  });

  it('doctor locates an invalid setting', ({ onTestFinished }) => {
    const directory = directoryWith(
      { 'main.cjs': '', 'package.json': '{"main":"main.cjs"}', 'turntable.config.json': '{\n  "cach": false\n}' },
      onTestFinished,
    );
    expect(turntable(['doctor'], directory)).toMatchObject({
      status: 2,
      stderr: `turntable doctor: ${directory}/turntable.config.json:2:3: there is no setting "cach"; did you mean "cache"?\n`,
    });
  });
});

/** Links the package as if it were installed in the directory. */
function linkTurntable(directory: string): void {
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(directory, 'node_modules', 'turntable'));
}
