// npm run bench: every bench in turn, with what each takes of the time that there is; its tables go to bench/results, one file each. A bench that is not done
// when its time is over is stopped, and says what it has.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

interface Planned {
  readonly name: string;
  /** Seconds it may take, of an hour and of eight minutes. */
  readonly full: number;
  readonly quick: number;
  /** So that it is done by then. */
  readonly args?: readonly string[];
}

/** By what is asked for most: who stops it early has these. */
const PLAN: readonly Planned[] = [
  { name: 'acmeair', full: 1300, quick: 75 },
  { name: 'latency', full: 240, quick: 40 },
  { name: 'record', full: 420, quick: 50, args: ['--rounds', '2', '--samples', '2', '--warmup', '1'] },
  { name: 'snapshot', full: 360, quick: 50, args: ['--rounds', '1', '--samples', '2', '--warmup', '1'] },
  { name: 'pauses', full: 180, quick: 40 },
  { name: 'membrane', full: 150, quick: 40, args: ['--rounds', '1', '--samples', '6', '--warmup', '2'] },
  { name: 'savina', full: 200, quick: 40, args: ['--samples', '2', '--warmup', '1'] },
  { name: 'awfy', full: 200, quick: 40, args: ['--rounds', '1', '--samples', '4', '--warmup', '2'] },
  { name: 'probes', full: 200, quick: 40, args: ['--rounds', '1', '--samples', '4', '--warmup', '2'] },
  { name: 'heap', full: 120, quick: 25 },
  { name: 'transport', full: 120, quick: 25 },
  { name: 'trace', full: 60, quick: 15 },
  { name: 'load', full: 100, quick: 30, args: ['--rounds', '1'] },
];

const HELP = `Every bench in turn, within an hour; what each prints goes to bench/results/NAME.txt. bench:peers and bench:types are not among them: one takes
what has to be installed, the other half an hour of the compiler.

npm run bench -- [options]
  --quick        within eight minutes: each in its shortest form, printed, which is for "did I break it"
  --only NAME    only that one (repeatable)
  --help`;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});

interface Ran {
  readonly name: string;
  readonly how: 'done' | 'stopped' | 'failed';
  readonly seconds: number;
}

/** Seconds that a bench which is stopped has to say what it has. */
const GRACE = 20;

function run({ name, full, quick, args = [] }: Planned): Promise<Ran> {
  const limit = values.quick ? quick : full;
  const began = performance.now();
  const file = fileURLToPath(new URL(`../${name}/main.ts`, import.meta.url));
  const child = spawn(process.execPath, ['-C', 'turntable-source', file, ...(values.quick ? ['--quick'] : args)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
  let isStopped = false;
  const stop = setTimeout(() => {
    isStopped = true;
    child.kill('SIGTERM');
  }, limit * 1000);
  const kill = setTimeout(() => child.kill('SIGKILL'), (limit + GRACE) * 1000);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(stop);
      clearTimeout(kill);
      if (values.quick) process.stdout.write(stdout);
      else if (stdout !== '') {
        mkdirSync(RESULTS, { recursive: true });
        writeFileSync(`${RESULTS}${name}.txt`, stdout);
      }
      const how = isStopped ? 'stopped' : code === 0 ? 'done' : 'failed';
      resolve({ name, how, seconds: (performance.now() - began) / 1000 });
    });
  });
}

async function main(): Promise<void> {
  const planned = PLAN.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const all: Ran[] = [];
  const began = performance.now();
  for (const [i, each] of planned.entries()) {
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    process.stderr.write(`\n[${i + 1}/${planned.length}] bench:${each.name}, ${minutes} min so far\n`);
    all.push(await run(each));
  }
  for (const { name, how, seconds } of all) console.log(`${name.padEnd(10)} ${how.padEnd(8)} ${seconds.toFixed(0)} s`);
  console.log(
    `${((performance.now() - began) / 60_000).toFixed(1)} min${values.quick ? '' : '; tables in bench/results'}`,
  );
  if (all.some(({ how }) => how === 'failed')) process.exitCode = 1;
}

if (values.help) console.log(HELP);
else await main();
