// npm run soak:snapshots -- [--count SNAPSHOTS] [--seed SEED] Random programs, starting with the given seed, until that
// many snapshots were taken, restored and run to their end. Stops at the first problem and prints its seed, which
// reproduces it.
import { parseArgs } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { checkSeed, type CheckTotals } from './oracle/check-seed.ts';

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.count ?? 1000);
const firstSeed = Number(values.seed ?? 1);
const totals: CheckTotals = { snapshots: 0, restoredAgain: 0, bytes: 0, inFlight: 0, turns: 0 };
const startedAt = performance.now();
let lastReport = startedAt;
let seed = firstSeed;

function printProgress(): void {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const kilobytes = (totals.bytes / totals.snapshots / 1000).toFixed(1);
  console.log(
    `${totals.snapshots} snapshots of ${seed - firstSeed} programs (${totals.restoredAgain} of restored ones), ${kilobytes} KB each, ` +
      `${totals.inFlight} messages in flight, ${totals.turns} turns, ${seconds} s`,
  );
}

for (; totals.snapshots < count; seed++) {
  const { problems, ...found } = await checkSeed(seed);
  for (const key of Object.keys(totals) as (keyof CheckTotals)[]) totals[key] += found[key];
  if (problems.length > 0) {
    console.error(`seed ${seed}:\n${problems.join('\n')}`);
    console.error(`reproduce: npm run soak:snapshots -- --count 1 --seed ${seed}`);
    process.exit(1);
  }
  // Lets the garbage collector have the ended clusters.
  await setImmediate();
  if (performance.now() - lastReport < 10_000) continue;
  lastReport = performance.now();
  printProgress();
}
printProgress();
