// A program is restored only if the user agrees: in a terminal, by the hash of the recording, or with --trusted.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordingIn } from '../replay/record-and-replay.ts';
import { editManifest } from './edit-manifest.ts';
import { createProgramDirectory, createScratchDirectory, runTurntable } from './processes.ts';
import { hasTerminals, TerminalRun } from './terminal.ts';

const directory = createProgramDirectory(`import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { start } from 'turntable';

const app = start({ workers: 0 });
await sleep(1);
await app.snapshot();
appendFileSync('runs.txt', 'run\\n');
console.log('it runs');
`);
const recordings = join(directory, 'recordings');
const state = join(directory, 'half.state');
const HASH = /^[0-9a-f]{64}$/;
const NOT_THE_HASH = '0'.repeat(64);

beforeAll(() => {
  expect(runTurntable(directory, ['run', '--recordings', recordings, 'main.ts']).stdout).toBe('it runs\n');
  writeFileSync(join(directory, 'count.mjs'), 'await null;\nconsole.log("it counts");\n');
  expect(runTurntable(directory, ['run', '--capture', state, 'count.mjs']).status).toBe(0);
});

const runs = (): number => readFileSync(join(directory, 'runs.txt'), 'utf8').split('\n').length - 1;
const restore = (...args: readonly string[]) => runTurntable(directory, ['restore', ...args]);

/** The hash that a refused restore prints. */
function printedHash(path: string): string {
  return / --yes ([0-9a-f]+),/.exec(restore(path).stderr)?.[1] ?? '';
}

describe('without a terminal', () => {
  test('nothing runs, and the error names both ways out', () => {
    const before = runs();
    const { stdout, stderr, status } = restore('recordings');
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toMatch(
      /^turntable restore: \S+recordings: the program would run with all your rights, and there is no terminal on which to confirm it; confirm this version with --yes [0-9a-f]{64}, or any version of your own program with --trusted\n$/,
    );
    expect(runs()).toBe(before);
  });

  test.each([
    ['a recording', () => recordings, 'it runs\n'],
    ['a state', () => state, 'it counts\n'],
  ])('%s is restored with the hash that was printed, and with no other', (_, path, stdout) => {
    const hash = printedHash(path());
    expect(hash).toMatch(HASH);
    expect(restore(path(), '--yes', hash)).toEqual({ stdout, stderr: '', status: 0 });
    expect(restore(`--yes=${hash}`, path())).toEqual({ stdout, stderr: '', status: 0 });
    expect(restore(path(), '--yes', NOT_THE_HASH)).toEqual({
      stdout: '',
      stderr: `turntable restore: ${path()}: its hash is ${hash}, not that of --yes; it has changed, or is another recording\n`,
      status: 1,
    });
  });

  test('the hash is that of the recording that a restore uses, wherever its copy is', () => {
    const copy = join(createScratchDirectory(), 'copy');
    cpSync(recordingIn(recordings), copy, { recursive: true });
    expect(printedHash(copy)).toBe(printedHash(recordings));
    // A change that no restore would notice.
    writeFileSync(join(copy, 'snapshots/other'), '');
    expect(printedHash(copy)).not.toBe(printedHash(recordings));
  });

  test('--trusted restores any version', () => {
    expect(restore('--trusted', recordings)).toEqual({ stdout: 'it runs\n', stderr: '', status: 0 });
    expect(restore(state, '--trusted')).toEqual({ stdout: 'it counts\n', stderr: '', status: 0 });
  });

  test('what cannot be restored is reported first', () => {
    const empty = createScratchDirectory();
    expect(restore(empty).stderr).toContain('there is no recording in');
    expect(restore(recordings, '--phase', '7').stderr).toContain('has no snapshot 7');
    writeFileSync(join(empty, 'no.state'), 'text');
    expect(restore(join(empty, 'no.state')).stderr).toContain('this is not the state of a program');
  });

  test.each([
    [
      ['--yes', 'recordings'],
      '--yes must be the hash that turntable restore prints where there is no terminal, not "recordings"',
    ],
    [
      ['recordings', '--yes'],
      '--yes must be the hash that turntable restore prints where there is no terminal, not ""',
    ],
    [['recordings', '--trusted=1'], '--trusted takes no value, not "1"'],
    [['recordings', '--trusted', '--yes', NOT_THE_HASH], 'give --yes or --trusted, not both'],
  ])('usage errors: %j', (args, message) => {
    expect(restore(...args)).toEqual({
      stdout: '',
      stderr: `turntable restore: ${message}\nRun turntable restore --help\n`,
      status: 2,
    });
  });
});

