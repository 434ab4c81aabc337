// The process that waits a little behind where an engine stands: where it is, and when it is given up.
import { expect, test } from 'vitest';
import { SpareProcess, type WaitingProcess } from '../src/replay-process/spare-process.ts';
import type { Limit, ThreadStatus } from '../src/replay-process/protocol.ts';
import type { Position } from '../src/position.ts';

class Waiting implements WaitingProcess {
  readonly begin: number;
  at: Position;
  readonly goes: (readonly Limit[])[] = [];
  #arrives: (() => void)[] = [];
  readonly coordinator = {
    isLost: false,
    end: (): void => void (this.coordinator.isLost = true),
    run: (limits: readonly Limit[]): Promise<readonly ThreadStatus[]> => {
      this.goes.push(limits);
      return new Promise((resolve) => this.#arrives.push(() => resolve([])));
    },
  };

  constructor(order: number) {
    // With a snapshot at each hundredth stretch.
    this.begin = Math.max(1, Math.floor(order / 100) * 100);
    this.at = { order: this.begin, list: 0, statement: 0 };
  }

  /** Where it was last told to go. */
  async arrives(): Promise<void> {
    await settled();
    for (const arrive of this.#arrives.splice(0)) arrive();
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function spares(): { spare: SpareProcess<Waiting>; all: Waiting[] } {
  const all: Waiting[] = [];
  const start = (order: number): Waiting => {
    const one = new Waiting(order);
    all.push(one);
    return one;
  };
  const limits = (order: number, begin: number): readonly Limit[] => [{ worker: 0, life: 0, stretches: order - begin }];
  return { spare: new SpareProcess(start, limits), all };
}

test('it waits a little behind, and follows only when it is far behind', async () => {
  const { spare, all } = spares();
  spare.prepare(500);
  spare.prepare(510);
  await all[0]?.arrives();
  expect(all.map(({ at, goes }) => [at.order, goes])).toEqual([[468, [[{ worker: 0, life: 0, stretches: 68 }]]]]);
  spare.prepare(600);
  await all[0]?.arrives();
  expect(all.map(({ at, goes }) => [at.order, goes.length])).toEqual([[568, 2]]);
});

test('it says for how long it has been on its way, until it is there', async () => {
  const { spare, all } = spares();
  expect(spare.onTheWay).toBe(undefined);
  spare.prepare(500);
  expect(spare.onTheWay).toBeGreaterThanOrEqual(0);
  await all[0]?.arrives();
  expect(spare.onTheWay).toBe(undefined);
});

test('another one begins where it is ahead, or lost', () => {
  const { spare, all } = spares();
  spare.prepare(500);
  spare.prepare(400);
  expect(all.map(({ at, coordinator }) => [at.order, coordinator.isLost])).toEqual([
    [468, true],
    [368, false],
  ]);
  all[1]?.coordinator.end();
  expect(spare.process).toBeUndefined();
  spare.prepare(400);
  expect(spare.process).toBe(all[2]);
});

test('on its way it is given up for somebody else, and once it is there it stays', async () => {
  const { spare, all } = spares();
  spare.prepare(500);
  spare.giveUp();
  expect([all[0]?.coordinator.isLost, spare.process]).toEqual([true, undefined]);
  spare.prepare(500);
  await all[1]?.arrives();
  spare.giveUp();
  expect([all[1]?.coordinator.isLost, spare.process]).toEqual([false, all[1]]);
  spare.close();
  expect([all[1]?.coordinator.isLost, spare.process]).toEqual([true, undefined]);
});

test('whoever takes it has it when it is there', async () => {
  const { spare, all } = spares();
  spare.prepare(500);
  let isThere = false;
  const taken = spare.take().then(() => (isThere = true));
  expect(spare.process).toBeUndefined();
  await settled();
  expect(isThere).toBe(false);
  await all[0]?.arrives();
  await taken;
  spare.giveUp();
  expect(all[0]?.coordinator.isLost).toBe(false);
});
