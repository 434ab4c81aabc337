// npm test [-- [--node MAJOR] PATTERN…]
// Runs the tests on every supported Node.js and adds up the counts. Its last line is `N passed, N failed[, N skipped]`,
// whatever happened before: a test file that cannot be loaded and a run that ends badly count as failures.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { majors, missingNode, nodeBinary, root } from './node-release.mjs';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The parts of Vitest's JSON report that are read here. */
interface Report {
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[];
}

function count(report: Report): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    const before = counts.failed;
    for (const { status } of file.assertionResults) {
      if (status === 'passed') counts.passed++;
      else if (status === 'failed') counts.failed++;
      else counts.skipped++;
    }
    if (file.status === 'failed' && counts.failed === before) counts.failed++;
  }
  return counts;
}

function runOn(binary: string, patterns: readonly string[], reportPath: string): Counts {
  rmSync(reportPath, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`];
  const { status } = spawnSync(binary, [vitest, 'run', ...reporters, ...patterns], { cwd: root, stdio: 'inherit' });
  let counts: Counts;
  try {
    counts = count(JSON.parse(readFileSync(reportPath, 'utf8')) as Report);
  } catch {
    counts = { passed: 0, failed: 0, skipped: 0 };
  }
  // An error outside any test, or no report at all.
  if (status !== 0 && counts.failed === 0) counts.failed++;
  return counts;
}

function describe(counts: Counts): string {
  return `${counts.passed} passed, ${counts.failed} failed` + (counts.skipped ? `, ${counts.skipped} skipped` : '');
}

const patterns = process.argv.slice(2);
const only = patterns[0] === '--node' ? Number(patterns.splice(0, 2)[1]) : undefined;
const wanted = only === undefined ? majors : [only];
const runs = wanted.flatMap((major) => {
  const binary = nodeBinary(major);
  return binary === undefined ? [] : [{ major, binary }];
});
if (runs.length === 0) {
  console.error(missingNode(wanted));
  process.exit(1);
}
const reports = join(root, 'node_modules/.cache/turntable-tests');
mkdirSync(reports, { recursive: true });
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const lines: string[] = [];
for (const { major, binary } of runs) {
  const counts = runOn(binary, patterns, join(reports, `node-${major}.json`));
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  lines.push(`Node ${major}: ${describe(counts)}`);
}
for (const major of wanted) {
  if (!runs.some((run) => run.major === major)) lines.push(`Node ${major}: not run, ${missingNode([major])}`);
}
console.log(lines.join('\n'));
console.log(describe(total));
process.exitCode = total.failed > 0 ? 1 : 0;
