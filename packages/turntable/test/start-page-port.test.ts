// The port of the start page: which requests it accepts, and the errors for recordings that cannot be opened.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { describeProcess, NO_TRACES, startWriter } from '@turntable/recording';
import { digestCode } from '@turntable/recording/code-digest';
import { RecentRecordings, type ConsentRequest } from '@turntable/time-machine/recent';
import { StartPageService, type StartPageOffers } from '../src/debug/start-page-service.ts';
import { StartPagePort } from '../src/debug/start-page-port.ts';

let directory: string;
let port: StartPagePort;
let address: URL;
let recent: RecentRecordings;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  recent = new RecentRecordings(join(directory, 'recent.json'));
  const site = new Map([['/', { type: 'text/html', body: Buffer.from('<p>here</p>') }]]);
  port = new StartPagePort(new StartPageService(site, recent, { isTrusted: false, requiresIsolation: false }), site);
  address = new URL(await port.listen(0));
});
afterEach(async () => {
  await port.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Writes a recording without traces, so that a replay is refused for this reason. Returns its directory. */
async function writeRecording(recordings: string): Promise<string> {
  const writer = startWriter({ recordings });
  const { directory: recording } = writer.create({
    ...describeProcess({ turntable: '0.2.0', workers: 0 }),
    entry: 'a.ts',
  });
  await writer.close();
  return recording;
}

const NO_REPLAY: unknown = { reason: expect.stringContaining(NO_TRACES), overrides: [] };

/** Opens a path. Returns the request for consent, or the reason why the replay is refused. */
async function open(path: string, agreedDigest?: string): Promise<unknown> {
  return (await ask('/open', { path, agreedDigest }))[1];
}

interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request as the page does, unless headers say otherwise. */
async function ask(path: string, params: object, { headers = {}, body }: AskOptions = {}): Promise<[number, unknown]> {
  const payload = body ?? JSON.stringify(params);
  const outgoing = request({
    host: '127.0.0.1',
    port: address.port,
    path,
    method: 'POST',
    headers: {
      origin: address.origin,
      authorization: `Bearer ${address.hash.slice(1)}`,
      'content-length': String(Buffer.byteLength(payload)),
      ...headers,
    },
  });
  outgoing.end(payload);
  const response = await new Promise<IncomingMessage>((settle, reject) => {
    outgoing.once('response', settle);
    outgoing.once('error', reject);
  });
  return [response.statusCode ?? 0, JSON.parse(await text(response)) as unknown];
}

test('the page has its own path, and the secret is in the fragment of its address', async () => {
  expect(address.pathname).toBe('/start');
  expect(address.hash).toMatch(/^#[0-9a-f]{32}$/);
  expect(await (await fetch(address)).text()).toBe('<p>here</p>');
});

test('only the page of the port is served, with the secret', async () => {
  for (const headers of [
    { origin: 'http://evil.example' },
    { host: `evil.example:${address.port}` },
    { authorization: 'Bearer x' },
    { authorization: '' },
  ])
    expect(await ask('/offers', {}, { headers }), JSON.stringify(headers)).toEqual([403, expect.anything()]);
  expect((await ask('/offers', {}))[0]).toBe(200);
});

test('invalid requests are rejected with a reason', async () => {
  expect(await ask('/open', {}, { body: '{' })).toEqual([400, { reason: 'a request body must be JSON' }]);
  expect(await ask('/open', {}, { body: '['.repeat(6000) })).toEqual([
    400,
    { reason: 'a message may be nested at most 64 levels deep' },
  ]);
  expect(await ask('/open', { path: 7 })).toEqual([400, { reason: 'which recording? Give a path' }]);
  expect((await ask('/close', { path: '/' }))[0]).toBe(404);
  expect((await ask('/open', { path: 'x'.repeat(1 << 16) }))[0]).toBe(413);
});

test('a path that no file can have is answered with the reason, and the port stays open', async () => {
  for (const path of ['a\0b', 'x'.repeat(5000)])
    expect(await ask('/open', { path })).toEqual([500, { reason: expect.any(String) as string }]);
  expect((await ask('/offers', {}))[0]).toBe(200);
});

test('requests about a program that is not recorded, and unknown commands, are rejected', async () => {
  process.env['TURNTABLE_SERVICES'] = directory;
  onTestFinished(() => void Reflect.deleteProperty(process.env, 'TURNTABLE_SERVICES'));
  expect(await ask('/services', {})).toEqual([200, { services: [] }]);
  expect((await ask('/look', { pid: '1' }))[0]).toBe(400);
  expect(await ask('/ask', { pid: 1, request: 'dance' })).toEqual([
    400,
    { reason: 'the command must be one of start, stop, snapshot' },
  ]);
  const reason = expect.stringContaining('no process 1 of this user is being recorded') as string;
  for (const [path, params] of Object.entries({ '/look': {}, '/ask': { request: 'snapshot' } }))
    expect(await ask(path, { pid: 1, ...params })).toEqual([200, { reason, overrides: [] }]);
});

test('recently opened recordings are offered, the last one first, until they are forgotten', async () => {
  recent.add('/not/there');
  recent.add(directory);
  const [, offers] = (await ask('/offers', {})) as [number, StartPageOffers];
  expect(offers.recent.map(({ path, exists }) => [path, exists])).toEqual([
    [directory, true],
    ['/not/there', false],
  ]);
  const [, others] = (await ask('/forget', { path: directory })) as [number, StartPageOffers];
  expect(others.recent.map(({ path }) => path)).toEqual(['/not/there']);
});

test('a path without a recording is refused with the reason', async () => {
  const file = join(directory, 'notes.txt');
  const empty = join(directory, 'empty');
  const packed = join(directory, 'cut.ttr');
  writeFileSync(file, 'notes');
  writeFileSync(packed, 'TTRP');
  mkdirSync(empty);
  const reason: Readonly<Record<string, string>> = {
    [join(directory, 'nowhere')]: 'there is no directory or packed recording',
    [file]: 'is neither a directory nor a packed recording',
    [empty]: 'there is no recording in',
    [packed]: packed,
  };
  for (const [path, words] of Object.entries(reason))
    expect(await ask('/open', { path }), path).toEqual([
      200,
      { reason: expect.stringContaining(words), overrides: [] },
    ]);
  expect(recent.list()).toEqual([]);
});

test('a recording is replayed only after consent to the digest of its code', async () => {
  const recording = await writeRecording(join(directory, 'recordings'));
  const codeDigest = await digestCode(recording);
  const request = { consent: { path: recording, codeDigest, isTrusted: false } };
  expect(await open(recording)).toEqual(request);
  expect(await open(recording, 'other')).toEqual(request);
  expect(await ask('/open', { path: recording, isForced: true })).toEqual([200, request]);
  expect(await ask('/open', { path: recording, agreedDigest: [codeDigest] })).toEqual([200, request]);
  expect(await open(recording, codeDigest)).toEqual(NO_REPLAY);
  expect(recent.list()).toEqual([]);
});

test('consent to the recording in a directory is asked for by its own path', async () => {
  const recordings = join(directory, 'recordings');
  const recording = await writeRecording(recordings);
  const { consent } = (await open(recordings)) as { readonly consent: ConsentRequest };
  expect(consent.path).toBe(recording);
  expect(await open(recordings, consent.codeDigest)).toEqual(NO_REPLAY);
});

test('an answer to a question about other code is asked again', async () => {
  const recording = await writeRecording(join(directory, 'recordings'));
  const { consent } = (await open(recording)) as { readonly consent: ConsentRequest };
  mkdirSync(join(recording, 'snapshots'), { recursive: true });
  writeFileSync(join(recording, 'snapshots/0000000007.tts'), '');
  const asked = (await open(recording, consent.codeDigest)) as { readonly consent: ConsentRequest };
  expect(asked.consent.path).toBe(recording);
  expect(asked.consent.codeDigest).not.toBe(consent.codeDigest);
  expect(await open(recording, asked.consent.codeDigest)).toEqual(NO_REPLAY);
});

test('remembered consent is enough until the code changes or the recording is forgotten', async () => {
  const recording = await writeRecording(join(directory, 'recordings'));
  recent.add(recording, await digestCode(recording));
  expect(statSync(join(directory, 'recent.json')).mode & 0o077).toBe(0);
  expect(await open(recording)).toEqual(NO_REPLAY);
  writeFileSync(join(recording, 'modules.jsonl'), '');
  expect(await open(recording)).toHaveProperty('consent');
  recent.add(recording, await digestCode(recording));
  expect(await open(recording)).toEqual(NO_REPLAY);
  await ask('/forget', { path: recording });
  expect(await open(recording)).toHaveProperty('consent');
});

test('without the sandbox, each opening is asked about', async () => {
  const recording = await writeRecording(join(directory, 'recordings'));
  const codeDigest = await digestCode(recording);
  recent.add(recording, codeDigest);
  const service = new StartPageService(new Map(), recent, { isTrusted: true, requiresIsolation: false });
  onTestFinished(() => service.close());
  const options = { isForced: false, agreedDigest: undefined };
  expect(await service.open(recording, options)).toEqual({ consent: { path: recording, codeDigest, isTrusted: true } });
  expect(await service.open(recording, { ...options, agreedDigest: codeDigest })).toEqual(NO_REPLAY);
});
