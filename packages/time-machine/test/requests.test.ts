// Requests and responses of random runs: several open requests on a thread, some without a response, some from before
// the start of the run index.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type RunIndex, RunIndexCache } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { buildRunIndex, THREAD_COUNT, type RandomStep } from './random-runs.ts';
import { SERVED_STEPS } from './served-steps.ts';

async function clientOf(steps: readonly RandomStep[]): Promise<Client> {
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(buildRunIndex(steps), recording, '1.2.3').openWire());
  await client.hello('test');
  return client;
}

test('a range contains exactly the requests that were open in it', async () => {
  const client = await clientOf(SERVED_STEPS);
  const numbers = async (query: { readonly firstTask?: number; readonly lastTask?: number }): Promise<number[]> =>
    (await client.request('requests', { ...query, count: 10 })).requests.map(({ number }) => number);
  expect(await numbers({})).toEqual([1, 2, 3, 4, 5]);
  expect(await numbers({ firstTask: 4, lastTask: 4 })).toEqual([2, 4, 5]);
  expect(await numbers({ lastTask: 1 })).toEqual([1, 2]);
  expect(await numbers({ firstTask: 3 })).toEqual([2, 3, 4, 5]);
});

interface ExpectedRequest {
  readonly thread: number;
  readonly methodAndUrl: string;
  /** Numbers of tasks of the thread. */
  readonly received: number | undefined;
  answered: number | undefined;
  status: string | undefined;
}

