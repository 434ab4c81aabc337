// npm run published: runs the tests that packages publish on Node alone, under Turntable, recorded and replayed, and
// reports differences.
import { appendFileSync, mkdtempSync, rmSync, globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareFile, type FileReport } from './compare.ts';
import { PACKAGES, type PublishedPackage, type TestStyle } from './packages.ts';
import { stagePackage, stageCheckout, type Stage } from './stage.ts';
import type { PublishedRunMode } from './run-modes.ts';

const USAGE = `Usage: npm run published -- [--ways WAYS] [--plugin] [--only TEXT] [--json FILE] [--modules DIR] [PACKAGE…]
       npm run published -- --checkout DIR [--ways WAYS] [--only TEXT] PACKAGE
       npm run published -- --directory DIR --files GLOB --style node:test|mocha|script [--ways WAYS] [--only TEXT]

Runs the named packages of test/published/packages.ts, or all whose tests are installed with them.
  --ways WAYS     comma-separated modes: transformed (default settings), included (all packages
                  transformed), recorded, replayed; all by default
  --plugin        run Fastify's tests with @turntable/fastify registered
  --modules DIR   node_modules directory with further packages that tests need
  --checkout DIR  repository of a package whose tests are not installed with it; pg needs PGHOST etc.
  --only TEXT     only files whose paths contain TEXT
  --json FILE     append a line of JSON for each file
  --directory DIR run files of any directory; in style script, each printed line is a test`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ways: { type: 'string', default: 'transformed,included,recorded,replayed' },
    plugin: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    modules: { type: 'string' },
    checkout: { type: 'string' },
    directory: { type: 'string' },
    files: { type: 'string', default: '**/*.test.js' },
    style: { type: 'string', default: 'node:test' },
    help: { type: 'boolean', default: false },
  },
});
const modes = values.ways.split(',') as PublishedRunMode[];

interface Sum {
  tests: number;
  same: number;
  readonly different: Set<string>;
}

async function compareAll(name: string, directory: string, files: readonly string[], style: TestStyle): Promise<void> {
  const chosen = files.filter((file) => file.includes(values.only));
  const sums = new Map<PublishedRunMode, Sum>();
  let failing = 0;
  let tests = 0;
  for (const file of chosen) {
    const report = await compareFile(modes, { directory, file, style });
    if (values.json !== undefined) appendFileSync(values.json, `${JSON.stringify({ name, ...report })}\n`);
    tests += report.tests;
    failing += report.failing;
    for (const { mode, same, different } of report.compared) {
      const sum = sums.get(mode) ?? { tests: 0, same: 0, different: new Set() };
      sums.set(mode, { ...sum, tests: sum.tests + report.tests, same: sum.same + same });
      if (different.length > 0) sum.different.add(file);
    }
    printReport(name, report);
  }
  console.log(`${name}: ${chosen.length} files, ${tests} tests, ${failing} fail on Node alone`);
  for (const [mode, { same, different }] of sums) {
    console.log(
      `  ${mode}: ${same} tests the same; ${chosen.length - different.size} files the same, ${different.size} not`,
    );
    if (different.size > 0) process.exitCode = 1;
  }
}

function printReport(name: string, { file, tests, compared }: FileReport): void {
  const differing = compared.filter(({ different }) => different.length > 0);
  console.log(`${differing.length === 0 ? 'same' : 'DIFFERENT'} ${name} ${file}: ${tests} tests`);
  for (const { mode, different, keptRecording: kept } of differing) {
    console.log(`  ${mode}${kept === undefined ? '' : `, in ${kept}`}`);
    for (const line of different.slice(0, 8)) console.log(`    ${line.slice(0, 600)}`);
  }
}

if (values.help) console.log(USAGE);
else if (values.directory !== undefined) {
  const directory = resolve(values.directory);
  const files = globSync(values.files, { cwd: directory }).toSorted();
  await compareAll(directory, directory, files, values.style as TestStyle);
} else {
  const unknown = positionals.filter((name) => PACKAGES.every((each) => each.name !== name));
  if (unknown.length > 0) throw new Error(`no tests known for ${unknown.join(', ')}; see packages.ts`);
  for (const published of PACKAGES) {
    const isNamed = positionals.includes(published.name);
    if (positionals.length > 0 ? !isNamed : published.checkoutPath !== undefined) continue;
    const parent = mkdtempSync(join(tmpdir(), 'turntable-published-'));
    try {
      const { directory, files, excludedFiles } = createStage(published, parent);
      await compareAll(published.name, directory, files, published.style);
      for (const [file, reason] of excludedFiles) console.log(`  not run: ${file}, ${reason}`);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  }
}

function createStage(published: PublishedPackage, parent: string): Stage {
  if (published.checkoutPath === undefined) return stagePackage(published, parent, values);
  if (values.checkout === undefined)
    throw new Error(`the tests of ${published.name} are not installed with it; use --checkout DIR`);
  return stageCheckout(published, values.checkout);
}
