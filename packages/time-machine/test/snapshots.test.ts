// Snapshots of a recording, as clients are told of them: what each holds is found out once, and compared, sorted and cut into pages here.
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import { ERRORS, type ParamsOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer, type ClassSize, type Snapshots } from '@turntable/time-machine/server';
import { surveyOf } from './random-runs.ts';
import { SHOP } from './shop.ts';

const survey = surveyOf(SHOP);

const size = (name: string, count: number, bytes: number, retained: number, module?: string): ClassSize => ({
  name,
  module,
  count,
  bytes,
  retained,
});
const HELD: ReadonlyMap<number, readonly ClassSize[]> = new Map([
  [1, [size('Cart', 2, 20, 200, 'src/shop.ts'), size('Item', 5, 50, 50, 'src/shop.ts'), size('Object', 9, 90, 90)]],
  [4, [size('Cart', 3, 30, 900, 'src/shop.ts'), size('Object', 9, 95, 80), size('Map', 1, 10, 10)]],
]);

class Held implements Snapshots {
  /** Of which somebody has asked what they hold. */
  readonly asked: number[] = [];
  isClosed = false;
  all = () => [...HELD.keys()].map((phase) => ({ phase, time: phase * 1000, bytes: 400, workers: [0, 1] }));
  async classes(phase: number): Promise<readonly ClassSize[]> {
    this.asked.push(phase);
    if (this.asked.length === 1 && phase === 4) throw new Error('snapshot 4 cannot be looked into: it is damaged');
    return HELD.get(phase) ?? [];
  }
  close(): void {
    this.isClosed = true;
  }
}

/** One that is asked for nothing that needs a process. */
async function asked(snapshots?: Snapshots): Promise<{ readonly client: Client; readonly server: TimeMachineServer }> {
  const engine = { close: () => Promise.resolve() };
  const inside = {
    snapshots,
    sourceOf: () => undefined,
    standing: engine,
    scout: engine,
  } as unknown as ConstructorParameters<typeof TimeMachineServer>[3];
  const server = new TimeMachineServer(survey, { name: 'shop', from: undefined, verdict: 'same' }, '1.2.3', inside);
  const client = new Client(server.wire());
  await client.hello('test');
  return { client, server };
}

const named = async (client: Client, wish: Partial<ParamsOf<'classes'>>): Promise<unknown[]> =>
  (await client.request('classes', { phase: 4, count: 10, ...wish })).classes.map(({ name }) => name);

test('snapshots are told with the turn behind them, where that has run again', async () => {
  const { client } = await asked(new Held());
  const { snapshots } = await client.request('snapshots', {});
  expect(snapshots.map(({ phase, time, bytes, workers }) => [phase, time, bytes, workers])).toEqual([
    [1, 1000, 400, [0, 1]],
    [4, 4000, 400, [0, 1]],
  ]);
  const { where } = await client.request('find', { move: 'snapshot' });
  expect(snapshots.map(({ order }) => order)).toEqual([where.order, undefined]);
});

test('classes are sorted by what is wished for, and compared with those of another snapshot', async () => {
  const held = new Held();
  const { client } = await asked(held);
  await client.request('classes', { phase: 1, count: 1 });
  expect(await named(client, {})).toEqual(['Cart', 'Object', 'Map']);
  expect(await named(client, { sort: 'count' })).toEqual(['Object', 'Cart', 'Map']);
  expect(await named(client, { matching: '*shop.ts' })).toEqual(['Cart']);
  expect(await named(client, { against: 1, sort: 'grown' })).toEqual(['Cart', 'Map', 'Object', 'Item']);
  const page = await client.request('classes', { phase: 4, against: 1, sort: 'grown', from: 2, count: 2 });
  expect(page).toEqual({
    classes: [
      {
        name: 'Object',
        now: { count: 9, bytes: 95, retained: 80 },
        before: { count: 9, bytes: 90, retained: 90 },
      },
      { name: 'Item', module: 'src/shop.ts', before: { count: 5, bytes: 50, retained: 50 } },
    ],
    total: 4,
    now: { count: 13, bytes: 135 },
    before: { count: 16, bytes: 160 },
  });
  // Each was looked into once.
  expect(held.asked).toEqual([1, 4]);
});

test('what cannot be looked into says why, and is tried again', async () => {
  const held = new Held();
  const { client, server } = await asked(held);
  const wish = { phase: 4, count: 10 };
  await expect(client.request('classes', wish)).rejects.toThrow('snapshot 4 cannot be looked into: it is damaged');
  expect(await named(client, {})).toEqual(['Cart', 'Object', 'Map']);
  await expect(client.request('classes', { phase: 2, count: 1 })).rejects.toMatchObject({
    code: ERRORS.params,
    message: 'there is no snapshot 2; there are 1, 4',
  });
  await expect(client.request('classes', { phase: 1, against: 3, count: 1 })).rejects.toThrow('no snapshot 3');
  await server.close();
  expect(held.isClosed).toBe(true);
  const { client: without } = await asked();
  expect(await without.request('snapshots', {})).toEqual({ snapshots: [] });
  await expect(without.request('classes', { phase: 1, count: 1 })).rejects.toThrow('there is no snapshot 1');
});

test('who does not want to wait for what a snapshot holds is answered at once', async () => {
  const { promise } = Promise.withResolvers<readonly ClassSize[]>();
  const slow = Object.assign(new Held(), { classes: () => promise });
  const { client } = await asked(slow);
  const controller = new AbortController();
  const classes = client.request('classes', { phase: 1, count: 1 }, { signal: controller.signal });
  controller.abort();
  await expect(classes).rejects.toMatchObject({ code: ERRORS.cancelled });
});
