// The process that follows the cursor: its position, and when it ends.
import { expect, test } from 'vitest';
import { TrailingProcess, type SeekableProcess } from '../src/replay-process/trailing-process.ts';
import type { RunLimit, ThreadStatus } from '../src/replay-process/protocol.ts';
import type { Position } from '../src/position.ts';

class TestProcess implements SeekableProcess {
  readonly startOrder: number;
  position: Position;
  readonly runs: (readonly RunLimit[])[] = [];
  #pendingRuns: (() => void)[] = [];
  readonly coordinator = {
    isLost: false,
    end: (): void => void (this.coordinator.isLost = true),
    run: (limits: readonly RunLimit[]): Promise<readonly ThreadStatus[]> => {
      this.runs.push(limits);
      return new Promise((resolve) => this.#pendingRuns.push(() => resolve([])));
    },
  };

  constructor(order: number) {
    // With a snapshot at every hundredth task.
    this.startOrder = Math.max(1, Math.floor(order / 100) * 100);
    this.position = { order: this.startOrder, list: 0, statement: 0 };
  }

  /** The last target of a run. */
  async arrive(): Promise<void> {
    await settle();
    for (const arrive of this.#pendingRuns.splice(0)) arrive();
    await settle();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function createFixture(): { trailing: TrailingProcess<TestProcess>; all: TestProcess[] } {
  const all: TestProcess[] = [];
  const start = (order: number): TestProcess => {
    const process = new TestProcess(order);
    all.push(process);
    return process;
  };
  const limits = (order: number, begin: number): readonly RunLimit[] => [{ worker: 0, epoch: 0, tasks: order - begin }];
  return { trailing: new TrailingProcess(start, limits), all };
}

test('the process stays a little behind, and follows only a long move', async () => {
  const { trailing, all } = createFixture();
  trailing.prepare(500);
  trailing.prepare(510);
  await all[0]?.arrive();
  expect(all.map(({ position: at, runs }) => [at.order, runs])).toEqual([
    [468, [[{ worker: 0, epoch: 0, tasks: 68 }]]],
  ]);
  trailing.prepare(600);
  await all[0]?.arrive();
  expect(all.map(({ position: at, runs }) => [at.order, runs.length])).toEqual([[568, 2]]);
});

test('the duration of a seek is known until the process has reached its position', async () => {
  const { trailing, all } = createFixture();
  expect(trailing.seekingForMs).toBe(undefined);
  trailing.prepare(500);
  expect(trailing.seekingForMs).toBeGreaterThanOrEqual(0);
  await all[0]?.arrive();
  expect(trailing.seekingForMs).toBe(undefined);
});

test('another process starts if this one is ahead or lost', () => {
  const { trailing, all } = createFixture();
  trailing.prepare(500);
  trailing.prepare(400);
  expect(all.map(({ position: at, coordinator }) => [at.order, coordinator.isLost])).toEqual([
    [468, true],
    [368, false],
  ]);
  all[1]?.coordinator.end();
  expect(trailing.process).toBeUndefined();
  trailing.prepare(400);
  expect(trailing.process).toBe(all[2]);
});

test('a seek can be abandoned, and a process at its position stays', async () => {
  const { trailing, all } = createFixture();
  trailing.prepare(500);
  trailing.abandonSeek();
  expect([all[0]?.coordinator.isLost, trailing.process]).toEqual([true, undefined]);
  trailing.prepare(500);
  await all[1]?.arrive();
  trailing.abandonSeek();
  expect([all[1]?.coordinator.isLost, trailing.process]).toEqual([false, all[1]]);
  trailing.close();
  expect([all[1]?.coordinator.isLost, trailing.process]).toEqual([true, undefined]);
});

test('`take` settles when the process has reached its position', async () => {
  const { trailing, all } = createFixture();
  trailing.prepare(500);
  let hasArrived = false;
  const taken = trailing.take().then(() => (hasArrived = true));
  expect(trailing.process).toBeUndefined();
  await settle();
  expect(hasArrived).toBe(false);
  await all[0]?.arrive();
  await taken;
  trailing.abandonSeek();
  expect(all[0]?.coordinator.isLost).toBe(false);
});
