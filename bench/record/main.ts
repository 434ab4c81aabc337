// npm run bench:record: the cost of being recorded with traces, on the eighteen Savina programs on one worker and on
// two, the size of the traces, and the duration of replays. A row is a program on a number of workers; its lanes are
// processes: not recorded, with traces, and with traces and a snapshot every second run.

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
/** Limit of the arithmetic mean of all programs, by number of workers; `MAX_RATIO` is the limit of each program. */
const MEAN_LIMITS: Readonly<Record<string, number>> = { one: 1.01, two: 1.05 };
const MAX_RATIO = 1.1;
/** Limit of the geometric mean with snapshots; the papers on SOMns report 1.55. */
const SNAPSHOTS_LIMIT = 1.22;

function variant(lane: RecordLane, name: string, size: string, workerSetup: WorkerSetup): Variant {
  const recorded = lane === 'none' ? [] : ['--import', RECORDED];
  const execArgv = ['-C', 'turntable-source', ...recorded, '--import', 'turntable/register'];
  return processVariant({ name: lane, file: PROGRAM, args: [name, size, lane, workerSetup], execArgv });
}

/** Programs for a minute: a small one, one with shared state, and one with work to divide. */
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
      atMost(`traced on ${workerSetup}, max`, Math.max(...traced), MAX_RATIO),
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
  description: `Savina programs on one worker and on two: not recorded, recorded with traces, and
  with a snapshot every second run as well; then trace sizes and replays (--only traces)`,
  // Hot code of a program is compiled in one of two shapes, one up to twice as fast, by process: hence many short
  // rounds.
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
