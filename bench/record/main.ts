// npm run bench:record: what it costs to be recorded with traces, on the eighteen programs of Savina on one worker and on two, what the traces take, and how
// long it takes to have a run again. A row is a program at a place; its lanes are processes of their own: not recorded, with traces, with traces and a
// snapshot every second run.

import { fileURLToPath } from 'node:url';
import { isSelected, runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import type { BenchOptions } from '../harness/options.ts';
import { atMost, type Bar, type Summary } from '../harness/report.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { geomean, geomeanInterval, median } from '../harness/statistics.ts';
import { PROGRAMS } from '../savina/catalog.ts';
import type { WorkerSetup } from '../savina/options.ts';
import { tracesTable } from './traces.ts';
import { LANES, type RecordLane } from './work.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const RECORDED = new URL('./recorded.ts', import.meta.url).href;
const WORKER_SETUPS: readonly WorkerSetup[] = ['one', 'two'];
/** Of the arithmetic mean of a place's programs, and of each. */
const MEAN_LIMITS: Readonly<Record<string, number>> = { one: 1.01, two: 1.05 };
const MAX_RATIO = 1.1;
/** Of the geometric mean with snapshots; the papers on SOMns have 1.55. */
const SNAPSHOTS_LIMIT = 1.22;

function variant(lane: RecordLane, name: string, size: string, workerSetup: WorkerSetup): Variant {
  const recorded = lane === 'none' ? [] : ['--import', RECORDED];
  const execArgv = ['-C', 'turntable-source', ...recorded, '--import', 'turntable/register'];
  return processVariant({ name: lane, file: PROGRAM, args: [name, size, lane, workerSetup], execArgv });
}

/** A small one, one that shares something, and one that has work to divide are a minute's work. */
const QUICK: readonly string[] = ['Counting', 'ConcurrentDictionary', 'LogisticMapSeries'];

function programsOf({ quick }: BenchOptions): readonly string[] {
  return quick ? QUICK : PROGRAMS;
}

function rowName(program: string, workerSetup: WorkerSetup): string {
  return `${program} on ${workerSetup}`;
}

function judge(rows: readonly RowResult[]): { summaries: Summary[]; bars: Bar[] } {
  const summaries: Summary[] = [];
  const bars: Bar[] = [];
  for (const workerSetup of WORKER_SETUPS) {
    const setupRows = rows.filter(({ name }) => name.endsWith(` on ${workerSetup}`));
    if (setupRows.length === 0) continue;
    const lanes = [...LANES.slice(1), 'control'];
    const ratios = Object.fromEntries(
      lanes.map((lane) => [lane, geomeanInterval(setupRows.map(({ paired }) => paired[lane] ?? []))]),
    );
    summaries.push({ name: `geometric mean on ${workerSetup}`, ratios });
    const traced = setupRows.map(({ paired }) => median((paired['traced'] ?? []).flat()));
    const mean = traced.reduce((sum, each) => sum + each, 0) / traced.length;
    bars.push(
      atMost(
        `traced on ${workerSetup}, mean of ${setupRows.length} programs`,
        mean,
        MEAN_LIMITS[workerSetup] as number,
      ),
      atMost(`traced on ${workerSetup}, the most`, Math.max(...traced), MAX_RATIO),
      atMost(
        `traced with snapshots on ${workerSetup}, geometric mean`,
        geomean(setupRows.map(({ paired }) => median((paired['snapshots'] ?? []).flat()))),
        SNAPSHOTS_LIMIT,
      ),
    );
  }
  return { summaries, bars };
}

const bench: Bench = {
  name: 'record',
  description: `The programs of Savina on one worker and on two: not recorded, recorded with traces, and with a snapshot every second run as well; what
traces take, and replays. --only traces has the table of that alone.`,
  // Which of two shapes a program's hot code gets differs from process to process, and makes it up to twice as fast: many short ones.
  effort: { full: { rounds: 6, samples: 4, warmup: 3 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  rows: (options) =>
    programsOf(options).flatMap((name) =>
      WORKER_SETUPS.map((workerSetup) => ({
        name: rowName(name, workerSetup),
        variants: LANES.map((lane) => variant(lane, name, options.quick ? 'quick' : 'paper', workerSetup)),
      })),
    ),
  judge,
  async *tables(options, progress) {
    const isAll = isSelected('traces', options);
    const runs = programsOf(options)
      .flatMap((program) =>
        WORKER_SETUPS.map((workerSetup) => ({ name: rowName(program, workerSetup), program, workerSetup })),
      )
      .filter(({ name }) => isAll || isSelected(name, options));
    if (runs.length === 0) return;
    const { quick } = options;
    yield await tracesTable({ runs, size: quick ? 'quick' : 'paper', times: quick ? 3 : 8, progress });
  },
};

await runBench(bench, process.argv.slice(2));
