// Full-text search with random runs.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { taskTitle, type RunIndex } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { ERROR_CODES, type ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { randomSteps, buildRunIndex, type RandomStep } from './random-runs.ts';

async function createFixture(
  all: readonly RandomStep[],
): Promise<{ readonly runIndex: RunIndex; readonly client: Client }> {
  const runIndex = buildRunIndex(all);
  const client = new Client(
    new TimeMachineServer(runIndex, { name: 'x', from: undefined, verdict: 'same' }, '1.2.3').openWire(),
  );
  await client.hello('test');
  return { runIndex, client };
}

type SearchMatch = ResultOf<'search'>['matches'][number];

/** Loads all pages. */
async function searchAll(
  client: Client,
  query: { readonly text: string; readonly from: number; readonly direction?: 'forward' | 'backward' },
  count: number,
): Promise<SearchMatch[]> {
  const all: SearchMatch[] = [];
  for (let from: number | undefined = query.from; from !== undefined;) {
    const page: ResultOf<'search'> = await client.request('search', { ...query, from, count });
    expect(page.matches.length).toBeLessThanOrEqual(count);
    all.push(...page.matches);
    from = page.next;
  }
  return all;
}

const KINDS_WITH_TEXT = new Set([
  'uncaught',
  'unhandled',
  'caught',
  'rejection',
  'device',
  'request',
  'response',
  'stdout',
]);

test('every occurrence of a text is found once, in order, in both directions, ignoring case', async () => {
  const texts = fc.constantFrom('get /', 'POST /A', 'Actor 1', 'm', 'receives a reply', 'fires', 'nowhere at all');
  // No task of these runs has more occurrences than one page.
  await fc.assert(
    fc.asyncProperty(randomSteps, texts, fc.integer({ min: 6, max: 30 }), async (all, text, count) => {
      const { runIndex, client } = await createFixture(all);
      const expected: unknown[] = [];
      for (let order = 1; order <= runIndex.count; order++) {
        const title = taskTitle(runIndex.task(order));
        const events = runIndex.eventsAt(order).filter(({ kind }) => KINDS_WITH_TEXT.has(kind));
        for (const { kind, text: candidate } of [
          { kind: 'task', text: title },
          ...events.map((event) => ({ kind: event.kind, text: event.text ?? String(event.value) })),
        ])
          if (candidate.toLowerCase().includes(text.toLowerCase())) expected.push([order, kind, candidate]);
      }
      const summary = (events: readonly SearchMatch[]): unknown[] =>
        events.map((each) => [each.order, each.kind, each.text]);
      expect(summary(await searchAll(client, { text, from: 1 }, count))).toEqual(expected);
      const last = Math.max(1, runIndex.count);
      const back = await searchAll(client, { text, from: last, direction: 'backward' }, count);
      expect(summary(back)).toEqual(expected.toReversed());
      client.close();
    }),
    { numRuns: 30 },
  );
});

test('a search covers only the requested kinds, and can be cancelled', async () => {
  const step: RandomStep = { action: 'run', thread: 0, sends: 0, events: [{ kind: 'request', text: 'GET /calls' }] };
  const { client } = await createFixture(Array.from({ length: 50_000 }, () => step));
  const query = { text: 'CALLS', kinds: ['task'], from: 1, count: 10 } as const;
  expect(await client.request('search', query)).toEqual({ matches: [] });
  const requests = await client.request('search', { ...query, kinds: ['request'] });
  expect(requests.matches.map(({ order, text }) => [order, text])).toEqual(
    Array.from({ length: 10 }, (_, i) => [i + 1, 'GET /calls']),
  );
  expect(requests.next).toBe(11);
  const controller = new AbortController();
  const done: number[] = [];
  const onProgress = (some: number): void => {
    done.push(some);
    controller.abort();
  };
  const search = client.request('search', query, { signal: controller.signal, onProgress });
  await expect(search).rejects.toMatchObject({ code: ERROR_CODES.cancelled });
  expect(done.length).toBeGreaterThan(0);
});
