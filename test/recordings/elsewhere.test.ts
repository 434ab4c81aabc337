// A recording is moved to another directory, where the program's files differ or are missing.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  FIXTURES,
  recordingIn,
  REPOSITORY,
  createScratchDirectory,
  runTurntable,
  type CliResult,
} from './processes.ts';

const directory = createScratchDirectory();
const recordings = join(directory, 'recordings');
const app = join(directory, 'app');
const GREETER = 'node_modules/greeter/package.json';

/** The program's output after its first snapshot, given the name of its directory. */
const expectedOutput = (name: string): string =>
  [`${name} true true true`, '[ 5, 5 ]', 'hello carried, says greeter 1.2.0 true', 'later late 10', ''].join('\n');

beforeAll(() => {
  cpSync(join(FIXTURES, 'carried'), app, { recursive: true });
  mkdirSync(join(app, 'node_modules'));
  renameSync(join(app, 'greeter'), join(app, 'node_modules/greeter'));
  symlinkSync(join(REPOSITORY, 'node_modules/turntable'), join(app, 'node_modules/turntable'));
  const { stdout, stderr } = runTurntable(app, ['run', '--recordings', recordings, 'main.ts']);
  expect({ stdout, stderr }).toEqual({ stdout: expectedOutput('app'), stderr: '' });
});

let count = 0;
/** A new location of the program. */
function copyProgram(): string {
  const copy = join(directory, `place ${++count}`);
  cpSync(app, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function change(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

/** Restores from the first snapshot. */
function restoreAt(copy: string, ...flags: readonly string[]): CliResult {
  return runTurntable(directory, ['restore', '--trusted', recordings, '--phase', '1', '--root', copy, ...flags]);
}

describe('a recording resumes elsewhere', () => {
  it('with copies of the same files, and sees the paths of the new location', () => {
    const copy = copyProgram();
    expect(restoreAt(copy)).toEqual({ stdout: expectedOutput('place 1'), stderr: '', status: 0 });
  });

  it('with its recorded sources when files are missing, including files loaded later', () => {
    const copy = copyProgram();
    for (const file of ['main.ts', 'counter.ts', 'later.ts', 'old.cjs', 'late.cjs', 'tsconfig.json', 'settings.json'])
      rmSync(join(copy, file));
    expect(restoreAt(copy, '--code', 'recorded')).toEqual({
      stdout: expectedOutput('place 2'),
      stderr: '',
      status: 0,
    });
  });

  it('with its recorded sources when files have changed, even if a class is gone', () => {
    const copy = copyProgram();
    writeFileSync(join(copy, 'counter.ts'), 'export {};\n');
    change(join(copy, 'later.ts'), "'later'", "'changed'");
    const { stdout, stderr, status } = runTurntable(
      directory,
      ['restore', '--trusted', '--root', copy, '--code=recorded', recordings, '--phase=1'],
      { TZ: 'Pacific/Apia', LC_ALL: 'de_CH' },
    );
    expect({ stdout, status }).toEqual({ stdout: expectedOutput('place 3'), status: 0 });
    expect(stderr).toMatch(
      /^\[TT_RESTORED_ELSEWHERE\] Warning: the time zone was \S+ and is Pacific\/Apia here; .*\n$/,
    );
  });
});

it('a state resumes in another directory, too', () => {
  const [copy, state] = [copyProgram(), join(directory, 'state')];
  runTurntable(app, ['run', '--capture', state, '--handles', 'dead', 'where.ts']);
  expect(runTurntable(directory, ['restore', '--trusted', '--root', copy, state])).toEqual({
    stdout: `${join(copy, 'where.ts')}\n`,
    stderr: '',
    status: 0,
  });
  expect(runTurntable(directory, ['restore', '--code', 'recorded', state])).toMatchObject({
    stderr: `turntable restore: --code is for recordings, but ${state} is a state\nRun turntable restore --help\n`,
    status: 2,
  });
});

describe('a recording is not restored', () => {
  it('and reports every difference, with remedies', () => {
    const copy = copyProgram();
    writeFileSync(join(copy, 'counter.ts'), 'export {};\n');
    rmSync(join(copy, 'old.cjs'));
    writeFileSync(join(copy, 'tsconfig.json'), '{}');
    change(join(copy, GREETER), '1.2.0', '1.3.0');
    const { stdout, stderr, status } = restoreAt(copy);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr.replaceAll(copy, 'HERE').replace(/^.*(?=: the program)/, 'DIR'))
      .toBe(`DIR: the program differs from the captured program:
  HERE/main.ts: the settings of its tsconfig.json have changed
  HERE/counter.ts: it has changed
  HERE/old.cjs: it does not exist
  greeter: captured with 1.2.0, now 1.3.0 (HERE/node_modules/greeter)
restore the files, or use the recorded sources with --code recorded; install the captured versions of the packages
`);
  });

  it('with other packages than it had loaded, even with its recorded sources', () => {
    const copy = copyProgram();
    rmSync(join(copy, 'node_modules/greeter'), { recursive: true });
    const { stderr, status } = restoreAt(copy, '--code', 'recorded');
    expect(status).toBe(1);
    expect(stderr).toContain(
      `\n  greeter: captured with 1.2.0, now missing (${copy}/node_modules/greeter)\ninstall the captured versions of the packages\n`,
    );
  });

  it('and reports only the missing directory of the program', () => {
    renameSync(app, `${app} gone`);
    const { stderr, status } = runTurntable(directory, ['restore', recordings]);
    renameSync(`${app} gone`, app);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /differs from the captured program:\n {2}.*app: the directory does not exist\ncreate the directory, or name the new directory of the program with --root DIR\n$/,
    );
  });

  it('in a format of a later version', () => {
    const [manifest, other] = [join(recordingIn(recordings), 'manifest.json'), join(directory, 'other')];
    cpSync(recordingIn(recordings), other, { recursive: true });
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(join(other, 'manifest.json'), text.replace('"version": 4,', '"version": 5,'));
    expect(runTurntable(directory, ['restore', other]).stderr).toMatch(
      /recorded by Turntable 0\.2\.0 \(format 5\); this is 0\.2\.0 \(format 4\); replay it with that version\n$/,
    );
  });

  it.each([
    [['--code', 'mine'], '--code must be "files" or "recorded", not "mine"'],
    [['--root', '/no/such'], '--root must be a directory, not "/no/such"'],
    [['--phase', 'last'], '--phase must be the number of a snapshot, not "last"'],
  ])('with invalid options: %j', (flags, message) => {
    const { stderr, status } = runTurntable(directory, ['restore', recordings, ...flags]);
    expect({ stderr, status }).toEqual({
      stderr: `turntable restore: ${message}\nRun turntable restore --help\n`,
      status: 2,
    });
  });
});
