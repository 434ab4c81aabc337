// npm run bench:membrane: what it costs to reach the outside through the membrane of a recorded program. Each sample does one thing so many times that
// milliseconds are thousands of nanoseconds; the same program runs unrecorded beside it.

import { fileURLToPath } from 'node:url';
import { isSelected, runBench, type Bench } from '../harness/bench.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { replaysTable } from './replays.ts';
import { TIMES, WORK } from './work.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const RECORDED = new URL('../record/recorded.ts', import.meta.url).href;

function variant(name: string, work: string): Variant {
  const recorded = name === 'none' ? [] : ['--import', RECORDED];
  const execArgv = ['-C', 'turntable-source', ...recorded, '--import', 'turntable/register'];
  return processVariant({ name, file: PROGRAM, args: [work], execArgv });
}

const bench: Bench = {
  name: 'membrane',
  description: `Each row does one thing ${TIMES} times: not recorded, and recorded with traces. The difference in milliseconds, divided by
${TIMES / 1e6}, is nanoseconds of the membrane. Behind that, what of each a trace keeps, and how long a run takes that has it again.
--only replays has the table of that alone.`,
  effort: { full: { rounds: 3, samples: 12, warmup: 4 }, quick: { rounds: 1, samples: 5, warmup: 2 } },
  rows: () =>
    Object.keys(WORK).map((work) => ({
      name: work,
      variants: ['none', 'recorded'].map((name) => variant(name, work)),
    })),
  judge: () => ({ summaries: [], bars: [] }),
  async *tables(options, progress) {
    const isAll = isSelected('replays', options);
    const works = Object.keys(WORK).filter((work) => isAll || isSelected(work, options));
    if (works.length > 0)
      yield await replaysTable({ works, times: options.quick ? 10 : 50, runs: options.quick ? 1 : 3, progress });
  },
};

await runBench(bench, process.argv.slice(2));
