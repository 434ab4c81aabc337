// A program that holds host objects can be captured and restored in another process. Declared devices are created
// again. Any other host object is dead: its use is an error that says what the object was, where it was found and what
// to do. Texts that users read are golden files; `-u` rewrites them.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { restoreProcess, runRecorded, runToCapture, RunningProgram } from './harness.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const state = join(directory, 'state');
const running: RunningProgram[] = [];
afterEach(() => running.splice(0).forEach((each) => each.kill()));

function golden(name: string): string {
  return join(import.meta.dirname, 'golden', `${name}.txt`);
}

describe('a host object of another process', () => {
  it('is the same dead object everywhere, and each use is an error that names it, its path and a remedy', async () => {
    expect(runToCapture('undeclared.mjs', state)).toEqual({ stdout: '', stderr: '', status: 0 });
    const { stdout, stderr, status } = restoreProcess(state);
    await expect(stdout).toMatchFileSnapshot(golden('undeclared'));
    // These two errors are uncaught, and the process continues.
    expect(stderr.match(/uncaught: /g)).toHaveLength(2);
    expect(status).toBe(0);
  });

  it('stays the same when the program is captured again', async () => {
    runToCapture('undeclared.mjs', state);
    const secondState = join(directory, 'again');
    expect(restoreProcess(state, secondState).stdout).toBe('');
    const { stdout, status } = restoreProcess(secondState);
    await expect(stdout).toMatchFileSnapshot(golden('undeclared'));
    expect(status).toBe(0);
  });

  it('rejects the promises that wait for it, in order, and the program can catch the errors', async () => {
    runToCapture('outside.mjs', state);
    const { stdout, stderr, status } = restoreProcess(state);
    await expect(stdout).toMatchFileSnapshot(golden('outside'));
    expect(stderr.split('\n').map((line) => line.replace('[TT_DEAD_DEVICE] Warning: ', ''))).toEqual([
      expect.stringMatching(
        /^roots\.records\[\d+\] held\.server: a net\.Server that listened on port \d+ was not restored, and nothing listens there now; create it with its routes in device\(\(\) => …\), which a restore calls again$/,
      ),
      expect.stringMatching(
        /^operations that were pending when the program was captured are lost \(.*FSReqPromise.*Worker\): their promises reject, and their callbacks are not called; start them again$/,
      ),
      '',
    ]);
    expect(status).toBe(0);
  });

  it('ends a program whose entry point uses it', () => {
    runToCapture('entry-fails.mjs', state);
    const { stderr, status } = restoreProcess(state);
    expect(stderr).toMatch(
      /DeadDeviceError: roots\.records\[\d+\] server: a net\.Server of the captured process, which was not restored/,
    );
    expect(status).toBe(1);
  });
});

describe('a declared device', () => {
  it('is created again, in order, and replaces the old one everywhere', async () => {
    expect(runToCapture('declared.mjs', state).status).toBe(0);
    const { stdout, stderr, status } = restoreProcess(state);
    await expect(stdout).toMatchFileSnapshot(golden('declared'));
    expect(stderr).toBe(
      '[TT_DEAD_DEVICE] Warning: device 1 was created again without the listeners that were added to it later (listening); ' +
        'add listeners in the function that is passed to device(…)\n',
    );
    expect(status).toBe(0);
  });

  it('is created again on every restore', async () => {
    runToCapture('declared.mjs', state);
    const secondState = join(directory, 'again');
    expect(restoreProcess(state, secondState).stdout).toContain('continues');
    const { stdout, status } = restoreProcess(secondState);
    await expect(stdout).toMatchFileSnapshot(golden('declared-again'));
    expect(status).toBe(0);
  });

  it('ends the program with the reason if it cannot be created again', () => {
    runToCapture('made-once.mjs', state);
    const { stdout, stderr, status } = restoreProcess(state);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'the socket could not be created again, because its device(…) function failed: there is only one',
    );
    expect(status).toBe(1);
  });

  it('can be an object of a native package, or a function', { timeout: 120_000 }, () => {
    for (const name of ['fastify', 'express']) {
      expect(runToCapture(`${name}.mjs`, state)).toMatchObject({ stdout: `${name}: 1\n`, status: 0 });
      expect(restoreProcess(state)).toMatchObject({ stdout: `${name}: 2\nclosed\n`, status: 0 });
    }
  });
});

it('a restored program holds the exports of the native package that it loads', () => {
  runToCapture('exports.mjs', state);
  expect(restoreProcess(state)).toEqual({ stdout: 'true true true\ntrue function\n', stderr: '', status: 0 });
});

it('host objects behave the same in a snapshot that a program with actors takes of itself', () => {
  const first = runRecorded('actors/main.mjs', join(directory, 'recordings'));
  expect(first).toMatchObject({ stderr: '', status: 0 });
  const recording = /^listening\nrequest 1, count 1\n1 (.*)\n$/.exec(first.stdout)?.[1] ?? '';
  const second = restoreProcess(recording, undefined, { RESUMED: '1' });
  expect(second.stdout.replace(recording, 'RECORDING').split('\n')).toEqual([
    'listening',
    '1 RECORDING',
    'the actor caught TT_DEAD_DEVICE',
    'counted 2',
    'request 2, count 3',
    '',
  ]);
  expect(second.stderr).toMatch(/never: an http\.Server that listened on port \d+ was not restored/);
  expect(second.status).toBe(0);
});

describe('a service on a declared server', () => {
  const agent = new Agent({ keepAlive: true });
  afterEach(() => agent.destroy());

  function ask(port: string, path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve(text));
      });
      asked.on('error', reject).end();
    });
  }

  it('resumes on its port, with a request in flight and kept connections', async () => {
    const first = RunningProgram.startToCapture('service.mjs', state);
    running.push(first);
    const port = await first.waitForOutput(/listening (\d+)/);
    expect(await ask(port, '/')).toBe('{"count":1,"port":true}');
    expect(await ask(port, '/')).toBe('{"count":2,"port":true}');
    const slow = ask(port, '/slow').catch((error: { code: string }) => error.code);
    await first.waitForOutput(/slow/);
    const captured = ask(port, '/capture').catch((error: { code: string }) => error.code);
    expect([await slow, await captured, await first.exited]).toEqual(['ECONNRESET', 'ECONNRESET', 0]);

    const second = RunningProgram.restore(state);
    running.push(second);
    expect(await second.waitForOutput(/listening (\d+)/)).toBe(port);
    expect(await ask(port, '/')).toBe('{"count":3,"port":true}');
    // The old client went with the first process, so only the handler that would answer it fails.
    await second.waitForOutput(/slow one is over/);
    expect(await ask(port, '/slow')).toBe('{"count":2,"port":true}');
    second.child.kill('SIGTERM');
    agent.destroy();
    expect(await second.waitForOutput(/closed (.*)/)).toBe('/ 3, /slow 2, /capture 1');
    expect(await second.exited).toBe(0);
    expect(second.stderr).toMatch(
      /uncaught: DeadDeviceError: .*: an http\.ServerResponse of the captured process, which was not restored/,
    );
  });
});
