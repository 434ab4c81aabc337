// npm run bench:heap: writing and reading an object graph, compared with other codecs. `--quick`: 3 MB and no JSON;
// `--only 300`: the large graph.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runBench, type Bench } from '../harness/bench.ts';
import { atMost, type Bar } from '../harness/report.ts';
import { BenchError, processVariant } from '../harness/session.ts';
import { CODECS } from './codecs.ts';
import type { Comparison, RowResult } from '../harness/comparison.ts';

const FILE = fileURLToPath(new URL('./program.ts', import.meta.url));
const FLAGS = ['-C', 'turntable-source', '--expose-gc', '--max-old-space-size=8192'];
const WRITE_LIMIT = 1.3;
const READ_LIMIT = 1;
const MEMORY_LIMIT = 1;

type Form = 'plain' | 'classes' | 'closures';

function row(direction: 'write' | 'read', megabytes: number, form: Form, names: readonly string[]): Comparison {
  return {
    name: `${direction} ${megabytes} MB, ${form}`,
    variants: names.map((name) =>
      processVariant({ name, file: FILE, args: [name, direction, String(megabytes), form], execArgv: FLAGS }),
    ),
  };
}

/** Size of the restored graph relative to the original. */
function memory(megabytes: number, form: Form): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(FILE, ['heap', 'memory', String(megabytes), form], { execArgv: FLAGS });
    child.on('message', ({ ratio }: { ratio: number }) => resolve(ratio));
    child.on('exit', (code) => {
      if (code !== 0) reject(new BenchError('TT_BENCH_PROCESS', `measuring memory ended with code ${code}`));
    });
  });
}

const sizeBars = await (async () => {
  const shouldMeasure = !process.argv.includes('--help');
  const bars: Bar[] = [];
  for (const form of ['plain', 'classes'] as const)
    if (shouldMeasure)
      bars.push(atMost(`restored heap / original, 30 MB, ${form}`, await memory(30, form), MEMORY_LIMIT));
  return bars;
})();

function judge(rows: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const bars = rows.map((each) => {
    const limit = each.name.startsWith('write') ? WRITE_LIMIT : READ_LIMIT;
    return atMost(`${each.name}, heap / v8.serialize`, each.ratios['heap']?.median ?? Number.NaN, limit);
  });
  return { summaries: [], bars: [...bars, ...sizeBars] };
}

const bench: Bench = {
  name: 'heap',
  description: 'write and read an airline of 3, 30 or 300 MB, as plain objects and as classes, and closures and frames',
  effort: { full: { rounds: 3, samples: 7, warmup: 3 }, quick: { rounds: 1, samples: 3, warmup: 1 }, clock: 'cpu' },
  rows(options) {
    const all = Object.keys(CODECS);
    const quickCodecs = all.filter((name) => name !== 'JSON');
    // structuredClone has no separate reading.
    const readers = (names: readonly string[]): string[] =>
      names.filter((name) => name !== 'structuredClone' && name !== 'heap, no engine view');
    const sized = options.quick ? [3] : options.only.some((part) => part.includes('300')) ? [300] : [3, 30];
    return sized.flatMap((megabytes) =>
      (['plain', 'classes', 'closures'] as const).flatMap((form) => {
        const codecs = options.quick || megabytes > 30 ? quickCodecs : all;
        // JSON cannot write the closures' graph, which has cycles.
        const names =
          form === 'closures' ? codecs.filter((name) => name !== 'heap, no engine view' && name !== 'JSON') : codecs;
        return [row('write', megabytes, form, names), row('read', megabytes, form, readers(names))];
      }),
    );
  },
  judge,
};

await runBench(bench, process.argv.slice(2));
