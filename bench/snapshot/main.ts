// npm run bench:snapshot: what it costs to be recorded with a snapshot every second run, on the eighteen programs of Savina. A row is a program on the
// main thread; its lanes are processes of their own: not recorded, recorded without a snapshot, and with snapshots.

import { fileURLToPath } from 'node:url';
import { runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { atMost, type Bar, type Summary } from '../harness/report.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { geomeanInterval } from '../harness/statistics.ts';
import { PROGRAMS } from '../savina/catalog.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const RECORDED = new URL('./recorded.ts', import.meta.url).href;
/** Of the geometric mean; the papers on SOMns have 1.49. */
const LIMIT = 1.2;
const LANES = ['recorded', 'snapshots', 'control'] as const;

function variant(lane: 'none' | 'recorded' | 'snapshots', name: string, size: string): Variant {
  const recorded = lane === 'none' ? [] : ['--import', RECORDED];
  return processVariant({
    name: lane,
    file: PROGRAM,
    args: [name, size, lane],
    execArgv: ['-C', 'turntable-source', ...recorded, '--import', 'turntable/register'],
  });
}

function judge(rows: readonly RowResult[]): { summaries: Summary[]; bars: Bar[] } {
  if (rows.length === 0) return { summaries: [], bars: [] };
  const ratios = Object.fromEntries(
    LANES.map((lane) => [lane, geomeanInterval(rows.map(({ paired }) => paired[lane] ?? []))]),
  );
  const { median } = ratios['snapshots'] as { median: number };
  return {
    summaries: [{ name: 'geometric mean', ratios }],
    bars: [atMost(`a snapshot every second run, geometric mean of ${rows.length} programs`, median, LIMIT)],
  };
}

const bench: Bench = {
  name: 'snapshot',
  about: 'The programs of Savina on the main thread: not recorded, recorded, and with a snapshot every second run.',
  effort: { full: { rounds: 2, samples: 8, warmup: 2 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  // Every third program is a minute's work.
  rows: ({ quick }) =>
    PROGRAMS.filter((_, i) => !quick || i % 3 === 0).map((name) => ({
      name,
      variants: (['none', 'recorded', 'snapshots'] as const).map((lane) =>
        variant(lane, name, quick ? 'quick' : 'paper'),
      ),
    })),
  judge,
};

await runBench(bench, process.argv.slice(2));
