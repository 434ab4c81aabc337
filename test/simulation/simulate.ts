// npm run soak:simulation: see USAGE.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import './simulated-globals.ts';
import { isProcessEnd } from './simulated-process.ts';

// Its modules get the simulated globals.
const { simulateRun } = await import('./simulated-run.ts');

const USAGE = `Usage: npm run soak:simulation -- [--count 1000] [--first 1] [options]

Records random programs with actors on three threads in simulated processes: the
threads run in an order that a seed determines, workers are lost in the middle of
their code, the disk fails, the process is killed. Replays each several times.

  --count N      number of programs (1000)
  --first N      seed of the first one (1)
  --replays N    replays of each recording, which must be the same (5)
  --json         print one line of JSON`;

const OPTIONS = {
  count: { type: 'string', default: '1000' },
  first: { type: 'string', default: '1' },
  replays: { type: 'string', default: '5' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

const { values } = parseArgs({ options: OPTIONS });

function simulate(): void {
  const [count, first, replays] = [values.count, values.first, values.replays].map(Number) as [number, number, number];
  const verdicts: Record<string, number> = {};
  const failures: { seed: number; problems: readonly string[] }[] = [];
  const startedAt = performance.now();
  let operations = 0;
  for (let seed = first; seed < first + count; seed++) {
    const run = simulateRun(seed, replays);
    operations += run.operations;
    verdicts[run.verdict] = (verdicts[run.verdict] ?? 0) + 1;
    if (run.problems.length === 0) continue;
    failures.push({ seed, problems: run.problems });
    if (!values.json) console.log(`seed ${seed}:\n  ${run.problems.join('\n  ')}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (values.json) console.log(JSON.stringify({ count, verdicts, failures, seconds, operations }));
  else {
    const text = Object.entries(verdicts).map(([verdict, number]) => `${verdict} ${number}`);
    console.log(
      `${count} programs in ${seconds.toFixed(1)} s, ${Math.round(operations / count)} operations each: ${text.join(', ')}; ${failures.length} failed`,
    );
  }
  // At once, because finalizers of the ended processes would run now.
  process.exit(failures.length > 0 ? 1 : 0);
}

// Code that is left of an ended process.
process.on('unhandledRejection', (reason) => {
  if (!isProcessEnd(reason)) throw reason;
});
if (values.help) console.log(USAGE);
else setImmediate(simulate);
