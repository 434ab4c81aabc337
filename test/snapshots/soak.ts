// npm run soak:snapshots -- [--count SNAPSHOTS] [--seed SEED]
// Random programs, from that seed on, until so many snapshots have been taken, restored and run to their end. Ends at the first of which
// anything is wrong, with its seed: the same seed does the same again.
import { parseArgs } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { examine, type Sums } from './oracle/examine.ts';

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
const count = Number(values.count ?? 1000);
const first = Number(values.seed ?? 1);
const sums: Sums = { snapshots: 0, again: 0, bytes: 0, underWay: 0, turns: 0 };
const began = performance.now();
let told = began;
let seed = first;

function tell(): void {
  const seconds = Math.round((performance.now() - began) / 1000);
  const kilobytes = (sums.bytes / sums.snapshots / 1000).toFixed(1);
  console.log(
    `${sums.snapshots} snapshots of ${seed - first} programs (${sums.again} of restored ones), ${kilobytes} KB each, ` +
      `${sums.underWay} messages under way, ${sums.turns} turns, ${seconds} s`,
  );
}

for (; sums.snapshots < count; seed++) {
  const { wrong, ...found } = await examine(seed);
  for (const key of Object.keys(sums) as (keyof Sums)[]) sums[key] += found[key];
  if (wrong.length > 0) {
    console.error(`seed ${seed}:\n${wrong.join('\n')}`);
    console.error(`again: npm run soak:snapshots -- --count 1 --seed ${seed}`);
    process.exit(1);
  }
  // What lives has ended: the collector may have it.
  await setImmediate();
  if (performance.now() - told < 10_000) continue;
  told = performance.now();
  tell();
}
tell();