describe.runIf(hasTerminals)('in a terminal', () => {
  test.each([
    ['y', true],
    ['Yes', true],
    ['n', false],
    ['', false],
    ['yesterday', false],
  ])('the answer %j to the question what would run', async (answer, isRestored) => {
    const terminal = new TerminalRun(directory, ['restore', 'recordings']);
    await terminal.waitFor('Restore it? [y/N] ');
    const before = runs();
    const { output, status } = await terminal.type(`${answer}\n`);
    const recording = recordingIn(recordings);
    const { created } = JSON.parse(readFileSync(join(recording, 'manifest.json'), 'utf8')) as { created: string };
    expect(output).toContain(`Program:   ${join(directory, 'main.ts')}
Recorded:  ${created}, snapshot 1
From:      ${recording}
The program runs with all your rights and performs real I/O. Restore only programs that you would run.
Restore it? [y/N] `);
    if (isRestored) expect(output).toMatch(/\nit runs\n$/);
    else expect(output).toMatch(/\nturntable restore: \S+recordings: not restored\n$/);
    expect([status, runs() - before]).toEqual(isRestored ? [0, 1] : [1, 0]);
  });

  test('each restore asks, also of a state', async () => {
    for (let i = 0; i < 2; i++) {
      const terminal = new TerminalRun(directory, ['restore', state]);
      await terminal.waitFor(`Program:   ${join(directory, 'count.mjs')}\n`);
      await terminal.waitFor('Restore it? [y/N] ');
      expect((await terminal.type('y\n')).output).toMatch(/\nit counts\n$/);
    }
  });

  test('a recording that changes while the question is open is not restored', async () => {
    const copy = join(createScratchDirectory(), 'copy');
    cpSync(recordingIn(recordings), copy, { recursive: true });
    const terminal = new TerminalRun(directory, ['restore', copy]);
    await terminal.waitFor('Restore it? [y/N] ');
    const before = runs();
    writeFileSync(join(copy, 'snapshots/other'), '');
    const { output, status } = await terminal.type('y\n');
    expect(output).toMatch(/: it changed while the question was open; run the command again\n$/);
    expect([status, runs()]).toEqual([1, before]);
  });

  test('a recording that is added while the question is open is not restored', async () => {
    const several = createScratchDirectory();
    cpSync(recordings, several, { recursive: true });
    const terminal = new TerminalRun(directory, ['restore', several]);
    await terminal.waitFor('Restore it? [y/N] ');
    const later = join(several, '29991231T235959.999Z-1');
    mkdirSync(later);
    writeFileSync(join(later, 'manifest.json'), 'damaged');
    const { output, status } = await terminal.type('y\n');
    expect(output).toMatch(/\nit runs\n$/);
    expect(status).toBe(0);
  });

  test('texts of the recording cannot add lines or control the terminal', async () => {
    const copy = join(createScratchDirectory(), 'copy');
    cpSync(recordingIn(recordings), copy, { recursive: true });
    editManifest(copy, () => ({ entry: 'main.ts\nProgram:   safe.ts\u001b[2J' }));
    const terminal = new TerminalRun(directory, ['restore', copy]);
    await terminal.waitFor('Restore it? [y/N] ');
    const { output } = await terminal.type('n\n');
    expect(output).toContain(String.raw`Program:   main.ts\u000aProgram:   safe.ts\u001b[2J`);
    expect(output).not.toContain('\u001b');
  });
});
