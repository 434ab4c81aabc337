// A program that holds things of outside is captured all the same and goes on elsewhere: what it has declared is made again, and of
// everything else whoever uses it is told what it was, where it was met, and what to do. Texts that users read are golden files; `-u` rewrites them.
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

describe('what belongs to another process', () => {
  it('is one dead thing in all its places, and says at each use what it was, where it was met and what to do', async () => {
    expect(runToCapture('undeclared.mjs', state)).toEqual({ stdout: '', stderr: '', status: 0 });
    const { stdout, stderr, status } = restoreProcess(state);
    await expect(stdout).toMatchFileSnapshot(golden('undeclared'));
    // Neither is caught, and the process continues.
    expect(stderr.match(/uncaught: /g)).toHaveLength(2);
    expect(status).toBe(0);
  });

  it('stays what it was when the program is captured once more', async () => {
    runToCapture('undeclared.mjs', state);
    const again = join(directory, 'again');
    expect(restoreProcess(state, again).stdout).toBe('');
    const { stdout, status } = restoreProcess(again);
    await expect(stdout).toMatchFileSnapshot(golden('undeclared'));
    expect(status).toBe(0);
  });

  it('is what a program waits for: that fails, in its order, and the program catches it', async () => {
    runToCapture('outside.mjs', state);
    const { stdout, stderr, status } = restoreProcess(state);
    await expect(stdout).toMatchFileSnapshot(golden('outside'));
    expect(stderr.split('\n').map((line) => line.replace('[TT_DEAD_DEVICE] Warning: ', ''))).toEqual([
      expect.stringMatching(
        /^roots\.records\[\d+\] held\.server: a net\.Server that listened on port \d+ stayed behind, and nothing listens there now; make it in device\(\(\) => …\), with its routes, to have it made again$/,
      ),
      expect.stringMatching(
        /^what was under way outside when the program was captured stayed behind \(.*FSReqPromise.*Worker\): promises of it are rejected, callbacks will not come$/,
      ),
      '',
    ]);
    expect(status).toBe(0);
  });

  it('ends a program whose entry point uses it', () => {
    runToCapture('entry-fails.mjs', state);
    const { stderr, status } = restoreProcess(state);
    expect(stderr).toMatch(/DeadDeviceError: roots\.records\[\d+\] server: a net\.Server that stayed behind/);
    expect(status).toBe(1);
  });
});

describe('a device that is declared', () => {
  it('is made again, in its order, and stands in all the places of the old one', async () => {
    expect(runToCapture('declared.mjs', state).status).toBe(0);
    const { stdout, stderr, status } = restoreProcess(state);
    await expect(stdout).toMatchFileSnapshot(golden('declared'));
    expect(stderr).toBe(
      '[TT_DEAD_DEVICE] Warning: device 1 was made again without the listeners that were added to it later (listening); ' +
        'add them in the function that device(…) is given\n',
    );
    expect(status).toBe(0);
  });

  it('is made again as often as the program goes on', async () => {
    runToCapture('declared.mjs', state);
    const again = join(directory, 'again');
    expect(restoreProcess(state, again).stdout).toContain('goes on');
    const { stdout, status } = restoreProcess(again);
    await expect(stdout).toMatchFileSnapshot(golden('declared-again'));
    expect(status).toBe(0);
  });

  it('ends the program that cannot make it again, with the reason', () => {
    runToCapture('made-once.mjs', state);
    const { stdout, stderr, status } = restoreProcess(state);
    expect(stdout).toBe('');
    expect(stderr).toContain('the socket could not be made again: there is only one');
    expect(status).toBe(1);
  });

  it('may be an object of a package that stays native, or a function', { timeout: 120_000 }, () => {
    for (const name of ['fastify', 'express']) {
      expect(runToCapture(`${name}.mjs`, state)).toMatchObject({ stdout: `${name}: 1\n`, status: 0 });
      expect(restoreProcess(state)).toMatchObject({ stdout: `${name}: 2\nclosed\n`, status: 0 });
    }
  });
});

it('is the same in a snapshot that a program with actors takes of itself', () => {
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
  expect(second.stderr).toMatch(/never: an http\.Server that listened on port \d+ stayed behind/);
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

  it('goes on at its port, while a request was under way and connections were kept', async () => {
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
    // Who asked before has gone with the other process, and the handler that would answer fails alone.
    await second.waitForOutput(/slow one is over/);
    expect(await ask(port, '/slow')).toBe('{"count":2,"port":true}');
    second.child.kill('SIGTERM');
    agent.destroy();
    expect(await second.waitForOutput(/closed (.*)/)).toBe('/ 3, /slow 2, /capture 1');
    expect(await second.exited).toBe(0);
    expect(second.stderr).toMatch(/uncaught: DeadDeviceError: .*: an http\.ServerResponse that stayed behind/);
  });
});
