// npm run bench:snapshot: the cost of being recorded with a snapshot every second run, on the eighteen Savina programs:
// time, memory and garbage collection. A row is a program on the main thread; its lanes are processes: not recorded,
// recorded without a snapshot, and with snapshots. The last row is restoring; a table shows restores in place.

import { fileURLToPath } from 'node:url';
import { isSelected, runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { atMost, type Bar, type Summary } from '../harness/report.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { geomeanInterval } from '../harness/statistics.ts';
import type { BenchOptions } from '../harness/options.ts';
import { PROGRAMS } from '../savina/catalog.ts';
import { inPlaceTable } from './in-place.ts';
import { memoryTable } from './memory.ts';
import { isRestoreRow, judgeRestore, restoreRow } from './restore.ts';
import type { SnapshotLane } from './work.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const RECORDED = new URL('./recorded.ts', import.meta.url).href;
/** Limit of the geometric mean; the papers on SOMns report 1.49. */
const LIMIT = 1.2;
const LANES = ['recorded', 'snapshots', 'control'] as const;

/** Size of the restored graph: 305,000 objects, fewer in quick runs. */
const MEGABYTES = 30;
const QUICK_MEGABYTES = 5;

function flagsOf(lane: SnapshotLane): string[] {
  const recorded = lane === 'none' ? [] : ['--import', RECORDED];
  return ['-C', 'turntable-source', ...recorded, '--import', 'turntable/register'];
}

function variant(lane: SnapshotLane, name: string, size: string): Variant {
  return processVariant({ name: lane, file: PROGRAM, args: [name, size, lane], execArgv: flagsOf(lane) });
}

/** Quick runs measure every third program, which takes a minute. */
function programsOf({ quick }: BenchOptions): string[] {
  return PROGRAMS.filter((_, i) => !quick || i % 3 === 0);
}

function judge(rows: readonly RowResult[]): { summaries: Summary[]; bars: Bar[] } {
  const programs = rows.filter((row) => !isRestoreRow(row));
  if (programs.length === 0) return { summaries: [], bars: judgeRestore(rows) };
  const ratios = Object.fromEntries(
    LANES.map((lane) => [lane, geomeanInterval(programs.map(({ paired }) => paired[lane] ?? []))]),
  );
  const { median } = ratios['snapshots'] as { median: number };
  return {
    summaries: [{ name: 'geometric mean', ratios }],
    bars: [
      atMost(`a snapshot every second run, geometric mean of ${programs.length} programs`, median, LIMIT),
      ...judgeRestore(rows),
    ],
  };
}

const bench: Bench = {
  name: 'snapshot',
  description: `Savina programs on the main thread: not recorded, recorded, and with a snapshot
  before every second run; their memory (--only memory); restoring ${MEGABYTES} MB; and restores in
  place (--only restore), which run the packages that npx tsc --build has built`,
  effort: { full: { rounds: 2, samples: 8, warmup: 2 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  rows: (options) => [
    ...programsOf(options).map((name) => ({
      name,
      variants: (['none', 'recorded', 'snapshots'] as const).map((lane) =>
        variant(lane, name, options.quick ? 'quick' : 'paper'),
      ),
    })),
    restoreRow(options.quick ? QUICK_MEGABYTES : MEGABYTES),
  ],
  judge,
  async *tables(options, progress) {
    const isAll = isSelected('memory', options);
    const programs = programsOf(options).filter((name) => isAll || isSelected(name, options));
    const { quick, rounds, samples: times } = options;
    if (programs.length > 0)
      yield await memoryTable({
        programs,
        size: quick ? 'quick' : 'paper',
        rounds,
        times,
        execArgv: flagsOf,
        progress,
      });
    if (isSelected('restore', options))
      yield await inPlaceTable({ sizes: quick ? [0.01, 5] : [0.01, 5, 50], epochs: quick ? 3 : 9, progress });
  },
};

await runBench(bench, process.argv.slice(2));
