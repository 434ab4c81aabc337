// npm run soak:mutants -- --seed SEED --count COUNT
// Changes one expression of a package at a time, in temporary copies of the tree, and runs the tests that execute it, the
// package's own ones first. A mutant that no test catches is a defect that no test would notice.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findExecutingTests, type ExecutingTests } from './mutants/probes.ts';
import { sampleMutants } from './mutants/sample.ts';
import { tableOf, totalsOf, type MutantResult } from './mutants/summary.ts';
import { MutantTester, type MutantTesterOptions } from './mutants/tester.ts';
import { copyTree } from './mutants/tree.ts';
import { root } from './node-release.mjs';

const HELP = `Usage: npm run soak:mutants -- [--seed SEED] [--count COUNT] [options]

Changes one expression of a package at a time, in temporary copies of the tree, and runs tests.

  --seed SEED        seed of the sample (default: 1)
  --count COUNT      number of mutants (default: 20)
  --package NAME     only mutants of this package; may be repeated
  --jobs JOBS        mutants that are tested at the same time (default: number of cores)
  --limit SECONDS    a test hangs if no test starts or ends for this time (default: 150)
  --own              run only tests of the sampled packages
  --list             list the sample and run no tests
  --json             print one JSON object per mutant, and a last one with the totals
  --help             print this text

First all tests run once, to find those that execute each mutant: about 20 minutes, with --own five. After that a mutant
takes about two minutes, less if its own tests catch it. Ctrl-C prints the results so far.
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20' },
    package: { type: 'string', multiple: true },
    jobs: { type: 'string', default: String(availableParallelism()) },
    limit: { type: 'string', default: '150' },
    own: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const MINUTES_PER_MUTANT = 2;
const ALL_TESTS_MINUTES = values.own ? 5 : 20;
const seed = toNumber('seed', values.seed);
const count = toNumber('count', values.count);
const jobs = toNumber('jobs', values.jobs);
const limitMs = 1000 * toNumber('limit', values.limit);
const packages = values.package ?? readdirSync(join(root, 'packages')).toSorted();
for (const name of packages)
  if (!existsSync(join(root, 'packages', name))) fail(`--package: there is no package ${name}`);

const mutants = sampleMutants(root, packages, seed, count);
if (values.list) {
  for (const { description } of mutants) console.log(description);
  process.exit(0);
}
console.error(
  `${mutants.length} mutants, seed ${seed}; expected duration: ${ALL_TESTS_MINUTES + Math.ceil(mutants.length / jobs) * MINUTES_PER_MUTANT} minutes`,
);

const trees = Array.from({ length: Math.min(jobs, mutants.length) }, () => copyTree(root));
process.on('exit', () => {
  for (const tree of trees) rmSync(tree, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    printTotals();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });

const results: MutantResult[] = [];
const remaining = mutants.entries();
const tests = values.own ? packages.map((name) => `packages/${name}/test/`) : [];
const executingTests = await findExecutingTests(trees[0] as string, mutants, tests);
const options: MutantTesterOptions = { limitMs, unmutatedResults: new Map() };
await Promise.all(
  trees.map(async (tree) => {
    const tester = new MutantTester(tree, options);
    for (const [index, mutant] of remaining) {
      console.error(`${index + 1} of ${mutants.length}: ${mutant.description}`);
      const result = await tester.test(mutant, executingTests.get(mutant) as ExecutingTests);
      results.push(result);
      printResult(result);
    }
  }),
);
printTotals();

function printResult(result: MutantResult): void {
  const { verdict, isExecuted, isHang, mutant, tests, seconds } = result;
  if (values.json) {
    console.log(JSON.stringify(result));
    return;
  }
  const how = [verdict, isHang && 'by a hang', !isExecuted && 'not executed'].filter(Boolean).join(', ');
  console.log([`${how} (${seconds} s): ${mutant}`, ...tests.map((test) => `  ${test}`)].join('\n'));
}

function printTotals(): void {
  const totals = packages.map((name) =>
    totalsOf(
      name,
      results.filter((each) => each.package === name),
    ),
  );
  const total = totalsOf('total', results);
  if (values.json) console.log(JSON.stringify({ seed, ...total, packages: totals }));
  else console.log(tableOf([...totals.filter(({ mutants }) => mutants > 0), total]));
}

function toNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) fail(`--${name} must be a positive integer`);
  return number;
}

function fail(message: string): never {
  console.error(`soak:mutants: ${message}`);
  process.exit(2);
}
