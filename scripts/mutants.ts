// npm run soak:mutants -- --seed SEED --count COUNT
// Changes one expression of a package at a time, in a temporary copy of the tree, and runs the package's own tests and
// then related tests. A mutant that no test catches is a defect that no test would notice.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { applyMutation } from './mutants/mutations.ts';
import { sampleMutants, type Mutant } from './mutants/sample.ts';
import { tableOf, totalsOf, type MutantResult } from './mutants/summary.ts';
import { RELATED_TESTS, runTests, type TestResult } from './mutants/tests.ts';
import { copyTree } from './mutants/tree.ts';
import { root } from './node-release.mjs';

const HELP = `Usage: npm run soak:mutants -- [--seed SEED] [--count COUNT] [options]

Changes one expression of a package at a time, in a temporary copy of the tree, and runs tests.

  --seed SEED        seed of the sample (default: 1)
  --count COUNT      number of mutants (default: 20)
  --package NAME     only mutants of this package; may be repeated
  --limit SECONDS    a test hangs if no test starts or ends for this time (default: 150)
  --own              run only the package's own tests
  --list             list the sample and run no tests
  --json             print one JSON object per mutant, and a last one with the totals
  --help             print this text

A mutant takes about four minutes on two cores, less if its own tests catch it. Ctrl-C prints the results so far.
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20' },
    package: { type: 'string', multiple: true },
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

const MINUTES_PER_MUTANT = 4;
const seed = toNumber('seed', values.seed);
const count = toNumber('count', values.count);
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
  `${mutants.length} mutants, seed ${seed}; expected duration: ${mutants.length * MINUTES_PER_MUTANT} minutes`,
);

const tree = copyTree(root);
process.on('exit', () => rmSync(tree, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    printTotals();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });

interface UnmutatedResult {
  readonly isPassed: boolean;
  readonly durationMs: number;
}
/** Results of test files that were run without a mutant. */
const unmutatedResults = new Map<string, UnmutatedResult>();
const results: MutantResult[] = [];
for (const [index, mutant] of mutants.entries()) {
  console.error(`${index + 1} of ${mutants.length}: ${mutant.description}`);
  const result = await testMutant(mutant);
  results.push(result);
  printResult(result);
}
printTotals();

async function testMutant({ package: name, file, description, mutation }: Mutant): Promise<MutantResult> {
  const startedAt = performance.now();
  const path = join(tree, file);
  const source = readFileSync(path, 'utf8');
  const runMutated = async (patterns: readonly string[], silenceMs: number): Promise<TestResult> => {
    writeFileSync(path, applyMutation(source, mutation));
    const tested = await runTests(tree, patterns, silenceMs);
    writeFileSync(path, source);
    return tested;
  };
  const stages = [
    ['caught by own tests', [`packages/${name}/test/`]],
    ...(values.own ? [] : [['caught by other tests', RELATED_TESTS[name] ?? []] as const]),
  ] as const;
  for (const [verdict, patterns] of stages) {
    const tested = patterns.length === 0 ? undefined : await findFailure(runMutated, patterns);
    if (tested === undefined) continue;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const isHang = tested.outcome === 'hang';
    return { package: name, mutant: description, verdict, isHang, tests: tested.tests, seconds };
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { package: name, mutant: description, verdict: 'survived', isHang: false, tests: [], seconds };
}

/** Returns a failure or hang that the mutant causes. Failures without a mutant, and slow tests, are ignored. */
async function findFailure(
  runMutated: (patterns: readonly string[], silenceMs: number) => Promise<TestResult>,
  patterns: readonly string[],
): Promise<TestResult | undefined> {
  for (let silenceMs = limitMs; ;) {
    const excluded = [...unmutatedResults].filter(([, { isPassed }]) => !isPassed).map(([file]) => `--exclude=${file}`);
    const tested = await runMutated([...patterns, ...excluded], silenceMs);
    if (tested.outcome === 'passed') return undefined;
    if (tested.files.length === 0) return tested;
    const unmutated = await runUnmutated(tested.files);
    if (!unmutated.isPassed) continue;
    if (tested.outcome === 'failed') return tested;
    const rerun = await runMutated(tested.files, Math.max(limitMs, 3 * unmutated.durationMs));
    if (rerun.outcome !== 'passed') return rerun;
    console.error(`slow, but not hanging: ${tested.files.join(', ')}`);
    silenceMs *= 2;
  }
}

/** Runs files one by one without the mutant. */
async function runUnmutated(files: readonly string[]): Promise<UnmutatedResult> {
  for (const file of files) {
    if (unmutatedResults.has(file)) continue;
    const startedAt = performance.now();
    const isPassed = (await runTests(tree, [file], 4 * limitMs)).outcome === 'passed';
    unmutatedResults.set(file, { isPassed, durationMs: performance.now() - startedAt });
    if (!isPassed) console.error(`${file} fails without a mutant, too`);
  }
  const found = files.map((file) => unmutatedResults.get(file) as UnmutatedResult);
  return {
    isPassed: found.every(({ isPassed }) => isPassed),
    durationMs: Math.max(...found.map(({ durationMs }) => durationMs)),
  };
}

function printResult(result: MutantResult): void {
  const { verdict, isHang, mutant, tests, seconds } = result;
  if (values.json) console.log(JSON.stringify(result));
  else
    console.log(
      [`${verdict}${isHang ? ', by a hang' : ''} (${seconds} s): ${mutant}`, ...tests.map((test) => `  ${test}`)].join(
        '\n',
      ),
    );
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
