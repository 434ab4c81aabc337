// A service that was recorded while it received secrets in many forms: no command and no debugger shows one of them, and
// --no-redact shows all.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { SECRET_FORMS } from '../../packages/recording/test/secret-forms.ts';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { recordingIn, runTurntable, type TurntableResult } from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const PROGRAM = fileURLToPath(new URL('programs/shop.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-secrets-'));
const env = { TURNTABLE_CACHE: join(scratch, 'cache'), TURNTABLE_REDACT: '' };
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Secret {
  readonly place: string;
  readonly value: string;
  readonly send: (value: string) => {
    readonly path: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  };
}

/** A secret that occurs in no source and no setting. */
const secretOf = (place: string): string => createHash('sha256').update(place).digest('hex').slice(0, 12);

const SENT: readonly Secret[] = [
  ...SECRET_FORMS.map(({ place, text: formOf }) => ({
    place,
    send: (value: string) => ({ path: '/form', body: formOf(value) }),
  })),
  { place: 'a header', send: (value: string) => ({ path: '/pay', headers: { 'x-api-key': value } }) },
  {
    place: 'an authorization',
    send: (value: string) => ({ path: '/pay', headers: { authorization: `Bearer ${value}` } }),
  },
  {
    place: 'a cookie',
    send: (value: string) => ({ path: '/pay', headers: { cookie: `theme=dark; session=${value}` } }),
  },
  { place: 'a query', send: (value: string) => ({ path: `/pay?access_token=${value}&n=1` }) },
  { place: 'a column', send: (value: string) => ({ path: '/sql', body: value }) },
  { place: 'an error', send: (value: string) => ({ path: '/fail', body: JSON.stringify({ token: value }) }) },
].map(({ place, send }) => ({ place, value: secretOf(place), send }));

let directory: string;

beforeAll(async () => {
  const recordings = join(scratch, 'recordings');
  const child = spawn(process.execPath, [...FLAGS, CLI, 'record', '--recordings', recordings, PROGRAM], {
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const [firstLine] = (await once(lines, 'line')) as [string];
  const port = Number(firstLine.replace('port ', ''));
  for (const { value, send } of SENT) await post(port, send(value));
  await post(port, { path: '/end' });
  expect(await ended).toEqual([0, null]);
  directory = recordingIn(recordings);
});

function post(port: number, { path, headers = {}, body = '' }: ReturnType<Secret['send']>): Promise<string> {
  return new Promise((settle, reject) => {
    request(
      { port, path, method: 'POST', headers, agent: false },
      (response) => void text(response).then(settle, reject),
    )
      .on('error', reject)
      .end(body);
  });
}

function turntable(...args: string[]): TurntableResult {
  const result = runTurntable(args, { env, cwd: scratch });
  expect(result).toMatchObject({ status: 0 });
  return result;
}

/** Places whose secrets a text shows, as they are or encoded. */
function shownIn(shown: string): string[] {
  return SENT.filter(({ value }) => {
    const bytes = Buffer.from(value);
    const encoded = [bytes, Buffer.from(`ann:${value}`), Buffer.from(`\0ann\0${value}`)].map((each) =>
      each.toString('base64').replace(/=+$/, ''),
    );
    const forms = [value, bytes.toString('hex'), String(Number.parseInt(value, 16)), ...encoded];
    return forms.some((each) => shown.includes(each));
  }).map(({ place }) => place);
}

test.each([
  [['export', '$']],
  [['export', '$', '--as', 'chrome']],
  [['inspect', '$', '--json']],
  [['inspect', '$', '--trace', '--from', '1', '--count', '100000']],
  [['inspect', '$', '--trace', '--from', '1', '--count', '100000', '--json']],
  [['tasks', '$']],
  [['tasks', '$', '--json']],
  [['replay', '$']],
  [['replay', '$', '--console', 'capture', '--json']],
  [['ls', '$', '--json']],
])('turntable %j shows no secret', (args) => {
  const { stdout, stderr } = turntable(...args.map((each) => (each === '$' ? directory : each)));
  expect(shownIn(stdout + stderr)).toEqual([]);
});

test('the debugger shows no secret', () => {
  const stop = 'shop.ts:36';
  const visits = SENT.flatMap(() => ['continue', 'info locals', 'print body', 'print headers.cookie']);
  const commands = [`break ${stop}`, ...visits, 'search pay', 'search form', 'search sql', 'difference 0.1'];
  const { stdout } = runTurntable(['debug', directory], { env, cwd: scratch, input: commands.join('\n') });
  expect(stdout).toContain('body = ');
  expect(stdout).toContain('[redacted]');
  expect(shownIn(stdout)).toEqual([]);
});

test('a client of the debugger gets no secret', async () => {
  const requests = [
    ['hello', { version: 2 }],
    ['tasks', { from: 1, count: 1000 }],
    ['events', { kinds: ['stdout', 'stderr', 'caught', 'request', 'response', 'device'], from: 1, count: 1000 }],
    ['requests', { count: 1000 }],
    ['search', { text: 'a', from: 1, count: 1000 }],
    ['move', { move: 'goto', arguments: { target: 'end' } }],
  ] as const;
  const child = spawn(process.execPath, [...FLAGS, CLI, 'debug', directory, '--stdio'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout });
  for (const [id, [method, params]] of requests.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    let [line] = (await once(lines, 'line')) as [string];
    while (!line.includes(`"id":${id},"result"`)) {
      expect(line).not.toContain('"error"');
      [line] = (await once(lines, 'line')) as [string];
    }
    if (method === 'requests' || method === 'events') expect(line).toContain('[redacted]');
    expect(shownIn(line)).toEqual([]);
  }
});

test('a redacted copy contains no secret, and a dry run counts them', () => {
  const packed = join(scratch, 'copy.ttr');
  turntable('pack', directory, '--redact', 'secrets', '-o', packed);
  const { stdout } = turntable('export', packed, '--no-redact');
  expect(stdout).toContain('"redacted":["secrets"]');
  expect(shownIn(stdout)).toEqual([]);
  const dryRun = JSON.parse(turntable('pack', directory, '--redact', 'secrets', '--dry-run', '--json').stdout) as {
    counts: { rule: string; count: number }[];
  };
  const rules = dryRun.counts.map(({ rule }) => rule);
  expect(rules).toEqual(expect.arrayContaining(['password', 'x-api-key', 'Redis command', 'credentials of a URL']));
});

test('TURNTABLE_REDACT names further secrets, or turns redaction off', () => {
  const exported = (setting: string): string =>
    runTurntable(['export', directory], { env: { ...env, TURNTABLE_REDACT: setting }, cwd: scratch }).stdout;
  expect(exported('')).toContain('Paris');
  const withoutParis = exported('/Pari[s]/');
  expect(withoutParis).not.toContain('Paris');
  expect(shownIn(withoutParis)).toEqual([]);
  expect(shownIn(exported('off')).length).toBeGreaterThan(0);
});

test('--no-redact shows all', () => {
  const { stdout, stderr } = turntable('replay', directory, '--no-redact');
  expect(shownIn(stdout + stderr)).toEqual(SENT.map(({ place }) => place));
  expect(shownIn(turntable('export', directory, '--no-redact').stdout).length).toBeGreaterThan(0);
});
