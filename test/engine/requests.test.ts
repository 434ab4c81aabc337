// Requests to recorded services with their responses: Node's servers, Fastify, Acme Air.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Position } from '@turntable/time-machine';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { recordSeededBug } from '../../examples/acmeair/story/seeded-bug.ts';
import { exerciseBehaviour } from '../outside/fastify-clients.ts';
import { resetDirectory, ProgramProcess } from '../outside/recorded.ts';
import { record } from '../replay/record-and-replay.ts';
import { createClient } from './time-machine-server.ts';
import { taskStart, expectSame, openDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 300_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-requests-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('matches concurrent requests to one URL with their own responses and reports aborted ones', async () => {
  const into = join(scratch, 'serving');
  record(into, [join(import.meta.dirname, 'programs/serving.mjs')]);
  const client = await createClient(into);
  const { requests } = await client.request('requests', { count: 100 });
  expect(requests.map(({ method, url, status = 'open' }) => `${method} ${url} ${status}`)).toEqual([
    'GET /wait 201',
    'GET /wait 202',
    'GET /go 200',
    'POST /broken 500',
    'GET /file 200',
    'GET /never aborted',
    'GET /pipe 200',
    'GET /pipe 200',
  ]);
  const [first, second, go] = requests;
  expect(first?.received?.order).toBeLessThan(second?.received?.order ?? 0);
  for (const each of [first, second]) expect(each?.answered).toEqual(go?.received);
  const { events } = await client.request('events', {
    kinds: ['response'],
    text: 'GET /wait *',
    from: 1,
    count: 10,
  });
  expect(events.map(({ request }) => request)).toEqual([second?.number, first?.number]);
  const { cursor } = await client.request('move', {
    move: 'goto',
    arguments: { target: second?.received?.position ?? '' },
  });
  expect(cursor.task?.events).toContainEqual({ kind: 'request', value: 'GET /wait', request: second?.number });
});

test('an expression sees what the program has read of a request, in a search and at a pause, without changing the run', async () => {
  const into = join(scratch, 'asking');
  record(into, [join(import.meta.dirname, 'programs/asking.mjs')]);
  const replay = await openDriver(into);
  const { driver, runIndex } = replay;
  const end = taskStart(runIndex.count + 1);
  const line = { file: 'asking.mjs', line: 9 };
  const breakpoints = [
    { ...line, logExpression: '`${request.method} ${request.url}`' },
    { ...line, condition: "request.url === '/carts/8'" },
    { ...line, line: 7, logExpression: 'request.url' },
    { ...line, logExpression: 'response.end(url)' },
  ];
  const search = driver.searchBreakpoints(breakpoints, taskStart(1));
  const hits = await search.runTo(end);
  const valuesAt = (breakpoint: number): unknown[] =>
    hits.flatMap((hit) => (hit.breakpoint === breakpoint ? [hit.logValue ?? hit.error] : []));
  expect(valuesAt(0)).toEqual(['POST /carts/7', 'GET /carts/7', 'GET /carts/8']);
  expect(hits.filter(({ breakpoint }) => breakpoint === 1).length).toBe(1);
  for (const breakpoint of [2, 3])
    expect(valuesAt(breakpoint)).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/is unavailable to evaluated code/)),
    );
  search.close();
  await driver.seek(hits.find(({ breakpoint }) => breakpoint === 0)?.position as Position);
  const { value, isUndone } = await driver.evaluate('request.url');
  expect([value?.preview, isUndone]).toEqual(['"/carts/7"', true]);
  expect((await driver.evaluate('response.setHeader("a", "b")')).error).toMatch(/is unavailable to evaluated code/);
  expect((await driver.evaluate('request.socket.remotePort')).error).toMatch(/is unavailable to evaluated code/);
  const { restarts } = driver.seekCounts;
  await driver.stepForward();
  expect(driver.seekCounts.restarts).toBe(restarts);
  await expectSame(replay);
});

test('requests to Fastify have the statuses that their clients received', async () => {
  const subject = {
    file: 'with-plugin/behaviour.ts',
    workingDirectory: join(scratch, 'place'),
    recordings: join(scratch, 'behaviour'),
  };
  const program = new ProgramProcess('recorded', subject);
  onTestFinished(() => program.kill());
  const received = (await exerciseBehaviour(await program.port)) as (readonly [path: string, status: number])[];
  program.terminate();
  expect(await program.exited).toMatchObject({ code: 0 });
  resetDirectory(subject);
  const client = await createClient(subject.recordings);
  const { requests } = await client.request('requests', { count: 1000 });
  const actual = requests.filter(({ url }) => !url.startsWith('/seen'));
  const answered = received.filter(([path]) => path.startsWith('/')).map(([path, status]) => `${path} ${status}`);
  // The program sends itself two requests at the start.
  expect(actual.map(({ url, status }) => `${url} ${status ?? 'open'}`)).toEqual([
    '/returned 201',
    '/rejects 500',
    ...answered,
    // A stream that breaks halfway, and a client that disconnects.
    '/down-broken aborted',
    '/aborted aborted',
  ]);
});

test('shows the overlapping bookings of an Acme Air customer who books twice at once', async () => {
  const into = join(scratch, 'acmeair');
  await recordSeededBug(into);
  const client = await createClient(into);
  const requestsMatching = async (text: string): Promise<ResultOf<'requests'>['requests']> =>
    (await client.request('requests', { text, count: 1000 })).requests;
  const booked = await requestsMatching('POST /rest/api/bookings/bookflights');
  expect(booked.length).toBeGreaterThanOrEqual(2);
  expect(new Set(booked.map(({ status }) => status))).toEqual(new Set(['200']));
  expect((await requestsMatching('GET /rest/api/customer/byid/*')).length).toBe(booked.length);
  expect((await requestsMatching('POST /rest/api/login')).map(({ status }) => status)).toEqual(['200']);
  const pairs = booked.filter((_, i) => i % 2 === 0).map((first, i) => [first, booked[i * 2 + 1]] as const);
  expect(pairs.some(([first, second]) => (second?.received?.order ?? Infinity) < (first.answered?.order ?? 0))).toBe(
    true,
  );
  expect((await client.request('requests', { state: 'open', count: 1 })).total).toBe(0);
  const slowest = (await client.request('requests', { sort: 'slowest', count: 1000 })).requests;
  const durations = slowest.map(({ durationMs: duration }) => duration ?? -1);
  expect(durations).toEqual(durations.toSorted((a, b) => b - a));
});

test('Acme Air seeks backward in place past requests and responses', async () => {
  const [replay, other] = [await openDriver(join(scratch, 'acmeair')), await openDriver(join(scratch, 'acmeair'))];
  const places = replay.runIndex.tasksWithEvent('request');
  const [from = 1, to = 1] = [places.at(-4), places.at(-1)];
  await replay.driver.seek(taskStart(to));
  const { restarts } = replay.driver.seekCounts;
  await other.driver.seek(taskStart(from));
  expect(await replay.driver.seek(taskStart(from))).toEqual(await other.driver.seek(taskStart(from)));
  for (let i = 0; i < 40; i++) expect(await replay.driver.stepForward()).toEqual(await other.driver.stepForward());
  expect(replay.driver.seekCounts.restarts).toBe(restarts);
  await expectSame(replay);
});
