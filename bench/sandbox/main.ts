// npm run bench:sandbox: replays of a small Fastify service in the sandbox, compared with --trusted ones. Each sample is
// a command of the packages that `npm run pack` has made, from its start to its end.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { pack, prepare, run } from '../harness/packed-commands.ts';
import { atMost, type Bar } from '../harness/report.ts';
import type { Variant } from '../harness/session.ts';

const PROGRAM = new URL('program.mjs', import.meta.url);
const WARM = 'replay';
const FIRST = 'first replay of a recording';
const MOVE = 'first move in the debugger';
/** Replay in the sandbox / trusted replay. */
const REPLAY_LIMIT = 1.1;
/** Seconds that the first move may take longer. */
const MOVE_LIMIT = 0.3;

function variant(name: 'trusted' | 'sandbox', row: string): Variant {
  const flags = name === 'trusted' ? ['--trusted'] : ['--require-isolation'];
  const args =
    row === MOVE ? ['debug', 'recordings', ...flags, '--commands', 'moves'] : ['replay', 'recordings', ...flags];
  return {
    name,
    async open() {
      const workplace = prepare(PROGRAM);
      writeFileSync(join(workplace.directory, 'moves'), 'step\n');
      await run(workplace, args);
      return {
        async sample() {
          if (row === FIRST) rmSync(join(workplace.cache, 'turntable'), { recursive: true, force: true });
          return await run(workplace, args);
        },
        close: async () => workplace.remove(),
      };
    },
  };
}

function judge(rows: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const bars = rows.flatMap(({ name, medians }) => {
    const [trusted = Number.NaN, sandbox = Number.NaN] = [medians['trusted'], medians['sandbox']];
    if (name === WARM) return [atMost(`${name}, sandbox / trusted`, sandbox / trusted, REPLAY_LIMIT)];
    return name === MOVE ? [atMost(`${name}, s added by the sandbox`, (sandbox - trusted) / 1000, MOVE_LIMIT)] : [];
  });
  return { summaries: [], bars };
}

const bench: Bench = {
  name: 'sandbox',
  description: 'replay and debug a small Fastify service in the sandbox, and with --trusted',
  effort: { full: { rounds: 2, samples: 7, warmup: 1 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  rows: () =>
    [WARM, FIRST, MOVE].map((name) => ({ name, variants: [variant('trusted', name), variant('sandbox', name)] })),
  judge,
};

pack();
await runBench(bench, process.argv.slice(2));
