/* The commands that capture and restore a program, as a user runs them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CLI, FLAGS } from '../../../scripts/tested-form.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
const state = join(directory, 'state');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function turntable(...args: readonly string[]): { stdout: string; stderr: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    encoding: 'utf8',
    cwd: directory,
    env: { ...process.env, TURNTABLE_CACHE: 'off' },
  });
  return { stdout, stderr, status };
}

function program(name: string, text: string): string {
  writeFileSync(join(directory, name), text);
  return name;
}

const COUNTING = `
  import { argv } from 'node:process';
  let n = 0;
  const count = () => ++n;
  for (let i = 0; i < 3; i++) { await null; console.log(argv[2], count()); }
`;

describe('a captured program', () => {
  it('resumes with its arguments, and can be captured again', () => {
    const first = turntable('run', '--capture', state, '--capture-after=1', program('count.mjs', COUNTING), 'round');
    expect(first).toMatchObject({ stdout: 'round 1\n', status: 0 });
    expect(first.stderr).toMatch(
      /^turntable: captured after 1 job boundary: \d+ KiB in .*state; continue with: turntable restore .*state\n$/,
    );
    const second = turntable('restore', '--trusted', '--capture', `${state}-2`, '--capture-after', '1', state);
    expect(second).toMatchObject({ stdout: 'round 2\nround 3\n', status: 0 });
    expect(turntable('restore', '--trusted', `${state}-2`)).toEqual({ stdout: '', stderr: '', status: 0 });
    expect(turntable('restore', '--trusted', state)).toEqual({ stdout: 'round 2\nround 3\n', stderr: '', status: 0 });
  });

  it('can be inspected without running it', () => {
    turntable('run', '--capture', state, program('count.mjs', COUNTING), 'round');
    const { stdout, status } = turntable('inspect', state);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^count\.mjs, captured on Node v\d+\.\d+\.\d+: \d+ bytes\nwaiting: 1 job, 0 ticks, 0 timers\n/,
    );
    expect(stdout).toContain('count.mjs: evaluating-async, 1 function and 0 classes in use\nimports node:process\n');
    expect(JSON.parse(turntable('inspect', '--json', state).stdout)).toMatchObject({
      waiting: { jobs: 1, ticks: 0, timers: 0 },
      modules: [{ status: 'evaluating-async', functions: 1, classes: 0 }],
    });
  });

  it('lists the host objects that are left behind or created again', () => {
    const file = program(
      'holding.mjs',
      `import { Server, Socket } from 'node:net';\nimport { device } from '${import.meta.resolve('turntable')}';\n` +
        "const made = device(() => new Server(), { name: 'the server' });\nconst sockets = [new Socket(), new Socket()];\n" +
        'await null;\nconsole.log(made.listening, String(sockets[0]));\n',
    );
    turntable('run', '--capture', state, '--handles', 'dead', file);
    expect(turntable('inspect', state).stdout).toMatch(
      /\ncreated again by restore: the server\nleft behind: 2 × net\.Socket\n$/,
    );
    expect(turntable('restore', '--trusted', state)).toMatchObject({ stdout: 'false [dead net.Socket]\n', status: 0 });
    expect(turntable('run', '--capture', state, '--handles', 'some', file)).toMatchObject({
      stderr: 'turntable: --handles takes "refuse" or "dead", not "some"\n',
      status: 2,
    });
  });

  it('skips boundaries at which it cannot be captured, and reports why if there is no other', () => {
    const file = program(
      'busy.mjs',
      "import { createServer } from 'node:net';\nconst server = createServer();\nawait null;\nconsole.log(server.listening);\n",
    );
    const { stdout, stderr, status } = turntable('run', '--capture', join(directory, 'none'), file);
    expect({ stdout, status }).toEqual({ stdout: 'false\n', status: 1 });
    expect(stderr).toMatch(/^turntable: nothing was captured: roots\.records\[0\] server: a .*Server/);
    expect(existsSync(join(directory, 'none'))).toBe(false);
  });

  it('is not restored after its code has changed', () => {
    turntable('run', '--capture', state, program('changing.mjs', COUNTING));
    program('changing.mjs', `${COUNTING}\nconsole.log('more');`);
    const { stdout, stderr, status } = turntable('restore', state);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toMatch(
      /^turntable restore: .*state: the program differs from the captured program:\n {2}.*changing\.mjs: it has changed\nrestore the files, or capture the program again\n$/,
    );
  });

  it('is not restored from truncated, damaged or unrelated bytes', () => {
    turntable('run', '--capture', state, program('count.mjs', COUNTING));
    const bytes = readFileSync(state);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 20] = ~(flipped[bytes.length - 20] ?? 0);
    for (const [name, damaged] of [
      ['cut', bytes.subarray(0, 100)],
      ['tail', bytes.subarray(0, -7)],
      ['flipped', flipped],
      ['text', Buffer.from('no state')],
    ] as const) {
      const file = join(directory, name);
      writeFileSync(file, damaged);
      expect(turntable('restore', file)).toMatchObject({
        stdout: '',
        stderr: expect.stringMatching(/^turntable restore: .*: (?:the state is|this is not the state) .*\n$/) as string,
        status: 1,
      });
    }
  });
});

it('usage errors are reported', () => {
  expect(turntable('restore')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('name a state or a recording') as string,
  });
  expect(turntable('restore', 'nowhere')).toMatchObject({
    status: 2,
    stderr: 'turntable restore: there is no state or recording nowhere\nRun turntable restore --help\n',
  });
  expect(turntable('inspect')).toMatchObject({ status: 2 });
  expect(turntable('run', '--capture', state, '--capture-after', 'soon', program('count.mjs', COUNTING))).toMatchObject(
    {
      status: 2,
      stdout: '',
      stderr: 'turntable: --capture-after takes a number of job boundaries, not "soon"\n',
    },
  );
});
