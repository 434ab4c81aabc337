// A text is found wherever a survey has it, of runs that never were.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stretchTitle, type Survey } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { ERRORS, type ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { steps, surveyOf, type Step } from './random-runs.ts';

async function made(all: readonly Step[]): Promise<{ readonly survey: Survey; readonly client: Client }> {
  const survey = surveyOf(all);
  const client = new Client(
    new TimeMachineServer(survey, { name: 'x', from: undefined, verdict: 'same' }, '1.2.3').wire(),
  );
  await client.hello('test');
  return { survey, client };
}

type Found = ResultOf<'search'>['found'][number];

/** Page by page. */
async function found(
  client: Client,
  wish: { readonly text: string; readonly from: number; readonly direction?: 'forward' | 'backward' },
  count: number,
): Promise<Found[]> {
  const all: Found[] = [];
  for (let from: number | undefined = wish.from; from !== undefined;) {
    const page: ResultOf<'search'> = await client.request('search', { ...wish, from, count });
    expect(page.found.length).toBeLessThanOrEqual(count);
    all.push(...page.found);
    from = page.next;
  }
  return all;
}

const TEXTED = new Set(['error', 'exception', 'rejection', 'device', 'request', 'response', 'stdout']);

test('a text is found wherever it stands, once, in order, forward and backward, in whatever case', async () => {
  const texts = fc.constantFrom('get /', 'POST /A', 'Actor 1', 'm', 'is answered', 'calls', 'nowhere at all');
  // No stretch of these runs has more of them than are asked for at once.
  await fc.assert(
    fc.asyncProperty(steps, texts, fc.integer({ min: 6, max: 30 }), async (all, text, count) => {
      const { survey, client } = await made(all);
      const expected: unknown[] = [];
      for (let order = 1; order <= survey.count; order++) {
        const title = stretchTitle(survey.stretch(order));
        const those = survey.marksAt(order).filter(({ kind }) => TEXTED.has(kind));
        for (const { kind, said } of [
          { kind: 'stretch', said: title },
          ...those.map((mark) => ({ kind: mark.kind, said: mark.text ?? String(mark.value) })),
        ])
          if (said.toLowerCase().includes(text.toLowerCase())) expected.push([order, kind, said]);
      }
      const told = (those: readonly Found[]): unknown[] => those.map((each) => [each.order, each.kind, each.text]);
      expect(told(await found(client, { text, from: 1 }, count))).toEqual(expected);
      const last = Math.max(1, survey.count);
      const back = await found(client, { text, from: last, direction: 'backward' }, count);
      expect(told(back)).toEqual(expected.toReversed());
      client.close();
    }),
    { numRuns: 30 },
  );
});

test('a text is looked for in what is asked for, and a search that takes long can be given up', async () => {
  const step: Step = { what: 'run', thread: 0, sends: 0, happens: [{ kind: 'request', text: 'GET /calls' }] };
  const { client } = await made(Array.from({ length: 50_000 }, () => step));
  const only = { text: 'CALLS', kinds: ['stretch'], from: 1, count: 10 } as const;
  expect(await client.request('search', only)).toEqual({ found: [] });
  const requests = await client.request('search', { ...only, kinds: ['request'] });
  expect(requests.found.map(({ order, text }) => [order, text])).toEqual(
    Array.from({ length: 10 }, (_, i) => [i + 1, 'GET /calls']),
  );
  expect(requests.next).toBe(11);
  const controller = new AbortController();
  const done: number[] = [];
  const onProgress = (some: number): void => {
    done.push(some);
    controller.abort();
  };
  const search = client.request('search', only, { signal: controller.signal, onProgress });
  await expect(search).rejects.toMatchObject({ code: ERRORS.cancelled });
  expect(done.length).toBeGreaterThan(0);
});
