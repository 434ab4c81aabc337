// npm test [-- [--node MAJOR] PATTERN…]
// Runs the tests on every supported Node.js and adds up the counts. Its last line is `N passed, N failed[, N skipped]`,
// whatever happened before. Stories of whole programs, which take long, run on one version each; on all they do if they are named, or if a
// version is.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { majors, missingNode, nodeBinary, root } from './node-release.mjs';
import { add, closingLine, countsOf } from './test-counts.ts';
import type { Counts, Report } from './test-counts.ts';

const reports = join(root, 'node_modules/.cache/turntable-tests');

function reportAt(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return undefined; // the run ended before it could write one, and its exit code says so
  }
}

function runOn(binary: string, report: string, patterns: readonly string[]): Counts {
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(binary, [vitest, 'run', ...reporters, ...patterns], { cwd: root, stdio: 'inherit' });
  return countsOf(reportAt(report), status);
}

/** What a version leaves to the other one. */
const LEFT: Readonly<Record<number, readonly string[]>> = {
  24: [
    'test/recordings/faults',
    'test/recordings/revival',
    'test/recordings/elsewhere',
    'test/services/*',
    'test/libraries/*',
    'test/actors/*',
    'test/snapshots/damaged-parts',
    'test/snapshots/oracle',
    'test/snapshots/explorer',
    'test/recordings/packed',
    'packages/core/test/promises-aplus',
    'test/replay/faults',
    'test/replay/savina',
    'test/replay/suite',
    'test/outside/endurance',
    'test/outside/fastify',
    'test/outside/faults',
    'test/capture/interruption/behaviour',
    'examples/acmeair/test/recorded',
    'apps/debugger/test/browser',
    'apps/debugger/test/browser-start',
    'apps/debugger/test/browser-many',
    'test/capture/interruption/interruption',
    'test/engine/asking',
    'test/engine/wrote',
    'test/engine/kinds',
    'test/engine/promises',
    'test/engine/requests',
    'test/dap/kinds',
    'test/dap/acmeair',
    'test/devtools/front-end',
  ],
  26: [
    'test/in-place/*',
    'test/recordings/recordings',
    'test/recordings/queries',
    'test/devices/*',
    'test/replay/racy',
    'test/recordings/later',
    'test/snapshots/revival',
    'test/replay/divergence',
    'test/replay/replay',
    'test/outside/services',
    'test/published/*',
    'test/house/examples',
    'test/bundlers/*',
    'test/capture/interruption/host-changes',
    'packages/recording/test/faults',
    'packages/turntable/test/capture',
    'packages/heap/test/damage',
    'apps/debugger/test/asking',
    'test/engine/damaged',
    'test/engine/engine',
    'test/engine/back',
    'bench/jardis/jardis',
    'test/replay/survey',
    'test/outside/features',
    'test/outside/failures',
    'examples/acmeair/test/seeded-bug',
    'examples/acmeair/test/browser',
    'examples/acmeair/test/flush',
    'test/engine/permissions',
    'test/engine/debug',
    'apps/debugger/test/lists',
    'test/snapshots/savina',
    'test/conformance/cases',
    'test/dap/session',
    'test/outside/lending',
    'packages/replayer/test/taped/placed',
    'packages/runtime/test/threads/replay',
    'packages/runtime/test/transport/threads',
    'packages/runtime/test/collection',
    'packages/runtime/test/types/types',
    'packages/recording/test/writer',
    'packages/heap/test/pieces',
    'packages/transform/test/debug-form',
    'packages/turntable/test/cli',
    'test/recordings/kept',
    'test/oracle/oracle',
    'examples/acmeair/test/going-back',
    'test/live/services',
    'test/devtools/time-travel',
    'test/devtools/session',
    'test/engine/ready',
    'test/dap/live',
    'test/devtools/live',
    'test/engine/algebra',
  ],
};

const patterns = process.argv.slice(2);
const isShared = patterns.length === 0;
const wanted = patterns[0] === '--node' ? [Number(patterns.splice(0, 2)[1])] : majors;
if (!wanted.some((major) => nodeBinary(major) !== undefined)) {
  console.error(missingNode(wanted));
  process.exit(1);
}
mkdirSync(reports, { recursive: true });
let total: Counts = { passed: 0, failed: 0, skipped: 0 };
const lines: string[] = [];
for (const major of wanted) {
  const binary = nodeBinary(major);
  if (binary === undefined) {
    lines.push(`Node ${major}: not run. ${missingNode([major])}`);
    continue;
  }
  const left = isShared && majors.every(nodeBinary) ? (LEFT[major] ?? []) : [];
  const excluded = left.map((files) => `--exclude=${files}.test.ts`);
  const counts = runOn(binary, join(reports, `node-${major}.json`), [...patterns, ...excluded]);
  total = add(total, counts);
  lines.push(`Node ${major}: ${closingLine(counts)}`);
}
console.log(lines.join('\n'));
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;
