// All stretches as columns: they say what the stretches say that are told of one by one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { steps, surveyOf, type Step } from './random-runs.ts';

async function clientOf(all: readonly Step[]): Promise<Client> {
  const about = { name: 'x', from: undefined, verdict: 'same' };
  return new Client(new TimeMachineServer(surveyOf(all), about, '1.2.3').wire());
}

interface Row {
  readonly order: number;
  readonly time: number;
  readonly actor: string;
  readonly kind: string;
  readonly sender: number | undefined;
  readonly lists: number;
  readonly marks: readonly string[];
}

type Hello = ResultOf<'hello'>;
type Actors = ResultOf<'actors'>['actors'];

function rowsOf(piece: ResultOf<'overview'>, from: number, { kinds, marks }: Hello, actors: Actors): Row[] {
  const { count, standing } = piece;
  const [times, senders, lists] = [piece.times, piece.senders, piece.lists].map((each) => numbers(each, count));
  const owners = numbers(piece.actors, count);
  const marked = numbers(piece.marked, standing).map((place) => from + place);
  const what = numbers(piece.marks, standing).map((mark) => marks[mark]?.id ?? '');
  return numbers(piece.kinds, count).map((kind, i) => {
    const order = from + i;
    const { worker, name } = actors[owners[i]!]!;
    const before = senders![i]!;
    return {
      order,
      time: times![i]! / 1000,
      actor: `${worker} ${name}`,
      kind: kinds[kind]?.id ?? '',
      sender: before === 0 ? undefined : order - before,
      lists: lists![i]!,
      marks: what.filter((_, each) => marked[each] === order),
    };
  });
}

function numbers(base64: string, count: number): number[] {
  const bytes = Buffer.from(base64, 'base64');
  const wide = count === 0 ? 0 : bytes.length / count;
  return Array.from({ length: count }, (_, i) =>
    wide === 8 ? bytes.readDoubleLE(i * wide) : bytes.readUIntLE(i * wide, wide),
  );
}

test('columns say of every stretch what is told of it', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 50 }), async (all, count) => {
      const client = await clientOf(all);
      const hello = await client.hello('test');
      const { actors } = await client.request('actors', { count: 1000 });
      const told: Row[] = [];
      for (let from: number | undefined = 1; from !== undefined;) {
        const piece: ResultOf<'overview'> = await client.request('overview', { from, count });
        const rows = rowsOf(piece, from, hello, actors);
        expect(rows.length).toBe(piece.count);
        told.push(...rows);
        from = piece.next;
      }
      const { stretches } = await client.request('stretches', { from: 1, count: 1000 });
      expect(told).toEqual(
        stretches.map(({ order, time, worker, actor, kind, sender, lists, marks }) => ({
          order,
          time: Math.round((time - hello.begins) * 1000) / 1000,
          actor: `${worker} ${actor}`,
          kind,
          sender,
          lists,
          marks: marks.map((mark) => mark.kind),
        })),
      );
    }),
    { numRuns: 30 },
  );
});

test('a column takes a byte for each number where these are small', async () => {
  const client = await clientOf(Array.from({ length: 300 }, () => ({ what: 'run', thread: 0, sends: 0 })));
  await client.hello('test');
  const { count, actors, kinds, senders } = await client.request('overview', { from: 1, count: 1000 });
  for (const each of [actors, kinds, senders]) expect(Buffer.from(each, 'base64').length).toBe(count);
});

test('of what is behind the last stretch nothing is told, and no more at once than is said', async () => {
  const client = await clientOf([{ what: 'run', thread: 0, sends: 0 }]);
  await client.hello('test');
  expect(await client.request('overview', { from: 2, count: 9 })).toMatchObject({ count: 0, times: '', marks: '' });
  await expect(client.request('overview', { from: 1, count: 65_537 })).rejects.toThrow(
    'params.count takes an integer from 1 to 65536, not 65537',
  );
});
