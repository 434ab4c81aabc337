// Sizes of traces and durations of replays: each program is recorded in one process and replayed in another.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Table } from '../harness/report.ts';
import { geomean } from '../harness/statistics.ts';
import { build, traceBytes, recordProgram, replayRecording } from '../harness/whole-run.ts';
import type { WorkerSetup } from '../savina/options.ts';
import type { RepeatResult } from './repeat.ts';

const REPEAT = fileURLToPath(new URL('./repeat.ts', import.meta.url));

interface TracesOptions {
  readonly runs: readonly { readonly name: string; readonly program: string; readonly workerSetup: WorkerSetup }[];
  readonly size: string;
  readonly times: number;
  progress(line: string): void;
}

interface Measured {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
  /** Milliseconds of the whole process. */
  readonly recorded: number;
  readonly replayed: number;
  readonly milliseconds: number;
  readonly verdict: string;
}

async function measureTraces({ runs, size, times, progress }: TracesOptions): Promise<Measured[]> {
  const all: Measured[] = [];
  for (const { name, program, workerSetup } of runs) {
    progress(`traces: ${name}`);
    const recordings = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
    try {
      const args = [program, size, workerSetup, String(times)];
      const { stdout, elapsedMs: recorded } = await recordProgram(recordings, [REPEAT, ...args]);
      const { messages, milliseconds } = JSON.parse(stdout) as RepeatResult;
      const bytes = traceBytes(recordings);
      const { elapsedMs: replayed, verdict } = await replayRecording(recordings);
      all.push({ name, messages, bytes, recorded, replayed, milliseconds, verdict });
    } finally {
      rmSync(recordings, { recursive: true, force: true });
    }
  }
  return all;
}

export async function tracesTable(options: TracesOptions): Promise<Table> {
  options.progress('building');
  await build();
  const all = await measureTraces(options);
  const rows = all.map(({ name, messages, bytes, recorded, replayed, milliseconds, verdict }) => [
    name,
    String(messages),
    String(bytes),
    (bytes / messages).toFixed(3),
    (bytes / 1e3 / milliseconds).toFixed(2),
    recorded.toFixed(0),
    replayed.toFixed(0),
    (replayed / recorded).toFixed(2),
    verdict,
  ]);
  const ratios = all.map(({ recorded, replayed }) => replayed / recorded);
  return {
    title: `traces of ${options.times + 1} runs, and replays: durations of whole processes`,
    header: ['', 'messages', 'bytes', 'bytes/message', 'MB/s', 'recorded ms', 'replayed ms', 'ratio', ''],
    rows: [...rows, ['geometric mean', '', '', '', '', '', '', geomean(ratios).toFixed(2), '']],
  };
}
