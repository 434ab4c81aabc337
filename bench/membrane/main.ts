// npm run bench:membrane: the cost of host calls through the membrane of a recorded program. Each sample repeats one
// operation 10,000 times, so a millisecond is 100 ns per operation; the same program also runs unrecorded.

import { fileURLToPath } from 'node:url';
import { isSelected, runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { atMost, type Bar } from '../harness/report.ts';
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

/** Exceeded if each callback reads the stack to learn that a package calls. */
const PACKAGE_CALLBACK_LIMIT = 4;

function barsOf(rows: readonly RowResult[]): Bar[] {
  const recordedMs = (name: keyof typeof WORK): number | undefined =>
    rows.find((row) => row.name === name)?.medians['recorded'];
  const ofPackage = recordedMs('a callback with data of a package');
  const ofNode = recordedMs('a call with a callback');
  if (ofPackage === undefined || ofNode === undefined) return [];
  return [atMost('recorded callback: of a package, with data / of Node', ofPackage / ofNode, PACKAGE_CALLBACK_LIMIT)];
}

const bench: Bench = {
  name: 'membrane',
  description: `each row repeats one operation ${TIMES} times, unrecorded and recorded with traces;
  the difference in milliseconds divided by ${TIMES / 1e6} is nanoseconds of the membrane.
  A table shows trace bytes and replay time of each (--only replays).`,
  effort: { full: { rounds: 3, samples: 12, warmup: 4 }, quick: { rounds: 1, samples: 5, warmup: 2 } },
  rows: () =>
    Object.keys(WORK).map((work) => ({
      name: work,
      variants: ['none', 'recorded'].map((name) => variant(name, work)),
    })),
  judge: (rows) => ({ summaries: [], bars: barsOf(rows) }),
  async *tables(options, progress) {
    const isAll = isSelected('replays', options);
    const works = Object.keys(WORK).filter((work) => isAll || isSelected(work, options));
    if (works.length > 0)
      yield await replaysTable({ works, times: options.quick ? 10 : 50, runs: options.quick ? 1 : 3, progress });
  },
};

await runBench(bench, process.argv.slice(2));
