// Requests to recorded services, each with what it was answered: of Node's servers, of Fastify, of Acme Air.
// The plug-in of a service is another one in bundles.
import '../../scripts/from-sources.ts';
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Position } from '@turntable/time-machine';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { recordSeededBug } from '../../examples/acmeair/story/seeded-bug.ts';
import { behaviour } from '../outside/fastify-clients.ts';
import { forget, Life } from '../outside/recorded.ts';
import { record } from '../replay/again.ts';
import { machineOf } from './machine.ts';
import { before, expectSame, openedIn } from './opened.ts';

vi.setConfig({ testTimeout: 300_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-requests-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

test('requests to one URL at once have each their own answer, and of those whose clients have gone that is told', async () => {
  const into = join(room, 'serving');
  record(into, [join(import.meta.dirname, 'programs/serving.mjs')]);
  const client = await machineOf(into);
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
  expect(first?.came?.order).toBeLessThan(second?.came?.order ?? 0);
  for (const each of [first, second]) expect(each?.answered).toEqual(go?.came);
  const { marks } = await client.request('marks', {
    kinds: ['response'],
    matching: 'GET /wait *',
    from: 1,
    count: 10,
  });
  expect(marks.map(({ request }) => request)).toEqual([second?.number, first?.number]);
  const { where } = await client.request('move', {
    move: 'position',
    arguments: { position: second?.came?.position ?? '' },
  });
  expect(where.stretch?.marks).toContainEqual({ kind: 'request', value: 'GET /wait', request: second?.number });
});

test('of a request an expression tells what the program has read by then, over the whole recording and where one stands, and the run is no other by that', async () => {
  const into = join(room, 'asking');
  record(into, [join(import.meta.dirname, 'programs/asking.mjs')]);
  const its = await openedIn(into);
  const { engine, survey } = its;
  const end = before(survey.count + 1);
  const line = { file: 'asking.mjs', line: 9 };
  const places = [
    { ...line, log: '`${request.method} ${request.url}`' },
    { ...line, condition: "request.url === '/carts/8'" },
    { ...line, line: 7, log: 'request.url' },
    { ...line, log: 'response.end(url)' },
  ];
  const search = engine.search(places, before(1));
  const hits = await search.upTo(end);
  const of = (place: number): unknown[] => hits.flatMap((hit) => (hit.place === place ? [hit.log ?? hit.error] : []));
  expect(of(0)).toEqual(['POST /carts/7', 'GET /carts/7', 'GET /carts/8']);
  expect(hits.filter(({ place }) => place === 1).length).toBe(1);
  for (const place of [2, 3])
    expect(of(place)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/cannot be asked here/)));
  search.close();
  await engine.to(hits.find(({ place }) => place === 0)?.position as Position);
  const { value, isTakenBack } = await engine.evaluate('request.url');
  expect([value?.preview, isTakenBack]).toEqual(['"/carts/7"', true]);
  expect((await engine.evaluate('response.setHeader("a", "b")')).error).toMatch(/cannot be asked here/);
  expect((await engine.evaluate('request.socket.remotePort')).error).toMatch(/cannot be asked here/);
  const { anew } = engine.ways;
  await engine.next();
  expect(engine.ways.anew).toBe(anew);
  await expectSame(its);
});

test('requests to Fastify have the statuses that their clients have got', async () => {
  const subject = { file: 'with-plugin/behaviour.ts', place: join(room, 'place'), into: join(room, 'behaviour') };
  const life = new Life('recorded', subject);
  onTestFinished(() => life.kill());
  const got = (await behaviour(await life.port)) as (readonly [path: string, status: number])[];
  life.terminate();
  expect(await life.ended).toMatchObject({ code: 0 });
  forget(subject);
  const client = await machineOf(subject.into);
  const { requests } = await client.request('requests', { count: 1000 });
  const told = requests.filter(({ url }) => !url.startsWith('/seen'));
  const answered = got.filter(([path]) => path.startsWith('/')).map(([path, status]) => `${path} ${status}`);
  // Two the program has asked itself before.
  expect(told.map(({ url, status }) => `${url} ${status ?? 'open'}`)).toEqual([
    '/returned 201',
    '/rejects 500',
    ...answered,
    // A stream that breaks in the midst, and a client that has gone.
    '/down-broken aborted',
    '/aborted aborted',
  ]);
});

test('Acme Air has all bookings of a customer who books twice at once, under way at the same time', async () => {
  const into = join(room, 'acmeair');
  await recordSeededBug(into);
  const client = await machineOf(into);
  const asked = async (matching: string): Promise<ResultOf<'requests'>['requests']> =>
    (await client.request('requests', { matching, count: 1000 })).requests;
  const booked = await asked('POST /rest/api/bookings/bookflights');
  expect(booked.length).toBeGreaterThanOrEqual(2);
  expect(new Set(booked.map(({ status }) => status))).toEqual(new Set(['200']));
  expect((await asked('GET /rest/api/customer/byid/*')).length).toBe(booked.length);
  expect((await asked('POST /rest/api/login')).map(({ status }) => status)).toEqual(['200']);
  const pairs = booked.filter((_, i) => i % 2 === 0).map((first, i) => [first, booked[i * 2 + 1]] as const);
  expect(pairs.some(([first, second]) => (second?.came?.order ?? Infinity) < (first.answered?.order ?? 0))).toBe(true);
  expect((await client.request('requests', { state: 'open', count: 1 })).total).toBe(0);
  const slowest = (await client.request('requests', { sort: 'slowest', count: 1000 })).requests;
  const durations = slowest.map(({ duration }) => duration ?? -1);
  expect(durations).toEqual(durations.toSorted((a, b) => b - a));
});

test('Acme Air goes back in its place, over requests that have come and been answered', async () => {
  const [its, other] = [await openedIn(join(room, 'acmeair')), await openedIn(join(room, 'acmeair'))];
  const places = its.survey.placesOf('request');
  const [from = 1, to = 1] = [places.at(-4), places.at(-1)];
  await its.engine.to(before(to));
  const { anew } = its.engine.ways;
  await other.engine.to(before(from));
  expect(await its.engine.to(before(from))).toEqual(await other.engine.to(before(from)));
  for (let i = 0; i < 40; i++) expect(await its.engine.next()).toEqual(await other.engine.next());
  expect(its.engine.ways.anew).toBe(anew);
  await expectSame(its);
});
