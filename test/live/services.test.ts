// Recorded services from the perspective of the same user's other processes: the list of services, their commands, and
// that no client can disturb them.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { openRecording } from '@turntable/recording';
import { callService, listServices } from '@turntable/recording/services';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { runTurntable } from '../replay/record-and-replay.ts';
import {
  stopService,
  listedServices,
  startService,
  type RunningServiceOptions,
  type RunningService,
} from './service.ts';

vi.setConfig({ testTimeout: 300_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A separate directory of sockets for each test, so that tests do not see each other's services. */
function socketsOf(name: string): string {
  return join(scratch, name);
}

async function running(options: Omit<RunningServiceOptions, 'cwd'>): Promise<RunningService> {
  const service = await startService({ cwd: scratch, ...options });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

/** Runs `turntable services` as a user at a terminal does. */
function services(
  sockets: string,
  ...args: readonly string[]
): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, [...FLAGS, CLI, 'services', ...args], {
    encoding: 'utf8',
    cwd: scratch,
    env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_SERVICES: sockets },
  });
}

test('lists two services with their state, and none that was killed', async () => {
  const sockets = socketsOf('two');
  const first = await running({ sockets });
  const second = await running({ sockets, flags: ['--snapshots', 'end'] });
  const [firstListed, secondListed] = await listedServices(sockets, 2);
  expect(firstListed?.state).toMatchObject({
    pid: first.pid,
    cwd: scratch,
    state: 'recording',
    isTraced: true,
    commands: [],
  });
  expect(secondListed?.state).toMatchObject({
    pid: second.pid,
    state: 'recording',
    commands: ['snapshot'],
    error: null,
  });
  expect(openRecording(firstListed?.state.recording ?? '').manifest.pid).toBe(first.pid);
  for (const { path } of [firstListed, secondListed].flatMap((each) => each ?? []))
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect(services(sockets).stdout).toMatch(
    new RegExp(
      `^2 programs of this user, 2 recorded now\n${first.pid} +\\S*service.mjs +recorded since .*\n${second.pid} .*\n$`,
    ),
  );
  expect(services(sockets, String(first.pid), 'snapshot')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('takes no snapshots; start it with --snapshots') as string,
  });
  expect(services(sockets, String(second.pid), 'stop')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('recorded from start to end') as string,
  });
  await stopService(first, 'SIGKILL');
  expect((await listedServices(sockets, 1))[0]?.state.pid).toBe(second.pid);
  expect(readdirSync(sockets)).toHaveLength(1);
  await stopService(second, 'SIGKILL');
  // The next service removes the stale socket as well.
  const next = await running({ sockets });
  expect((await listedServices(sockets, 1))[0]?.state.pid).toBe(next.pid);
  expect(services(sockets, String(second.pid), 'flush').status).toBe(1);
});

test('starts and stops a recording and takes a snapshot on request; the recording replays', async () => {
  const sockets = socketsOf('later');
  const service = await running({ sockets, flags: ['--later'] });
  const [listed] = await listedServices(sockets, 1);
  const path = listed?.path ?? '';
  expect(listed?.state).toMatchObject({ state: 'waiting', since: null, bytes: 0, commands: ['start'] });
  await expect(callService(path, 'snapshot')).rejects.toThrow('the program is not being recorded now');
  expect(await service.get('/before')).toBe('1 /before');
  expect(services(sockets, String(service.pid), 'start').stdout).toMatch(/^recording started: snapshot 1 of /);
  await expect(callService(path, 'start')).rejects.toThrow('the program is already being recorded');
  expect(await service.get('/recorded')).toBe('2 /recorded');
  expect(await callService(path, 'snapshot')).toMatchObject({ phase: 2, recording: listed?.state.recording });
  expect(await callService(path, 'flush')).toMatchObject({
    state: 'recording',
    snapshots: 2,
    commands: ['stop', 'snapshot'],
  });
  const env = { TURNTABLE_SERVICES: sockets };
  const session = runTurntable(['debug', '--pid', String(service.pid)], { env, input: 'requests\nlatest\n' });
  expect(session).toMatchObject({ status: 0, stdout: expect.stringContaining('/recorded 200') as string });
  expect(session.stdout).not.toContain('/before');
  expect(session.stdout).toMatch(/> latest\n.*, recorded until .*\n.*, the end of the recording\n$/);
  expect(await service.get('/more')).toBe('3 /more');
  expect(await callService(path, 'stop')).toMatchObject({ phase: 3 });
  expect(await callService(path, 'status')).toMatchObject({
    state: 'stopped',
    since: null,
    snapshots: 3,
    commands: ['start'],
  });
  expect(await service.get('/behind')).toBe('4 /behind');
  await stopService(service, 'SIGKILL');
  const { stdout, status } = runTurntable(['replay', listed?.state.recording ?? '', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'same', from: 1, wasRecordingStopped: true });
  expect(status).toBe(0);
});

