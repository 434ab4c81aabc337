// npm run soak:service: a recorded service under load for as long as is wished, with what it has on the disk and in memory line by line; then its last task again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { enduranceProblems, runEndurance, type MemorySample } from './endurance.ts';

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
const MIN_SAMPLES = 8;

async function soak(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const [budget, requests] = [Number(values.budget) * MIB, Number(values.requests)];
  const until = Date.now() + Number(values.minutes) * 60_000;
  let sampleCount = 0;
  const shouldContinue = (samples: readonly MemorySample[]): boolean => {
    for (const sample of samples.slice(sampleCount)) {
      const { disk, heap, resident } = sample;
      const [first, second, third] = [disk, heap, resident].map((bytes) => (bytes / MIB).toFixed(1));
      console.log(`${++sampleCount * requests} requests: ${first} MiB on the disk, heap ${second}, resident ${third}`);
    }
    return Date.now() < until || samples.length < MIN_SAMPLES;
  };
  const result = await runEndurance({ directory, budget, requests, shouldContinue });
  const problems = enduranceProblems(result, budget);
  const { verdict, compared, phases } = result;
  console.log(`its last task, of ${phases.length} snapshots: ${verdict}, ${compared} states compared`);
  for (const each of problems) console.error(`FAILED ${each}, in ${directory}`);
  if (problems.length > 0) process.exitCode = 1;
  else rmSync(directory, { recursive: true });
}

if (values.help) console.log(USAGE);
else await soak();
