// npm run soak:service: a recorded service under load for as long as is wished, with what it has on the disk and in memory line by line; then its last stretch again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { complaintsOf, endure, type Moment } from './endurance.ts';

const USAGE = `Usage: npm run soak:service -- [--minutes 1] [--budget MB] [--requests N]

  --minutes N    so long (1)
  --budget MB    what its recording may have on the disk (64)
  --requests N   between two measurements (2000)`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    budget: { type: 'string', default: '64' },
    requests: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
});
const MIB = 2 ** 20;
/** A quarter of them is compared with another one. */
const FEWEST = 8;

async function soak(): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const [budget, requests] = [Number(values.budget) * MIB, Number(values.requests)];
  const until = Date.now() + Number(values.minutes) * 60_000;
  let told = 0;
  const goesOn = (moments: readonly Moment[]): boolean => {
    for (const moment of moments.slice(told)) {
      const { disk, heap, resident } = moment;
      const [first, second, third] = [disk, heap, resident].map((bytes) => (bytes / MIB).toFixed(1));
      console.log(`${++told * requests} requests: ${first} MiB on the disk, heap ${second}, resident ${third}`);
    }
    return Date.now() < until || moments.length < FEWEST;
  };
  const endured = await endure({ place, budget, requests, goesOn });
  const found = complaintsOf(endured, budget);
  const { verdict, compared, phases } = endured;
  console.log(`its last stretch, of ${phases.length} snapshots: ${verdict}, ${compared} states compared`);
  for (const each of found) console.error(`FAILED ${each}, in ${place}`);
  if (found.length > 0) process.exitCode = 1;
  else rmSync(place, { recursive: true });
}

if (values.help) console.log(USAGE);
else await soak();
