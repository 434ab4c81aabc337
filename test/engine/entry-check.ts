// Enters a recording in many places, forwards and backwards, and asks what a debugger asks there. Every request must be
// answered.
import { openRecording } from '@turntable/recording';
import type { ReplayDriver } from '@turntable/time-machine';
import { recordingIn } from '../replay/record-and-replay.ts';
import { openReplayDriver } from './replay-drivers.ts';

/** Milliseconds until a request counts as hung. */
const TIMEOUT_MS = 60_000;

/** @param places number of places on the way forwards @returns the problems */
export async function entryProblems(recordings: string, places: number): Promise<string[]> {
  const directory = recordingIn(recordings);
  const options = { recording: openRecording(directory), directory, from: undefined };
  const { driver, runIndex } = await openReplayDriver(options);
  const problems: string[] = [];
  const check = async (what: string, answered: Promise<unknown>): Promise<void> => {
    try {
      await inTime(answered);
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
    }
  };
  try {
    const step = Math.max(1, Math.floor(runIndex.count / places));
    for (let order = 1; order < runIndex.count && problems.length === 0; order += step)
      await checkPlace(driver, order, check);
    await checkPlace(driver, runIndex.count, check);
    for (let order = runIndex.count; order >= 1 && problems.length === 0; order -= 3 * step)
      await checkTraced(driver, Math.max(1, order - 2 * step), order, check);
  } finally {
    await driver.close();
  }
  return problems;
}

type Check = (what: string, answered: Promise<unknown>) => Promise<void>;

async function checkPlace(driver: ReplayDriver, order: number, check: Check): Promise<void> {
  await check(`task ${order}`, driver.seek({ order, list: 0, statement: 0 }));
  await check(`actors at task ${order}`, driver.actors());
  await check(`a statement of task ${order}`, driver.seek({ order, list: 1, statement: 1 }));
  await check(`promises in task ${order}`, driver.promises({ from: 0, count: 10 }));
}

async function checkTraced(driver: ReplayDriver, from: number, to: number, check: Check): Promise<void> {
  await check(`traces of tasks ${from} to ${to}`, driver.traceTasks(from, to));
  await check(`digests after task ${to}`, driver.digests());
  const order = Math.max(1, to - 3);
  await check(`back to task ${order}`, driver.seek({ order, list: 0, statement: 0 }));
  await check(`actors back at task ${order}`, driver.actors());
}

async function inTime(answered: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  await Promise.race([answered, timeout]).finally(() => clearTimeout(timer));
}
