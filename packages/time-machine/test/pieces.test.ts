// Of a piece of a recording is told what stands in it, of runs that never were.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { steps, surveyOf, type Step } from './random-runs.ts';

async function clientOf(all: readonly Step[]): Promise<Client> {
  const about = { name: 'x', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(surveyOf(all), about, '1.2.3').wire());
  await client.hello('test');
  return client;
}

type Placed = { readonly order: number };
type Wish = Pick<ParamsOf<'marks'>, 'first' | 'last' | 'from' | 'direction'>;

/** Page by page. */
async function paged(
  ask: (wish: Wish) => Promise<{ readonly those: readonly Placed[]; readonly next?: number | undefined }>,
  wish: Wish,
): Promise<readonly Placed[]> {
  const all: Placed[] = [];
  for (let from: number | undefined = wish.from; from !== undefined;) {
    const { those, next } = await ask({ ...wish, from });
    all.push(...those);
    from = next;
  }
  return all;
}

const KINDS: ParamsOf<'marks'>['kinds'] = ['stdout', 'error', 'cut', 'exception', 'device', 'request', 'response'];
/** No run has more stretches. */
const MOST = 220;
const places = fc.integer({ min: 1, max: MOST });

test('of a piece what stands in it is told, and nothing else, from wherever one asks, in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(steps, places, places, places, async (all, first, last, from) => {
      const client = await clientOf(all);
      const asks = [
        async (wish: Wish) => {
          const page: ResultOf<'marks'> = await client.request('marks', { kinds: KINDS, count: 9, ...wish });
          return { those: page.marks, next: page.next };
        },
        async (wish: Wish) => {
          const page: ResultOf<'search'> = await client.request('search', { text: 'a', count: 9, ...wish });
          return { those: page.found, next: page.next };
        },
      ];
      for (const ask of asks)
        for (const direction of ['forward', 'backward'] as const) {
          const isForward = direction === 'forward';
          const whole = await paged(ask, { from: isForward ? 1 : MOST, direction });
          const its = await paged(ask, { first, last, from, direction });
          const isAhead = (order: number): boolean => (isForward ? order >= from : order <= from);
          expect(its).toEqual(whole.filter(({ order }) => order >= first && order <= last && isAhead(order)));
        }
      client.close();
    }),
    { numRuns: 30 },
  );
});
