// Requests and what they were answered, of runs that never were: threads on which they come and are answered as chance has it, several at once, some never, some that came before anybody looked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type Survey, SurveyCache } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { surveyOf, THREADS, type Step } from './random-runs.ts';
import { SERVED } from './served.ts';

async function clientOf(steps: readonly Step[]): Promise<Client> {
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(surveyOf(steps), recording, '1.2.3').wire());
  await client.hello('test');
  return client;
}

test('requests of a piece are those that the program was at in it', async () => {
  const client = await clientOf(SERVED);
  const numbers = async (wish: { readonly first?: number; readonly last?: number }): Promise<number[]> =>
    (await client.request('requests', { ...wish, count: 10 })).requests.map(({ number }) => number);
  expect(await numbers({})).toEqual([1, 2, 3, 4, 5]);
  expect(await numbers({ first: 4, last: 4 })).toEqual([2, 4, 5]);
  expect(await numbers({ last: 1 })).toEqual([1, 2]);
  expect(await numbers({ first: 3 })).toEqual([2, 3, 4, 5]);
});

interface Served {
  readonly thread: number;
  readonly what: string;
  /** Numbers of stretches of the thread. */
  readonly came: number | undefined;
  answered: number | undefined;
  status: string | undefined;
}

const serving = fc.array(
  fc.record({
    thread: fc.nat(THREADS - 1),
    reads: fc.boolean(),
    acts: fc.array(
      fc.record({
        what: fc.constantFrom('comes', 'comes', 'is answered', 'was there'),
        which: fc.nat(20),
        url: fc.constantFrom('/a', '/b', '/a b'),
        status: fc.constantFrom('200', '404', '500'),
      }),
      { maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 40 },
);
type Serving = typeof serving extends fc.Arbitrary<infer T> ? T : never;

/** What runs, and the requests of it, thread by thread. */
function served(all: Serving): { readonly steps: Step[]; readonly requests: Served[] } {
  const steps: Step[] = [];
  const known = Array.from({ length: THREADS }, (): Served[] => []);
  const counts = Array.from({ length: THREADS }, () => 0);
  for (const { thread, reads, acts } of all) {
    const own = known[thread]!;
    const here = (counts[thread] = (counts[thread] ?? 0) + 1);
    const happens = acts.map(({ what, which, url, status }) => {
      if (what === 'was there') {
        own.push({ thread, what: '? ?', came: undefined, answered: here, status });
        return { kind: 'response', text: `? ? ${status}`, request: own.length } as const;
      }
      if (what === 'comes' || own.length === 0) {
        own.push({ thread, what: `GET ${url}`, came: here, answered: undefined, status: undefined });
        return { kind: 'request', text: `GET ${url}`, request: own.length } as const;
      }
      const its = own[which % own.length]!;
      Object.assign(its, { answered: here, status });
      return { kind: 'response', text: `${its.what} ${status}`, request: own.indexOf(its) + 1 } as const;
    });
    steps.push({ what: 'run', thread, sends: 0, happens });
    if (reads) steps.push({ what: 'read', thread });
  }
  return { steps, requests: known.flat() };
}

test('each request has what it was answered, whatever comes between, in the order in which they came', () => {
  fc.assert(
    fc.property(serving, (all) => {
      const { steps, requests } = served(all);
      const survey = surveyOf(steps);
      const placeOf = (thread: number, number: number | undefined): number | undefined =>
        number === undefined ? undefined : survey.orderOf(thread, 0, number);
      const told = Array.from({ length: survey.requests.count }, (_, i) => survey.requests.request(i + 1));
      const sorted = (some: readonly unknown[]): string[] => some.map((each) => JSON.stringify(each)).toSorted();
      expect(
        sorted(told.map(({ method, url, came, answered, status }) => [`${method} ${url}`, came, answered, status])),
      ).toEqual(
        sorted(
          requests.map(({ thread, what, came, answered, status }) => [
            what,
            placeOf(thread, came),
            placeOf(thread, answered),
            status,
          ]),
        ),
      );
      expect(told.map(({ number }) => number)).toEqual(told.map((_, i) => i + 1));
      const places = told.map(({ came }) => came ?? 0);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      for (const { came, answered, duration } of told)
        expect(duration).toBe(
          came === undefined || answered === undefined
            ? undefined
            : survey.stretch(answered).time - survey.stretch(came).time,
        );
      for (const { kind, order, request } of survey.marks())
        if (kind === 'request') expect(told[(request ?? 0) - 1]?.came).toBe(order);
        else expect(told[(request ?? 0) - 1]?.answered).toBeGreaterThanOrEqual(order);
    }),
    { numRuns: 60 },
  );
});

test('what is kept of a survey has them as well', () => {
  const survey = surveyOf(SERVED);
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const cache = new SurveyCache(join(directory, 'cache'));
  cache.put('key', survey, undefined);
  const kept = cache.get('key')?.survey;
  const told = (its: Survey | undefined): unknown =>
    its?.requests.numbers({}).map((each) => its.requests.request(each));
  expect(told(kept)).toEqual(told(survey));
  expect(kept?.marks()).toEqual(survey.marks());
});

test('clients are told of requests page by page, of those that they ask for, the slowest first if they want', async () => {
  const client = await clientOf(SERVED);
  const asked = async (wish: object): Promise<string[]> => {
    const { requests } = await client.request('requests', { count: 100, ...wish });
    return requests.map(({ number, method, url, status = 'open' }) => `${number} ${method} ${url} ${status}`);
  };
  const all = ['1 ? ? 204', '2 GET /carts 200', '3 GET /carts 404', '4 POST /carts/7 500', '5 GET /never open'];
  expect(await asked({})).toEqual(all);
  expect(await asked({ from: 1, count: 2 })).toEqual(all.slice(1, 3));
  expect((await client.request('requests', { count: 1 })).total).toBe(5);
  expect(await asked({ state: 'open' })).toEqual(['5 GET /never open']);
  expect(await asked({ state: 'answered', status: 404 })).toEqual(['3 GET /carts 404', '4 POST /carts/7 500']);
  expect(await asked({ matching: 'GET /carts' })).toEqual(['2 GET /carts 200', '3 GET /carts 404']);
  expect(await asked({ matching: '* 404' })).toEqual(['3 GET /carts 404']);
  expect(await asked({ sort: 'slowest' })).toEqual([all[1], all[3], all[2], all[0], all[4]]);
  const [early, slow] = (await client.request('requests', { count: 2 })).requests;
  expect(early).toMatchObject({ answered: { position: '0.2', order: 2 } });
  expect(early?.came).toBeUndefined();
  expect(slow).toMatchObject({
    worker: 0,
    came: { position: '0.1', order: 1 },
    answered: { position: '0.5', order: 5 },
  });
  expect(slow?.duration).toBe((slow?.answered?.time ?? 0) - (slow?.came?.time ?? 0));
});

test('an answer among the marks says to which request it is one', async () => {
  const client = await clientOf(SERVED);
  const { marks } = await client.request('marks', { kinds: ['request', 'response'], from: 1, count: 100 });
  expect(marks.map(({ order, value, request }) => `${order} ${value} of ${request}`)).toEqual([
    '1 GET /carts of 2',
    '2 ? ? 204 of 1',
    '2 GET /carts of 3',
    '3 POST /carts/7 of 4',
    '3 GET /carts 404 of 3',
    '4 GET /never of 5',
    '5 GET /carts 200 of 2',
    '5 POST /carts/7 500 of 4',
  ]);
  const { where } = await client.request('move', { move: 'end' });
  expect(where.order).toBe(6);
  const { stretches } = await client.request('stretches', { from: 5, count: 1 });
  expect(stretches[0]?.marks).toEqual([
    { kind: 'response', value: 'GET /carts 200', request: 2 },
    { kind: 'response', value: 'POST /carts/7 500', request: 4 },
  ]);
});
