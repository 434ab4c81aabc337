// A restored program looks at the host objects that it held: declared devices are made again, and other handles are
// dead: they can be observed, and every use throws and names the handle.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProgramDirectory, runTurntable, type CliResult } from '../../../test/recordings/processes.ts';

const directory = createProgramDirectory(readFileSync(new URL('fixtures/handles.mjs', import.meta.url), 'utf8'));
const turntable = (...args: readonly string[]): CliResult => runTurntable(directory, args, { TURNTABLE_CACHE: 'off' });
let restored: CliResult;
let lines: string[] = [];
beforeAll(() => {
  const options = ['--capture', 'state', '--capture-after', '3', '--handles', 'dead'];
  expect(turntable('run', ...options, 'main.ts').stdout).toMatch(/^before \[ 'answers', 'later' \] 2\n/);
  restored = turntable('restore', '--trusted', 'state');
  lines = restored.stdout.split('\n');
}, 120_000);

/** Name of each variable with the class of its handle, and a property that instances of the class have. */
const HANDLES = {
  socket: 'a net.Socket',
  connection: 'a Connection',
  server: 'a net.Server',
  agent: 'an http.Agent',
  transform: 'a Transform',
  file: 'an fs.ReadStream',
};

describe('a restored program', () => {
  it('has its devices again, made once before its code resumes', () => {
    expect(lines.slice(0, 3)).toEqual([
      "devices [ 'answers', 'later', 'answers', 'later' ] 42 true true true object",
      'rung 1',
      'true false 0',
    ]);
  });

  it('has each handle as one object in all its places', () => {
    expect(lines).toContain('identity true true by key true true true');
  });

  it.each(Object.entries(HANDLES))('can observe a dead handle: %s, %s', (name, article) => {
    const className = article.replace(/^an? /, '');
    const index = lines.findIndex((line) => line.startsWith(`${name} object `));
    expect(lines.slice(index, index + 3)).toEqual([
      `${name} object [dead ${className}] {"handle":"[dead ${className}]"} [] [object Object] ${className.split('.').at(-1)}`,
      'true false undefined true true',
      `[dead ${className}: roots.records[0] ${name}]`,
    ]);
  });

  it.each(Object.entries(HANDLES))('cannot use a dead handle, and reads which it is: %s, %s', (name, article) => {
    const index = lines.findIndex((line) => line.startsWith(`${name} object `)) + 3;
    const start = `DeadDeviceError TT_DEAD_DEVICE roots.records[0] ${name}: ${article} of the captured process, which was not restored`;
    const uses = ['.destroyed was accessed', '.y was set', '.y was deleted', '.on was accessed', '.y was defined'];
    expect(lines.slice(index, index + 5).map((line) => line.slice(0, line.indexOf(');') + 1))).toEqual(
      uses.map((use) => `${start} (${use})`),
    );
  });

  it('has the classes of its handles', () => {
    expect(lines).toContain('classes true true true true false true 2');
    const uses = lines[lines.indexOf('classes true true true true false true 2') + 1];
    expect(uses).toMatch(/\(\.own was accessed\).*\(\.method was accessed\).*\(\.destroyed was accessed\)/);
  });

  it('continues after operations of the host with an error', () => {
    expect(lines.at(-4)).toMatch(/^native DeadDeviceError TT_DEAD_DEVICE .*native promise.*its result was requested/);
    expect(lines.at(-3)).toBe("operation [ 'DeadDeviceError TT_DEAD_DEVICE', 'finally' ]");
    expect(lines.at(-2)).toMatch(/server: a net\.Server .*\(\.close was accessed\)/);
    expect(restored.status).toBe(0);
  });

  it('warns of operations that have ended', () => {
    expect(restored.stderr).toMatch(
      /^\[TT_DEAD_DEVICE\] Warning: operations that were pending .* are lost \((?:\d × )?FSReqPromise\): /,
    );
  });
});

describe('a state with handles', () => {
  it('lists them', () => {
    expect(turntable('inspect', 'state').stdout).toMatch(
      /\nwaiting: \d jobs?, 0 ticks, 0 timers\nmain\.ts: evaluating-async, \d functions and 1 class in use\nimports node:events, node:fs, node:fs\/promises, node:http, node:net, node:stream\ncreated again by restore: answers, later\nleft behind: 2 × net\.Socket, Connection, net\.Server, http\.Agent, Transform, fs\.ReadStream, native promise\n$/,
    );
  });

  it('is not captured unless handles may be left behind', () => {
    const { stdout, stderr, status } = turntable('run', '--capture', 'refused', 'main.ts');
    expect(stdout).toContain("operation [ '', 'finally' ]\nclosed\n");
    expect(stderr).toMatch(/^turntable: nothing was captured: .*(?:pending host operations|roots\.records\[0\])/);
    expect(status).toBe(1);
  });
});
