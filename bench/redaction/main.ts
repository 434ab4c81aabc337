// npm run bench:redaction: commands that hide the secrets of a Fastify service, compared with --no-redact. Each sample is
// a command of the packages that `npm run pack` has made, from its start to its end.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { pack, prepare, run } from '../harness/packed-commands.ts';
import { atMost, type Bar } from '../harness/report.ts';
import type { Variant } from '../harness/session.ts';

const PROGRAM = new URL('program.mjs', import.meta.url);
const REPLAY = 'replay';
const MOVE = 'first move in the debugger';
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  [REPLAY]: ['replay', 'recordings'],
  [MOVE]: ['debug', 'recordings', '--commands', 'moves'],
  export: ['export', 'recordings'],
};
/** Redacted replay / one with --no-redact. */
const REPLAY_LIMIT = 1.1;
/** Seconds that the first move may take longer. */
const MOVE_LIMIT = 0.3;

function variant(name: 'shown' | 'redacted', row: string): Variant {
  const args = [...(COMMANDS[row] ?? []), ...(name === 'shown' ? ['--no-redact'] : [])];
  return {
    name,
    async open() {
      const workplace = prepare(PROGRAM);
      writeFileSync(join(workplace.directory, 'moves'), 'step\n');
      await run(workplace, args);
      return { sample: () => run(workplace, args), close: async () => workplace.remove() };
    },
  };
}

function judge(rows: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const bars = rows.flatMap(({ name, medians }) => {
    const [shown = Number.NaN, redacted = Number.NaN] = [medians['shown'], medians['redacted']];
    if (name === REPLAY) return [atMost(`${name}, redacted / --no-redact`, redacted / shown, REPLAY_LIMIT)];
    return name === MOVE ? [atMost(`${name}, s added by redaction`, (redacted - shown) / 1000, MOVE_LIMIT)] : [];
  });
  return { summaries: [], bars };
}

const bench: Bench = {
  name: 'redaction',
  description: 'replay, debug and export a Fastify service with secrets hidden, and with --no-redact',
  effort: { full: { rounds: 2, samples: 7, warmup: 1 }, quick: { rounds: 1, samples: 1, warmup: 0 } },
  rows: () =>
    Object.keys(COMMANDS).map((name) => ({ name, variants: [variant('shown', name), variant('redacted', name)] })),
  judge,
};

pack();
await runBench(bench, process.argv.slice(2));
