// Memory cost of snapshots, with the measures of figures 9, 12 and 13 of the paper on SOMns: collected bytes, time
// spent collecting and largest heap of each Savina program; also peak memory of the process. Lanes take turns as
// processes.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Table } from '../harness/report.ts';
import { geomean, median } from '../harness/statistics.ts';
import type { MemoryUse } from './memory-program.ts';
import type { SnapshotLane } from './work.ts';

const PROGRAM = fileURLToPath(new URL('./memory-program.ts', import.meta.url));
const LANES: readonly SnapshotLane[] = ['none', 'recorded', 'snapshots'];

export interface MemoryOptions {
  readonly programs: readonly string[];
  readonly size: string;
  readonly rounds: number;
  /** Number of samples, each of two runs. */
  readonly times: number;
  execArgv(lane: SnapshotLane): readonly string[];
  progress(line: string): void;
}

type Measure = (of: MemoryUse) => number;
const COLLECTED: Measure = ({ collected }) => collected;
const COLLECTING: Measure = ({ collecting, wall }) => (100 * collecting) / wall;
const HEAP: Measure = ({ heap }) => heap;
const PROCESS: Measure = (of) => of.process;

async function measureMemory(lane: SnapshotLane, program: string, options: MemoryOptions): Promise<MemoryUse> {
  const args = [...options.execArgv(lane), PROGRAM, program, options.size, lane, String(options.times)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as MemoryUse;
}

type Row = Readonly<Record<SnapshotLane, readonly MemoryUse[]>>;

async function measureRow(program: string, options: MemoryOptions): Promise<Row> {
  const row: Record<SnapshotLane, MemoryUse[]> = { none: [], recorded: [], snapshots: [] };
  for (let round = 0; round < options.rounds; round++)
    for (let turn = 0; turn < LANES.length; turn++) {
      const lane = LANES[(turn + round) % LANES.length] as SnapshotLane;
      row[lane].push(await measureMemory(lane, program, options));
    }
  return row;
}

export async function memoryTable(options: MemoryOptions): Promise<Table> {
  const rows: [name: string, row: Row][] = [];
  for (const program of options.programs) {
    options.progress(`memory: ${program}`);
    rows.push([program, await measureRow(program, options)]);
  }
  const of = (row: Row, lane: SnapshotLane, measure: Measure): number => median(row[lane].map(measure));
  const ratio = (row: Row, measure: Measure): number => of(row, 'snapshots', measure) / of(row, 'none', measure);
  const cells = (measure: Measure, row: Row): string[] => LANES.map((lane) => of(row, lane, measure).toFixed(1));
  const measures = [COLLECTED, COLLECTING, HEAP, PROCESS];
  const means = measures.flatMap((measure) => {
    const ratios = rows.map(([, row]) => ratio(row, measure)).filter((each) => Number.isFinite(each) && each > 0);
    return ['', '', ratios.length === 0 ? '' : `×${geomean(ratios).toFixed(2)}`];
  });
  const heads = ['collected MiB', 'collecting %', 'heap max MiB', 'process max MiB'];
  return {
    title: `memory, by lane: ${LANES.join(', ')}; medians of ${options.rounds} processes`,
    header: ['', ...heads.flatMap((head) => [head, 'recorded', 'snapshots'])],
    rows: [
      ...rows.map(([name, row]) => [name, ...measures.flatMap((measure) => cells(measure, row))]),
      ...(rows.length === 0 ? [] : [['geometric mean, snapshots / none', ...means]]),
    ],
  };
}
