// Snapshots as clients get them: each is read once, and compared, sorted and paged here.
import { expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import { ERROR_CODES, type ParamsOf } from '@turntable/time-machine/protocol';
import { TimeMachineServer, type ClassSize, type SnapshotCatalog } from '@turntable/time-machine/server';
import { buildRunIndex } from './random-runs.ts';
import { SHOP_STEPS } from './shop-steps.ts';

const runIndex = buildRunIndex(SHOP_STEPS);

const classSize = (name: string, count: number, bytes: number, retained: number, module?: string): ClassSize => ({
  name,
  module,
  count,
  bytes,
  retained,
});
const CLASSES_BY_PHASE: ReadonlyMap<number, readonly ClassSize[]> = new Map([
  [
    1,
    [
      classSize('Cart', 2, 20, 200, 'src/shop.ts'),
      classSize('Item', 5, 50, 50, 'src/shop.ts'),
      classSize('Object', 9, 90, 90),
    ],
  ],
  [4, [classSize('Cart', 3, 30, 900, 'src/shop.ts'), classSize('Object', 9, 95, 80), classSize('Map', 1, 10, 10)]],
]);

class TestCatalog implements SnapshotCatalog {
  /** Phases of the snapshots that were read. */
  readonly requestedPhases: number[] = [];
  isClosed = false;
  all = () => [...CLASSES_BY_PHASE.keys()].map((phase) => ({ phase, time: phase * 1000, bytes: 400, workers: [0, 1] }));
  async classes(phase: number): Promise<readonly ClassSize[]> {
    this.requestedPhases.push(phase);
    if (this.requestedPhases.length === 1 && phase === 4) throw new Error('snapshot 4 cannot be read: it is damaged');
    return CLASSES_BY_PHASE.get(phase) ?? [];
  }
  close(): void {
    this.isClosed = true;
  }
}

/** A driver that fails every request. */
async function connect(
  snapshots?: SnapshotCatalog,
): Promise<{ readonly client: Client; readonly server: TimeMachineServer }> {
  const engine = { close: () => Promise.resolve() };
  const deps = {
    snapshots,
    findSource: () => undefined,
    current: engine,
    scout: engine,
  } as unknown as ConstructorParameters<typeof TimeMachineServer>[3];
  const server = new TimeMachineServer(runIndex, { name: 'shop', from: undefined, verdict: 'same' }, '1.2.3', deps);
  const client = new Client(server.openWire());
  await client.hello('test');
  return { client, server };
}

const classNames = async (client: Client, params: Partial<ParamsOf<'classes'>>): Promise<unknown[]> =>
  (await client.request('classes', { phase: 4, count: 10, ...params })).classes.map(({ name }) => name);

test('a snapshot has its first task, if that was replayed', async () => {
  const { client } = await connect(new TestCatalog());
  const { snapshots } = await client.request('snapshots', {});
  expect(snapshots.map(({ phase, time, bytes, workers }) => [phase, time, bytes, workers])).toEqual([
    [1, 1000, 400, [0, 1]],
    [4, 4000, 400, [0, 1]],
  ]);
  const { cursor: where } = await client.request('find', { move: 'snapshot' });
  expect(snapshots.map(({ firstTask }) => firstTask)).toEqual([where.order, undefined]);
});

test('classes are sorted by the requested key, and compared with another snapshot', async () => {
  const catalog = new TestCatalog();
  const { client } = await connect(catalog);
  await client.request('classes', { phase: 1, count: 1 });
  expect(await classNames(client, {})).toEqual(['Cart', 'Object', 'Map']);
  expect(await classNames(client, { sort: 'count' })).toEqual(['Object', 'Cart', 'Map']);
  expect(await classNames(client, { matching: '*shop.ts' })).toEqual(['Cart']);
  expect(await classNames(client, { baselinePhase: 1, sort: 'grown' })).toEqual(['Cart', 'Map', 'Object', 'Item']);
  const page = await client.request('classes', { phase: 4, baselinePhase: 1, sort: 'grown', from: 2, count: 2 });
  expect(page).toEqual({
    classes: [
      {
        name: 'Object',
        current: { count: 9, bytes: 95, retained: 80 },
        baseline: { count: 9, bytes: 90, retained: 90 },
      },
      { name: 'Item', module: 'src/shop.ts', baseline: { count: 5, bytes: 50, retained: 50 } },
    ],
    total: 4,
    current: { count: 13, bytes: 135 },
    baseline: { count: 16, bytes: 160 },
  });
  // Each snapshot was read once.
  expect(catalog.requestedPhases).toEqual([1, 4]);
});

test('a failed read is reported, and repeated for the next request', async () => {
  const catalog = new TestCatalog();
  const { client, server } = await connect(catalog);
  const params = { phase: 4, count: 10 };
  await expect(client.request('classes', params)).rejects.toThrow('snapshot 4 cannot be read: it is damaged');
  expect(await classNames(client, {})).toEqual(['Cart', 'Object', 'Map']);
  await expect(client.request('classes', { phase: 2, count: 1 })).rejects.toMatchObject({
    code: ERROR_CODES.params,
    message: 'there is no snapshot 2; available: 1, 4',
  });
  await expect(client.request('classes', { phase: 1, baselinePhase: 3, count: 1 })).rejects.toThrow('no snapshot 3');
  await server.close();
  expect(catalog.isClosed).toBe(true);
  const { client: clientWithoutSnapshots } = await connect();
  expect(await clientWithoutSnapshots.request('snapshots', {})).toEqual({ snapshots: [] });
  await expect(clientWithoutSnapshots.request('classes', { phase: 1, count: 1 })).rejects.toThrow(
    'there is no snapshot 1',
  );
});

test('a cancelled request is answered while the snapshot is being read', async () => {
  const { promise } = Promise.withResolvers<readonly ClassSize[]>();
  const slow = Object.assign(new TestCatalog(), { classes: () => promise });
  const { client } = await connect(slow);
  const controller = new AbortController();
  const classes = client.request('classes', { phase: 1, count: 1 }, { signal: controller.signal });
  controller.abort();
  await expect(classes).rejects.toMatchObject({ code: ERROR_CODES.cancelled });
});
