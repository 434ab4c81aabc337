// Columns of the overview: they agree with the tasks as objects.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { randomSteps, buildRunIndex, type RandomStep } from './random-runs.ts';

async function clientOf(all: readonly RandomStep[]): Promise<Client> {
  const about = { name: 'x', from: undefined, verdict: 'same' };
  return new Client(new TimeMachineServer(buildRunIndex(all), about, '1.2.3').openWire());
}

interface Row {
  readonly order: number;
  readonly time: number;
  readonly actor: string;
  readonly kind: string;
  readonly sender: number | undefined;
  readonly statementLists: number;
  readonly events: readonly string[];
}

type Hello = ResultOf<'hello'>;
type Actors = ResultOf<'actors'>['actors'];

function decodeRows(
  piece: ResultOf<'overview'>,
  from: number,
  { taskKinds, eventKinds }: Hello,
  actors: Actors,
): Row[] {
  const { count, eventCount } = piece;
  const [times, senders, statementLists] = [piece.times, piece.senders, piece.statementLists].map((each) =>
    decodeColumn(each, count),
  );
  const actorNumbers = decodeColumn(piece.actors, count);
  const eventTasks = decodeColumn(piece.eventTasks, eventCount).map((distance) => from + distance);
  const eventIds = decodeColumn(piece.eventKinds, eventCount).map((kind) => eventKinds[kind]?.id ?? '');
  return decodeColumn(piece.kinds, count).map((kind, i) => {
    const order = from + i;
    const { worker, name } = actors[actorNumbers[i]!]!;
    const distance = senders![i]!;
    return {
      order,
      time: times![i]! / 1000,
      actor: `${worker} ${name}`,
      kind: taskKinds[kind]?.id ?? '',
      sender: distance === 0 ? undefined : order - distance,
      statementLists: statementLists![i]!,
      events: eventIds.filter((_, each) => eventTasks[each] === order),
    };
  });
}

function decodeColumn(base64: string, count: number): number[] {
  const bytes = Buffer.from(base64, 'base64');
  const bytesPerNumber = count === 0 ? 0 : bytes.length / count;
  return Array.from({ length: count }, (_, i) =>
    bytesPerNumber === 8
      ? bytes.readDoubleLE(i * bytesPerNumber)
      : bytes.readUIntLE(i * bytesPerNumber, bytesPerNumber),
  );
}

test('columns agree with the objects of all tasks', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps, fc.integer({ min: 1, max: 50 }), async (all, count) => {
      const client = await clientOf(all);
      const hello = await client.hello('test');
      const { actors } = await client.request('actors', { count: 1000 });
      const allRows: Row[] = [];
      for (let from: number | undefined = 1; from !== undefined;) {
        const piece: ResultOf<'overview'> = await client.request('overview', { from, count });
        const rows = decodeRows(piece, from, hello, actors);
        expect(rows.length).toBe(piece.count);
        allRows.push(...rows);
        from = piece.next;
      }
      const { tasks } = await client.request('tasks', { from: 1, count: 1000 });
      expect(allRows).toEqual(
        tasks.map(({ order, time, worker, actor, kind, sender, statementLists, events }) => ({
          order,
          time: Math.round((time - hello.startTime) * 1000) / 1000,
          actor: `${worker} ${actor}`,
          kind,
          sender,
          statementLists,
          events: events.map((event) => event.kind),
        })),
      );
    }),
    { numRuns: 30 },
  );
});

test('a column of small numbers takes a byte for each', async () => {
  const client = await clientOf(Array.from({ length: 300 }, () => ({ action: 'run', thread: 0, sends: 0 })));
  await client.hello('test');
  const { count, actors, kinds, senders } = await client.request('overview', { from: 1, count: 1000 });
  for (const each of [actors, kinds, senders]) expect(Buffer.from(each, 'base64').length).toBe(count);
});

test('there is nothing after the last task, and no more than the requested count', async () => {
  const client = await clientOf([{ action: 'run', thread: 0, sends: 0 }]);
  await client.hello('test');
  expect(await client.request('overview', { from: 2, count: 9 })).toMatchObject({
    count: 0,
    times: '',
    eventKinds: '',
  });
  await expect(client.request('overview', { from: 1, count: 65_537 })).rejects.toThrow(
    'params.count must be an integer from 1 to 65536, not 65537',
  );
});