const randomServing = fc.array(
  fc.record({
    thread: fc.nat(THREAD_COUNT - 1),
    reads: fc.boolean(),
    actions: fc.array(
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
type ServingStep = typeof randomServing extends fc.Arbitrary<infer T> ? T : never;

/** The steps of a run, and its requests, thread by thread. */
function planServing(all: ServingStep): { readonly steps: RandomStep[]; readonly requests: ExpectedRequest[] } {
  const steps: RandomStep[] = [];
  const known = Array.from({ length: THREAD_COUNT }, (): ExpectedRequest[] => []);
  const counts = Array.from({ length: THREAD_COUNT }, () => 0);
  for (const { thread, reads, actions } of all) {
    const ofThread = known[thread]!;
    const taskNumber = (counts[thread] = (counts[thread] ?? 0) + 1);
    const events = actions.map(({ what, which, url, status }) => {
      if (what === 'was there') {
        ofThread.push({ thread, methodAndUrl: '? ?', received: undefined, answered: taskNumber, status });
        return { kind: 'response', text: `? ? ${status}`, request: ofThread.length } as const;
      }
      if (what === 'comes' || ofThread.length === 0) {
        ofThread.push({
          thread,
          methodAndUrl: `GET ${url}`,
          received: taskNumber,
          answered: undefined,
          status: undefined,
        });
        return { kind: 'request', text: `GET ${url}`, request: ofThread.length } as const;
      }
      const request = ofThread[which % ofThread.length]!;
      Object.assign(request, { answered: taskNumber, status });
      return {
        kind: 'response',
        text: `${request.methodAndUrl} ${status}`,
        request: ofThread.indexOf(request) + 1,
      } as const;
    });
    steps.push({ action: 'run', thread, sends: 0, events });
    if (reads) steps.push({ action: 'read', thread });
  }
  return { steps, requests: known.flat() };
}

test('each request has its response, in the order of receipt', () => {
  fc.assert(
    fc.property(randomServing, (all) => {
      const { steps, requests } = planServing(all);
      const runIndex = buildRunIndex(steps);
      const placeOf = (thread: number, number: number | undefined): number | undefined =>
        number === undefined ? undefined : runIndex.orderOf(thread, 0, number);
      const loaded = Array.from({ length: runIndex.requests.count }, (_, i) => runIndex.requests.request(i + 1));
      const sorted = (some: readonly unknown[]): string[] => some.map((each) => JSON.stringify(each)).toSorted();
      expect(
        sorted(
          loaded.map(({ method, url, received, answered, status }) => [`${method} ${url}`, received, answered, status]),
        ),
      ).toEqual(
        sorted(
          requests.map(({ thread, methodAndUrl, received, answered, status }) => [
            methodAndUrl,
            placeOf(thread, received),
            placeOf(thread, answered),
            status,
          ]),
        ),
      );
      expect(loaded.map(({ number }) => number)).toEqual(loaded.map((_, i) => i + 1));
      const places = loaded.map(({ received }) => received ?? 0);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      for (const { received, answered, durationMs } of loaded)
        expect(durationMs).toBe(
          received === undefined || answered === undefined
            ? undefined
            : runIndex.task(answered).time - runIndex.task(received).time,
        );
      for (const { kind, order, request } of runIndex.events())
        if (kind === 'request') expect(loaded[(request ?? 0) - 1]?.received).toBe(order);
        else expect(loaded[(request ?? 0) - 1]?.answered).toBeGreaterThanOrEqual(order);
    }),
    { numRuns: 60 },
  );
});

test('a cached run index has the same requests', () => {
  const runIndex = buildRunIndex(SERVED_STEPS);
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const cache = new RunIndexCache(join(directory, 'cache'));
  cache.put('key', runIndex, undefined);
  const kept = cache.get('key')?.runIndex;
  const loaded = (request: RunIndex | undefined): unknown =>
    request?.requests.numbers({}).map((each) => request.requests.request(each));
  expect(loaded(kept)).toEqual(loaded(runIndex));
  expect(kept?.events()).toEqual(runIndex.events());
});

test('clients get requests page by page, filtered and sorted', async () => {
  const client = await clientOf(SERVED_STEPS);
  const linesOf = async (query: object): Promise<string[]> => {
    const { requests } = await client.request('requests', { count: 100, ...query });
    return requests.map(({ number, method, url, status = 'open' }) => `${number} ${method} ${url} ${status}`);
  };
  const all = ['1 ? ? 204', '2 GET /carts 200', '3 GET /carts 404', '4 POST /carts/7 500', '5 GET /never open'];
  expect(await linesOf({})).toEqual(all);
  expect(await linesOf({ from: 1, count: 2 })).toEqual(all.slice(1, 3));
  expect((await client.request('requests', { count: 1 })).total).toBe(5);
  expect(await linesOf({ state: 'open' })).toEqual(['5 GET /never open']);
  expect(await linesOf({ state: 'answered', status: 404 })).toEqual(['3 GET /carts 404', '4 POST /carts/7 500']);
  expect(await linesOf({ text: 'GET /carts' })).toEqual(['2 GET /carts 200', '3 GET /carts 404']);
  expect(await linesOf({ text: '/carts' })).toEqual(all.slice(1, 4));
  expect(await linesOf({ text: 'carts 4' })).toEqual(['3 GET /carts 404']);
  // With *, the text must match method and URL, or method, URL and status.
  expect(await linesOf({ text: '* 404' })).toEqual(['3 GET /carts 404']);
  expect(await linesOf({ text: '*carts' })).toEqual(['2 GET /carts 200', '3 GET /carts 404']);
  expect(await linesOf({ text: 'carts*' })).toEqual([]);
  expect(await linesOf({ sort: 'slowest' })).toEqual([all[1], all[3], all[2], all[0], all[4]]);
  const [early, slow] = (await client.request('requests', { count: 2 })).requests;
  expect(early).toMatchObject({ answered: { position: '0.2', order: 2 } });
  expect(early?.received).toBeUndefined();
  expect(slow).toMatchObject({
    worker: 0,
    received: { position: '0.1', order: 1 },
    answered: { position: '0.5', order: 5 },
  });
  expect(slow?.durationMs).toBe((slow?.answered?.time ?? 0) - (slow?.received?.time ?? 0));
});

test('a response among the events has the number of its request', async () => {
  const client = await clientOf(SERVED_STEPS);
  const { events } = await client.request('events', { kinds: ['request', 'response'], from: 1, count: 100 });
  expect(events.map(({ order, value, request }) => `${order} ${value} of ${request}`)).toEqual([
    '1 GET /carts of 2',
    '2 ? ? 204 of 1',
    '2 GET /carts of 3',
    '3 POST /carts/7 of 4',
    '3 GET /carts 404 of 3',
    '4 GET /never of 5',
    '5 GET /carts 200 of 2',
    '5 POST /carts/7 500 of 4',
  ]);
  const { cursor: where } = await client.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect(where.order).toBe(6);
  const { tasks } = await client.request('tasks', { from: 5, count: 1 });
  expect(tasks[0]?.events).toEqual([
    { kind: 'response', value: 'GET /carts 200', request: 2 },
    { kind: 'response', value: 'POST /carts/7 500', request: 4 },
  ]);
});
