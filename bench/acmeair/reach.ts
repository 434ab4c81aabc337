// Two recordings of the same length: how far back they reach, what they take on the disk, how long it takes to stand where their last snapshot was taken, and to
// reach moments before the end.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listRecordings, openRecording } from '@turntable/recording';
import { beginningOf } from '../../packages/replayer/src/replay/replayable.ts';
import type { Table } from '../harness/report.ts';
import { replayStretch } from '../harness/whole-run.ts';
import { Airline, WAYS, type Way } from './lanes.ts';
import { snapshotsIn, type TakenSnapshot } from './snapshots.ts';

export interface ReachOptions {
  readonly customers: number;
  readonly rate: number;
  /** That it is visited. */
  readonly seconds: number;
  /** Seconds before the end. */
  readonly moments: readonly number[];
  progress(line: string): void;
}

export async function reachTable(options: ReachOptions): Promise<Table> {
  const { moments, seconds, progress } = options;
  const rows: string[][] = [];
  for (const way of WAYS.filter(({ name }) => name === 'both' || name === 'jardis')) {
    progress(`how far back: ${way.name}`);
    rows.push([way.name, ...(await reach(way, options))]);
  }
  return {
    title: `recordings of ${seconds} s of visits: times of whole processes, from sources, which take a second to begin`,
    header: [
      '',
      'reaches back s',
      'on the disk MB',
      'last snapshot ms',
      ...moments.map((each) => `${each} s before the end ms`),
    ],
    rows,
  };
}

async function reach(way: Way, { customers, rate, seconds, moments }: ReachOptions): Promise<string[]> {
  const airline = await Airline.open(way, customers);
  const recordings = airline.recordings as string;
  try {
    const began = Date.now();
    await airline.paced(rate * seconds, rate, 1);
    const ended = Date.now();
    await airline.end();
    const snapshots = snapshotsIn(recordings);
    const last = snapshots.at(-1);
    const first = snapshots[0];
    const hasStart = listRecordings(recordings).every(
      ({ directory }) => beginningOf(openRecording(directory)) === undefined,
    );
    const since = first === undefined || hasStart ? began : first.time;
    const cells = [((ended - since) / 1000).toFixed(1), (bytesOf(recordings) / 1e6).toFixed(2)];
    cells.push(last === undefined ? 'none' : await timeTo(recordings, last, last.time + 1));
    for (const moment of moments) {
      const time = ended - moment * 1000;
      const from = snapshots.findLast((each) => each.time <= time);
      cells.push(from === undefined && time < since ? 'not there' : await timeTo(recordings, from, time));
    }
    return cells;
  } finally {
    airline.forget();
  }
}

async function timeTo(recordings: string, from: TakenSnapshot | undefined, time: number): Promise<string> {
  const beginning = from === undefined ? [] : ['--from', String(from.phase)];
  const until = ['--until', `time=${new Date(time).toISOString()}`];
  // One that diverges fails the bench.
  const { elapsed } = await replayStretch(recordings, [...beginning, ...until]);
  return elapsed.toFixed(0);
}

function bytesOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
