// Choice of the process that goes back, with processes that reach any position.
import { Duplex } from 'node:stream';
import { ReplayDriver, type ReplayProcess } from '@turntable/time-machine';
import { MAX_UNDONE_TASKS } from '@turntable/time-machine/replay-process';
import { expect, onTestFinished, test } from 'vitest';
import { buildRunIndex, type RandomStep } from './random-runs.ts';

interface RunMessage {
  readonly id: number;
  readonly run: {
    readonly limits: readonly { readonly worker: number; readonly epoch: number; readonly tasks: number }[];
  };
}

/** For each process, the targets of its runs. */
function driverFixture(tasks: number): { readonly driver: ReplayDriver; readonly targets: number[][] } {
  const targets: number[][] = [];
  const start = (): ReplayProcess => {
    const targetsOfProcess: number[] = [];
    targets.push(targetsOfProcess);
    const channel: Duplex = new Duplex({
      read() {},
      write(chunk, _, done) {
        const { id, run } = JSON.parse(String(chunk)) as RunMessage;
        targetsOfProcess.push((run.limits[0]?.tasks ?? 0) + 1);
        const threads = run.limits.map(({ tasks: startedTasks, ...name }) => ({
          ...name,
          startedTasks,
          state: 'at-task',
        }));
        channel.push(`${JSON.stringify({ id, threads, memory: 1 })}\n`);
        done();
      },
    });
    return { channel, startMode: 'cold', kill() {}, exited: new Promise(() => {}) };
  };
  const all = Array.from({ length: tasks }, (): RandomStep => ({ action: 'run', thread: 0, sends: 0 }));
  const driver = new ReplayDriver({ runIndex: buildRunIndex(all), phases: [], start, memoryBudget: 2 ** 30 });
  onTestFinished(() => driver.close());
  return { driver, targets };
}

const startOf = (order: number) => ({ order, list: 0, statement: 0 });

test('a process undoes only as many tasks as its undo logs may have', async () => {
  const { driver, targets } = driverFixture(2000);
  await driver.seek(startOf(1000));
  await driver.seek(startOf(1000 - MAX_UNDONE_TASKS));
  expect(targets).toEqual([[1000, 1000 - MAX_UNDONE_TASKS]]);
  await driver.seek(startOf(1001));
  await driver.seek(startOf(1001 - MAX_UNDONE_TASKS - 1));
  expect(targets).toEqual([[1000, 1000 - MAX_UNDONE_TASKS, 1001], [1000 - MAX_UNDONE_TASKS]]);
});
