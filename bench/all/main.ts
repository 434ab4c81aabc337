// npm run bench: every bench in turn, each within its share of the time; writes a table per bench to bench/results.
// A bench that exceeds its time is stopped and prints its results so far.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

interface PlannedBench {
  readonly name: string;
  /** Time limits in seconds: of the full run, which takes an hour, and of the quick one, which takes eight minutes. */
  readonly full: number;
  readonly quick: number;
  /** Options that keep a full run within its limit. */
  readonly args?: readonly string[];
}

/** The most wanted benches first: a run that is stopped early has these. */
const PLAN: readonly PlannedBench[] = [
  { name: 'acmeair', full: 1080, quick: 45 },
  { name: 'latency', full: 195, quick: 30 },
  { name: 'record', full: 690, quick: 35, args: ['--rounds', '1', '--samples', '3', '--warmup', '1'] },
  { name: 'snapshot', full: 340, quick: 40, args: ['--rounds', '1', '--samples', '2', '--warmup', '1'] },
  { name: 'timetravel', full: 195, quick: 45 },
  { name: 'window', full: 70, quick: 30 },
  { name: 'dap', full: 20, quick: 15 },
  { name: 'devtools', full: 20, quick: 15 },
  { name: 'pauses', full: 165, quick: 30 },
  { name: 'membrane', full: 90, quick: 30, args: ['--rounds', '1', '--samples', '6', '--warmup', '2'] },
  { name: 'savina', full: 130, quick: 25, args: ['--samples', '2', '--warmup', '1'] },
  { name: 'awfy', full: 85, quick: 25, args: ['--rounds', '2', '--samples', '6', '--warmup', '2'] },
  { name: 'probes', full: 70, quick: 25, args: ['--rounds', '1', '--samples', '4', '--warmup', '2'] },
  { name: 'heap', full: 130, quick: 25, args: ['--rounds', '1', '--samples', '4', '--warmup', '1'] },
  { name: 'transport', full: 150, quick: 25 },
  { name: 'trace', full: 15, quick: 15 },
  { name: 'load', full: 140, quick: 25, args: ['--rounds', '1'] },
];

const HELP = `every bench in turn, within an hour; writes each output to bench/results/NAME.txt.
bench:peers needs software that is installed separately and bench:sandbox bubblewrap,
bench:types takes half an hour of compiler time and bench:growing five minutes: run
those by themselves.

npm run bench -- [options]
  --quick        less than eight minutes: each in its shortest form, printed only
  --only NAME    only this bench (repeatable)
  --help`;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});

interface BenchRun {
  readonly name: string;
  readonly status: 'done' | 'stopped' | 'failed';
  readonly seconds: number;
  /** Lines of the printed output. */
  readonly bars: readonly string[];
}

const BAR = /^(?:met|MISSED|undecided) /;

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
let stopSignal: NodeJS.Signals | undefined;

/** Signals a process group; a group that has ended is ignored. */
function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Seconds that a stopped bench has to print its results. */
const GRACE_SECONDS = 20;

function run({ name, full, quick, args = [] }: PlannedBench): Promise<BenchRun> {
  const limit = values.quick ? quick : full;
  const startedAt = performance.now();
  const file = fileURLToPath(new URL(`../${name}/main.ts`, import.meta.url));
  const child = spawn(process.execPath, ['-C', 'turntable-source', file, ...(values.quick ? ['--quick'] : args)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its own process group, so that killing it also ends the processes that it has started.
    detached: true,
  });
  const forwardSignal = (signal: NodeJS.Signals): void => {
    stopSignal = signal;
    killGroup(child.pid, signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, forwardSignal);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
  let isStopped = false;
  const stopTimer = setTimeout(() => {
    isStopped = true;
    child.kill('SIGTERM');
  }, limit * 1000);
  const killTimer = setTimeout(() => killGroup(child.pid, 'SIGKILL'), (limit + GRACE_SECONDS) * 1000);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(stopTimer);
      clearTimeout(killTimer);
      for (const signal of STOP_SIGNALS) process.off(signal, forwardSignal);
      if (values.quick) process.stdout.write(stdout);
      else if (stdout !== '') {
        mkdirSync(RESULTS, { recursive: true });
        writeFileSync(`${RESULTS}${name}.txt`, stdout);
      }
      const status = isStopped || stopSignal !== undefined ? 'stopped' : code === 0 ? 'done' : 'failed';
      const bars = stdout.split('\n').filter((line) => BAR.test(line));
      resolve({ name, status, seconds: (performance.now() - startedAt) / 1000, bars });
    });
  });
}

/** Replays run the built packages, not the sources. */
function build(): boolean {
  process.stderr.write('building\n');
  const { status } = spawnSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '--build'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  return status === 0;
}

async function main(): Promise<void> {
  const planned = PLAN.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const all: BenchRun[] = [];
  const startedAt = performance.now();
  if (!build()) {
    process.exitCode = 1;
    return;
  }
  for (const [i, each] of planned.entries()) {
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    process.stderr.write(`\n[${i + 1}/${planned.length}] bench:${each.name}, ${minutes} min so far\n`);
    all.push(await run(each));
    if (stopSignal !== undefined) break;
  }
  for (const { name, status, seconds, bars } of all) {
    console.log(`\n${name.padEnd(10)} ${status.padEnd(8)} ${seconds.toFixed(0)} s`);
    for (const bar of bars) console.log(`  ${bar}`);
  }
  console.log(
    `\n${((performance.now() - startedAt) / 60_000).toFixed(1)} min${values.quick ? '' : '; tables in bench/results'}`,
  );
  if (stopSignal !== undefined) process.exitCode = 128 + constants.signals[stopSignal];
  else if (all.some(({ status }) => status === 'failed')) process.exitCode = 1;
}

if (values.help) console.log(HELP);
else await main();
