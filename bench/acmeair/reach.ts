// Two recordings of the same length: how far back they reach, their size on disk, and how long it takes to restore the
// last snapshot and moments before the end.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listRecordings, openRecording } from '@turntable/recording';
import { defaultStartPhase } from '../../packages/replayer/src/replay/replay-obstacles.ts';
import type { Table } from '../harness/report.ts';
import { replayRange } from '../harness/whole-run.ts';
import { AirlineProcess, SETUPS, type AirlineSetup } from './lanes.ts';
import { snapshotsIn, type SnapshotSample } from './snapshots.ts';

export interface ReachOptions {
  readonly customers: number;
  readonly rate: number;
  /** Seconds of load. */
  readonly seconds: number;
  /** Moments to restore, in seconds before the end. */
  readonly secondsBeforeEnd: readonly number[];
  progress(line: string): void;
}

export async function reachTable(options: ReachOptions): Promise<Table> {
  const { secondsBeforeEnd, seconds, progress } = options;
  const rows: string[][] = [];
  for (const setup of SETUPS.filter(({ name }) => name === 'both' || name === 'jardis')) {
    progress(`reach: ${setup.name}`);
    rows.push([setup.name, ...(await measureReach(setup, options))]);
  }
  return {
    title: `recordings of ${seconds} s of load: times of whole processes from sources, which take a second to start`,
    header: [
      '',
      'reach s',
      'disk MB',
      'last snapshot ms',
      ...secondsBeforeEnd.map((each) => `${each} s before the end ms`),
    ],
    rows,
  };
}

async function measureReach(
  setup: AirlineSetup,
  { customers, rate, seconds, secondsBeforeEnd }: ReachOptions,
): Promise<string[]> {
  const airline = await AirlineProcess.open(setup, customers);
  const recordings = airline.recordings as string;
  try {
    const startedAt = Date.now();
    await airline.pacedLoad(rate * seconds, rate, 1);
    const endedAt = Date.now();
    await airline.end();
    const snapshots = snapshotsIn(recordings);
    const last = snapshots.at(-1);
    const first = snapshots[0];
    const hasStart = listRecordings(recordings).every(
      ({ directory }) => defaultStartPhase(openRecording(directory)) === undefined,
    );
    const since = first === undefined || hasStart ? startedAt : first.time;
    const cells = [((endedAt - since) / 1000).toFixed(1), (bytesOf(recordings) / 1e6).toFixed(2)];
    cells.push(last === undefined ? 'none' : await replayTime(recordings, last, last.time + 1));
    for (const secondsBack of secondsBeforeEnd) {
      const time = endedAt - secondsBack * 1000;
      const from = snapshots.findLast((each) => each.time <= time);
      cells.push(from === undefined && time < since ? 'none' : await replayTime(recordings, from, time));
    }
    return cells;
  } finally {
    airline.removeRecordings();
  }
}

async function replayTime(recordings: string, from: SnapshotSample | undefined, time: number): Promise<string> {
  const startArgs = from === undefined ? [] : ['--from', String(from.phase)];
  const untilArgs = ['--until', `time=${new Date(time).toISOString()}`];
  // A replay that diverges fails the bench.
  const { elapsedMs } = await replayRange(recordings, [...startArgs, ...untilArgs]);
  return elapsedMs.toFixed(0);
}

function bytesOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
