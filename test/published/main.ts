// npm run published: the tests that packages carry, run as Node runs them, under Turntable, recorded, and from the recordings, and what is not the same.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { comparedIn, type FileReport } from './compare.ts';
import { PACKAGES, type Published, type Style } from './packages.ts';
import { stage, stageOfCheckout, type Stage } from './stage.ts';
import type { Way } from './ways.ts';

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
const ways = values.ways.split(',') as Way[];

interface Sum {
  tests: number;
  same: number;
  readonly different: Set<string>;
}

async function compareAll(name: string, directory: string, files: readonly string[], style: Style): Promise<void> {
  const chosen = files.filter((file) => file.includes(values.only));
  const sums = new Map<Way, Sum>();
  let failing = 0;
  let tests = 0;
  for (const file of chosen) {
    const report = await comparedIn(ways, { directory, file, style });
    if (values.json !== undefined) appendFileSync(values.json, `${JSON.stringify({ name, ...report })}\n`);
    tests += report.tests;
    failing += report.failing;
    for (const { way, same, different } of report.compared) {
      const sum = sums.get(way) ?? { tests: 0, same: 0, different: new Set() };
      sums.set(way, { ...sum, tests: sum.tests + report.tests, same: sum.same + same });
      if (different.length > 0) sum.different.add(file);
    }
    tell(name, report);
  }
  console.log(`${name}: ${chosen.length} files, ${tests} tests, of which ${failing} fail on Node alone`);
  for (const [way, { same, different }] of sums) {
    console.log(
      `  ${way}: ${same} tests the same; ${chosen.length - different.size} files the same, ${different.size} not`,
    );
    if (different.size > 0) process.exitCode = 1;
  }
}

function tell(name: string, { file, tests, compared }: FileReport): void {
  const wrong = compared.filter(({ different }) => different.length > 0);
  console.log(`${wrong.length === 0 ? 'same' : 'DIFFERENT'} ${name} ${file}: ${tests} tests`);
  for (const { way, different, kept } of wrong) {
    console.log(`  ${way}${kept === undefined ? '' : `, in ${kept}`}`);
    for (const line of different.slice(0, 8)) console.log(`    ${line.slice(0, 600)}`);
  }
}

if (values.help) console.log(USAGE);
else if (values.directory !== undefined) {
  const directory = resolve(values.directory);
  const files = globSync(values.files, { cwd: directory }).toSorted();
  await compareAll(directory, directory, files, values.style as Style);
} else {
  const unknown = positionals.filter((name) => PACKAGES.every((each) => each.name !== name));
  if (unknown.length > 0) throw new Error(`no tests are known of ${unknown.join(', ')}; see packages.ts`);
  for (const published of PACKAGES) {
    const isNamed = positionals.includes(published.name);
    if (positionals.length > 0 ? !isNamed : published.within !== undefined) continue;
    const place = mkdtempSync(join(tmpdir(), 'turntable-published-'));
    try {
      const { directory, files, without } = stageOf(published, place);
      await compareAll(published.name, directory, files, published.style);
      for (const [file, why] of without) console.log(`  not run: ${file}, ${why}`);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }
}

function stageOf(published: Published, place: string): Stage {
  if (published.within === undefined) return stage(published, place, values);
  if (values.checkout === undefined)
    throw new Error(`the tests of ${published.name} are not installed with it: name a checkout by --checkout`);
  return stageOfCheckout(published, values.checkout);
}
