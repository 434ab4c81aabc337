// npm test [-- [--node MAJOR] PATTERN…]
// Runs the tests on every supported Node.js and adds up the counts. The last line is always
// `N passed, N failed[, N skipped]`. A failed file is rerun alone, unless its report shows that it cannot be flaky
// (`test-run/flaky.ts`). If the rerun passes, the file counts as passed and is listed above that line as `flaky: FILE`.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { majors, missingNode, nodeBinary, root } from './node-release.mjs';
import { HELP, parseTestArguments } from './test-run/arguments.ts';
import { add, closingLine, countsOf, type Counts } from './test-run/counts.ts';
import { MAX_FLAKY_FILES } from './test-run/flaky.ts';
import { keepReports, keepScratch, keptDirectory, keptPath } from './test-run/kept.ts';
import { rerunFailures, type SecondRun, type RerunResult } from './test-run/rerun.ts';
import { scratchOf } from './test-run/scratch.ts';
import { filesWithSoak, SOAK_VARIABLE } from './test-run/soak.ts';
import { excludeOptions } from './test-run/split.ts';
import { runVitest } from './test-run/vitest.ts';

const testArguments = parseTestArguments(process.argv.slice(2));
const { isSoak, node, options } = testArguments;
if (testArguments.isHelp) {
  console.log(HELP);
  process.exit(0);
}
const versions = node === undefined ? majors : [node];
if (!versions.some((major) => nodeBinary(major) !== undefined)) {
  console.error(missingNode(versions));
  process.exit(1);
}
const results = resolve(testArguments.results ?? join(root, 'node_modules/.cache/turntable-tests'));
mkdirSync(results, { recursive: true });
if (isSoak) process.env[SOAK_VARIABLE] = '1';
const patterns = isSoak && testArguments.patterns.length === 0 ? filesWithSoak() : testArguments.patterns;
const isAll = node === undefined && patterns.length === 0 && options.length === 0;
if (isAll) rmSync(join(results, 'kept'), { recursive: true, force: true });

const run = mkdtempSync(join(tmpdir(), 'tt-'));
chmodSync(run, 0o755);
process.on('exit', () => rmSync(run, { recursive: true, force: true }));

/** Runs the files on one version and reruns failed ones that may be flaky. */
function runOn(major: number, binary: string): RerunResult {
  const args = isAll && majors.every(nodeBinary) ? excludeOptions(major) : [...options, ...patterns];
  const first = runVitest({ binary, args, report: join(results, `node-${major}.json`), run });
  const failures = first.report?.files.filter(({ state }) => state === 'failed') ?? [];
  // Before a second run uses the same scratch directory.
  for (const { node, file } of failures) keepScratch(keptDirectory(results, node, file), scratchOf(run, file));
  const rerunResult = rerunFailures(first, ({ file }) => {
    console.log(`\nNode ${major}: ${file} failed; rerunning it alone`);
    const report = join(results, `node-${major}-second.json`);
    return runVitest({ binary, args: [...options, join(root, file)], report, run, isRerun: true });
  });
  for (const each of [...rerunResult.flaky, ...rerunResult.failed])
    keepReports(keptPath(results, each.first.node, each.first.file), each);
  return rerunResult;
}

function failureText({ first: { node, file }, second, reasons }: SecondRun): string {
  const rerunText =
    reasons.length > 0
      ? `never flaky for ${reasons.join(', ')}`
      : second === undefined
        ? 'not rerun'
        : `${second.state} when rerun alone`;
  return `Node ${node}: ${file} failed, ${rerunText}; see ${relative(root, keptPath(results, node, file))}`;
}

let total: Counts = { passed: 0, failed: 0, skipped: 0 };
const lines: string[] = [];
const flaky: SecondRun[] = [];
for (const major of versions) {
  const binary = nodeBinary(major);
  if (binary === undefined) {
    lines.push(`Node ${major}: not run. ${missingNode([major])}`);
    continue;
  }
  const rerunResult = runOn(major, binary);
  const counts = countsOf(rerunResult.report, rerunResult.isBroken);
  total = add(total, counts);
  flaky.push(...rerunResult.flaky);
  lines.push(
    ...[...rerunResult.failed, ...rerunResult.flaky].map(failureText),
    `Node ${major}: ${closingLine(counts)}`,
  );
}
if (flaky.length > MAX_FLAKY_FILES) {
  lines.push(`${flaky.length} test files are flaky; more than ${MAX_FLAKY_FILES} fail the run`);
  total = add(total, { passed: 0, failed: 1, skipped: 0 });
}
console.log(['', ...lines, ...flaky.map(({ first }) => `flaky: ${first.file}`)].join('\n'));
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;
