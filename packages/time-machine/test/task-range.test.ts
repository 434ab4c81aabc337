// Queries for a range of a recording, with random runs.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { randomSteps, buildRunIndex, type RandomStep } from './random-runs.ts';

async function clientOf(all: readonly RandomStep[]): Promise<Client> {
  const about = { name: 'x', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(buildRunIndex(all), about, '1.2.3').openWire());
  await client.hello('test');
  return client;
}

type Ordered = { readonly order: number };
type PageQuery = Pick<ParamsOf<'events'>, 'firstTask' | 'lastTask' | 'from' | 'direction'>;

/** Loads all pages. */
async function loadPages(
  load: (query: PageQuery) => Promise<{ readonly items: readonly Ordered[]; readonly next?: number | undefined }>,
  query: PageQuery,
): Promise<readonly Ordered[]> {
  const all: Ordered[] = [];
  for (let from: number | undefined = query.from; from !== undefined;) {
    const { items, next } = await load({ ...query, from });
    all.push(...items);
    from = next;
  }
  return all;
}

const KINDS: ParamsOf<'events'>['kinds'] = [
  'stdout',
  'uncaught',
  'cut',
  'caught',
  'unhandled',
  'device',
  'request',
  'response',
];
/** More tasks than any run has. */
const MOST = 220;
const places = fc.integer({ min: 1, max: MOST });

test('a query for a range returns exactly its content, from any task on, in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps, places, places, places, async (all, first, last, from) => {
      const client = await clientOf(all);
      const loaders = [
        async (query: PageQuery) => {
          const page: ResultOf<'events'> = await client.request('events', { kinds: KINDS, count: 9, ...query });
          return { items: page.events, next: page.next };
        },
        async (query: PageQuery) => {
          const page: ResultOf<'search'> = await client.request('search', { text: 'a', count: 9, ...query });
          return { items: page.matches, next: page.next };
        },
      ];
      for (const load of loaders)
        for (const direction of ['forward', 'backward'] as const) {
          const isForward = direction === 'forward';
          const allItems = await loadPages(load, { from: isForward ? 1 : MOST, direction });
          const pageItems = await loadPages(load, { firstTask: first, lastTask: last, from, direction });
          const isAhead = (order: number): boolean => (isForward ? order >= from : order <= from);
          expect(pageItems).toEqual(allItems.filter(({ order }) => order >= first && order <= last && isAhead(order)));
        }
      client.close();
    }),
    { numRuns: 30 },
  );
});
