// The exit code of a replay counts only where the program decides it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runTurntable } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function recordProgram(name: string, text: string): { readonly recordings: string; readonly status: number | null } {
  writeFileSync(join(directory, `${name}.mjs`), text);
  const recordings = join(directory, name);
  const { status } = runTurntable(['record', '--recordings', recordings, `${name}.mjs`], { cwd: directory });
  return { recordings, status };
}

function verdictOf(recordings: string, ...flags: readonly string[]): string {
  const args = ['replay', recordings, '--console', 'mute', '--json', ...flags];
  return (JSON.parse(runTurntable(args, { cwd: directory }).stdout) as { verdict: string }).verdict;
}

test('a failed test of node:test replays as the same', () => {
  const text = "import { test } from 'node:test';\ntest('fails', () => { throw new Error('wrong'); });\n";
  const { recordings, status } = recordProgram('failing', text);
  expect({ status, verdict: verdictOf(recordings) }).toEqual({ status: 1, verdict: 'same' });
});

const PACKAGE = `
exports.fail = (code) => void (process.exitCode = code);
exports.failLater = (code) => void setTimeout(() => (process.exitCode = code), 1);
exports.after = (callback) => void setTimeout(callback, 20);
`;
test.each([
  ['in a call', "fail(3); console.log(process.exitCode === 3 ? 'failed' : 'passed');"],
  ['in a call, after the program has set another', 'process.exitCode = 0; fail(3);'],
  ['between two of its tasks', "failLater(3); after(() => console.log(process.exitCode === 3 ? 'failed' : 'passed'));"],
  ['at the end', "process.on('exit', (code) => console.log(code, process.exitCode)); failLater(3);"],
  ['at the end, unnoticed', 'failLater(3);'],
  ['before the program sets another', 'fail(3); process.exitCode = 4;'],
])('an exit code that an excluded package sets is in the recording: %s', (name, text) => {
  mkdirSync(join(directory, 'node_modules/host'), { recursive: true });
  writeFileSync(join(directory, 'node_modules/host/index.js'), PACKAGE);
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'host.mjs'), `import { after, fail, failLater } from 'host';\n${text}\n`);
  const recordings = join(directory, `host-${name}`);
  const options = { cwd: directory };
  const recorded = runTurntable(['record', '--recordings', recordings, '--exclude', 'host', 'host.mjs'], options);
  expect(recorded).toMatchObject({ status: name.startsWith('before') ? 4 : 3, stderr: '' });
  const replayed = runTurntable(['replay', recordings], options);
  expect(replayed.stderr).toMatch(/^same: /);
  expect(replayed.stdout).toBe(recorded.stdout);
});

test.each([
  ['process.reallyExit(3)', 3],
  ['process.abort()', null],
])('a program that ends without exit listeners is recorded to its end: %s', (end, expected) => {
  const text = `
    process.on('exit', () => console.log('exit'));
    console.log(Math.random());
    await new Promise((resolve) => setTimeout(resolve, 1));
    console.log('last');
    ${end};
  `;
  const { recordings, status } = recordProgram(end, text);
  const replayed = runTurntable(['replay', recordings], { cwd: directory });
  expect({ status, lines: replayed.stdout.split('\n').slice(1) }).toEqual({ status: expected, lines: ['last', ''] });
  expect(replayed.stderr).toMatch(/^same: /);
});

test('a changed program that ends otherwise, without exit listeners, diverges', () => {
  const { recordings } = recordProgram('exiting', 'process.reallyExit(3);');
  for (const end of ['process.reallyExit(4);', 'process.abort();']) {
    writeFileSync(join(directory, 'exiting.mjs'), end);
    expect(verdictOf(recordings, '--code', 'current')).toBe('diverged');
  }
});

test('a warning about an unrecorded feature does not reach the program', () => {
  const text = `
    import vm from 'node:vm';
    process.on('warning', ({ message }) => console.log(message));
    vm.createContext();
    setTimeout(() => console.log('end'), 10);
  `;
  const { recordings } = recordProgram('warned', text);
  expect(verdictOf(recordings, '--force')).toBe('same');
});

test('a replay until an event at which a top-level await is pending is the same', () => {
  const text = "import { setTimeout } from 'node:timers/promises';\nawait setTimeout(1);\nawait setTimeout(1);\n";
  const { recordings } = recordProgram('awaiting', text);
  expect(verdictOf(recordings, '--until', 'event=3')).toBe('same');
});
