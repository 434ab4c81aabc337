// npm run published: the tests that packages carry, run as Node runs them, under Turntable, recorded, and from the recordings, and what is not the same.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { globSync } from 'node:fs';
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

Packages are those of test/published/packages.ts, if none is named all that carry their tests where they are installed.
  --ways WAYS     among transformed, included, recorded, again (all of them, with commas): with the settings of everybody; with all packages transformed; recorded; run again
  --plugin        the tests of Fastify get a Fastify that has registered @turntable/fastify, and runs natively where it is recorded
  --modules DIR   packages that tests need and that are not installed here: a node_modules
  --checkout DIR  of the repository of a package whose tests are not installed with it, with what they need; those of pg look for a server by PGHOST and its like
  --only TEXT     files with that in their paths
  --json FILE     a line for each file
  --directory     files of a checkout that lies elsewhere; a script is a file whose tests are the lines that it prints`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ways: { type: 'string', default: 'transformed,included,recorded,again' },
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
  console.log(`${name}: ${chosen.length} files, ${tests} tests, of which ${failing} fail on Node alone`);
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
  if (unknown.length > 0) throw new Error(`no tests are known of ${unknown.join(', ')}; see packages.ts`);
  for (const published of PACKAGES) {
    const isNamed = positionals.includes(published.name);
    if (positionals.length > 0 ? !isNamed : published.checkoutPath !== undefined) continue;
    const parent = mkdtempSync(join(tmpdir(), 'turntable-published-'));
    try {
      const { directory, files, excludedFiles: without } = createStage(published, parent);
      await compareAll(published.name, directory, files, published.style);
      for (const [file, reason] of without) console.log(`  not run: ${file}, ${reason}`);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  }
}

function createStage(published: PublishedPackage, parent: string): Stage {
  if (published.checkoutPath === undefined) return stagePackage(published, parent, values);
  if (values.checkout === undefined)
    throw new Error(`the tests of ${published.name} are not installed with it: name a checkout by --checkout`);
  return stageCheckout(published, values.checkout);
}
