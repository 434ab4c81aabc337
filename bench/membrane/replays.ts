// Trace bytes and replay time of each operation of the membrane, from processes that repeat it, minus an
// empty program.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Table } from '../harness/report.ts';
import { build, traceBytes, recordProgram, replayRecording } from '../harness/whole-run.ts';
import { TIMES } from './work.ts';

const REPEAT = fileURLToPath(new URL('./repeat.ts', import.meta.url));
interface ReplaysOptions {
  readonly works: readonly string[];
  readonly times: number;
  /** Number of replays; the fastest counts. */
  readonly runs: number;
  progress(line: string): void;
}

interface Run {
  readonly bytes: number;
  readonly replayed: number;
  readonly verdict: string;
}

async function measureWork(work: string, times: number, runs: number): Promise<Run> {
  const recordings = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  try {
    await recordProgram(recordings, [REPEAT, work, String(times)]);
    let fastest = Infinity;
    let verdict = '';
    for (let i = 0; i < runs; i++) {
      const replay = await replayRecording(recordings);
      fastest = Math.min(fastest, replay.elapsedMs);
      verdict = replay.verdict;
    }
    return { bytes: traceBytes(recordings), replayed: fastest, verdict };
  } finally {
    rmSync(recordings, { recursive: true, force: true });
  }
}

export async function replaysTable({ works, times, runs, progress }: ReplaysOptions): Promise<Table> {
  progress('building');
  await build();
  const idle = await measureWork('', 0, runs);
  const rows: string[][] = [];
  for (const work of works) {
    progress(`replays: ${work}`);
    const { bytes, replayed, verdict } = await measureWork(work, times, runs);
    const done = times * TIMES;
    const nanoseconds = ((replayed - idle.replayed) * 1e6) / done;
    rows.push([work, ((bytes - idle.bytes) / done).toFixed(2), nanoseconds.toFixed(0), verdict]);
  }
  return {
    title: `traces and replays of ${times * TIMES} operations`,
    header: ['', 'trace bytes', 'replay ns', ''],
    rows,
  };
}
