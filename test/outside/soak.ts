// npm run soak:service: runs a recorded service under load, prints its disk and memory use, and replays its last part.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { enduranceProblems, runEndurance, type MemorySample } from './endurance.ts';

const USAGE = `Usage: npm run soak:service -- [--minutes 1] [--budget MB] [--requests N]

  --minutes N    duration (1)
  --budget MB    disk budget of the recording (64)
  --requests N   requests between two measurements (2000)`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    budget: { type: 'string', default: '64' },
    requests: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
});
const MIB = 2 ** 20;
/** Minimum for comparing one quarter of the samples with another. */
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
  console.log(`last part, with ${phases.length} snapshots: ${verdict}, ${compared} states compared`);
  for (const each of problems) console.error(`FAILED ${each}, in ${directory}`);
  if (problems.length > 0) process.exitCode = 1;
  else rmSync(directory, { recursive: true });
}

if (values.help) console.log(USAGE);
else await soak();