test('misbehaving clients disturb neither the service nor other clients', async () => {
  const sockets = socketsOf('flood');
  const service = await running({ sockets, flags: ['--snapshots', 'end'] });
  const [listed] = await listedServices(sockets, 1);
  const path = listed?.path ?? '';
  const line = (method: string): string => `${JSON.stringify({ jsonrpc: '2.0', id: 1, method })}\n`;
  const callers: Socket[] = [];
  const calls = (text: string, count = 1): void => {
    for (let each = 0; each < count; each++) {
      const caller = connect(path);
      // Some connections are closed by the service, as they should be.
      caller.on('error', () => {});
      caller.write(text);
      callers.push(caller);
    }
  };
  onTestFinished(() => callers.forEach((each) => each.destroy()));
  // In this order: incomplete messages; invalid messages; a line without an end; floods of requests whose answers are
  // never read; a client that disconnects before the answer.
  calls(line('status').slice(0, 20), 40);
  calls('{}\n[]\nnull\nhello\n');
  calls('x'.repeat(1 << 20));
  calls(line('status').repeat(10_000), 4);
  calls(line('flush').repeat(1000), 4);
  calls(line('snapshot'));
  callers.at(-1)?.end();
  for (let count = 1; count <= 100; count++) expect(await service.get('/')).toBe(`${count} /`);
  expect(await callService(path, 'status')).toMatchObject({ pid: service.pid, error: null });
  for (const each of callers.splice(0)) each.destroy();
  expect(await callService(path, 'snapshot')).toMatchObject({ recording: listed?.state.recording });
  expect(await service.get('/')).toBe('101 /');
});

test('answers malformed requests with JSON-RPC errors', async () => {
  const sockets = socketsOf('words');
  await running({ sockets });
  const [listed] = await listedServices(sockets, 1);
  const caller = connect(listed?.path ?? '');
  onTestFinished(() => void caller.destroy());
  const answers = caller.setEncoding('utf8')[Symbol.asyncIterator]();
  const answer = async (text: string): Promise<unknown> => {
    caller.write(`${text}\n`);
    return JSON.parse(String((await answers.next()).value));
  };
  expect(await answer('{')).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await answer('7')).toMatchObject({ id: null, error: { code: -32600 } });
  expect(await answer('{"jsonrpc":"2.0","id":1,"method":"toString"}')).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32601, message: 'there is no such method; available: status, flush, start, stop, snapshot' },
  });
  expect(await answer('{"jsonrpc":"2.0","id":2,"method":"status"}')).toMatchObject({
    id: 2,
    result: { state: 'recording' },
  });
});

test('ignores directories that other users can access, and does not list services that are switched off', async () => {
  const open = socketsOf('open');
  mkdirSync(open);
  chmodSync(open, 0o755);
  const inOpenDirectory = await running({ sockets: open });
  const switchedOff = await running({ sockets: 'off' });
  expect(await inOpenDirectory.get('/')).toBe('1 /');
  expect(await switchedOff.get('/')).toBe('1 /');
  expect(readdirSync(open)).toEqual([]);
  expect(await listServices([open])).toEqual([]);
  expect(services('off').stdout).toBe('no program of this user is being recorded; turntable record FILE starts one\n');
});
