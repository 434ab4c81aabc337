// node scripts/on-node.mjs test/capture/interruption/main.ts [--libraries] [--most N] [--thin] [--jobs N] [TEXT …]
//
// Interrupts the programs of test/programs or test/libraries at every job boundary and compares them with an
// uninterrupted run. `--most` limits the number of interruptions; `--thin` interrupts at the first twelve boundaries
// and then ever less often. The exit code is 1 if a program differs or is refused in a way that exceptions.ts does not
// list.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runProgram } from '../../programs/run-program.ts';
import { bundleTurntable } from './bundle.ts';
import { INTERRUPTION_DIFFERENCES, EXPECTED_REFUSALS as allowed, REFUSALS_BY_PROGRAM } from './exceptions.ts';
import { runInterrupted, comparableRun } from './run-interrupted.ts';

const { values, positionals } = parseArgs({
  options: {
    libraries: { type: 'boolean', default: false },
    most: { type: 'string' },
    thin: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
  },
  allowPositionals: true,
});
const [folder, pattern] = values.libraries
  ? ['libraries', '*.{mjs,cjs,ts}']
  : ['programs', '*/{*,*/main}.{js,mjs,cjs,ts,mts,cts}'];
const root = fileURLToPath(new URL(`../../${folder}/fixtures/`, import.meta.url));
const files = globSync(pattern, { cwd: root })
  .toSorted()
  .filter((file) => !file.includes('node_modules'))
  .filter((file) => positionals.length === 0 || positionals.some((text) => file.includes(text)));
const maxCaptures = values.most === undefined ? Infinity : Number(values.most);
const skip = (captures: number): number => (values.thin ? Math.max(0, captures - 11) : 0);
const totals = { same: 0, different: 0, known: 0, captures: 0, refused: 0 };
const queue = [...files];

async function work(): Promise<void> {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const path = join(root, file);
    const baseline = await runProgram(
      path,
      'transformed',
      { NODE_COMPILE_CACHE: bundle.compileCache },
      bundle.register,
    );
    const { captures, refusals, stderr, ...run } = await runInterrupted(path, bundle, { maxCaptures, skip });
    const outcome =
      JSON.stringify(comparableRun(run)) === JSON.stringify(comparableRun(baseline))
        ? 'same'
        : file in INTERRUPTION_DIFFERENCES
          ? 'known'
          : 'different';
    totals[outcome]++;
    totals.captures += captures;
    console.log(`${outcome.toUpperCase()} ${file}: ${captures} captures`);
    const patterns = [...allowed, ...(REFUSALS_BY_PROGRAM[file] ?? [])];
    const unexpected = refusals.filter((refusal) => !patterns.some((pattern) => pattern.test(refusal)));
    if (unexpected.length > 0) totals.refused++;
    for (const refusal of unexpected) console.log(`    not captured: ${refusal}`);
    if (outcome !== 'different') continue;
    console.log(difference(comparableRun(baseline), comparableRun(run)));
    if (run.code !== 0) console.log(stderr.replaceAll(/^/gm, '    │ '));
  }
}

function difference(baseline: object, run: object): string {
  const lines = (value: object): string[] => Object.values(value).flatMap((part) => String(part).split('\n'));
  const [expected, actual] = [lines(baseline), lines(run)];
  const at = expected.findIndex((line, i) => line !== actual[i]);
  return `    expected: ${expected.slice(at, at + 3).join(' | ')}\n    actual:   ${actual.slice(at, at + 3).join(' | ')}`;
}

const bundle = await bundleTurntable();
try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
} finally {
  bundle.remove();
}
console.log(JSON.stringify({ node: process.version, programs: files.length, ...totals }));
process.exitCode = totals.different + totals.refused === 0 ? 0 : 1;
