/*
 * `npm run test262 -- --suite PATH [--only TEXT] [--flag async|module] [--every N [--seed N]] [--jobs N] [--json]
 * [--native] [--interrupt] [--debug] [--minified MINIFIER]`: the share of natively passing test262 files that pass
 * transformed. With `--interrupt`, states are captured and restored at every job boundary; with `--debug`, code is
 * stopped at every statement. With `--minified`, files that pass transformed are minified and compared if they still
 * pass natively. That fails if a file then fails transformed, or if fewer than 90 % of the files are compared. Native
 * results are cached by Node version, others by the hash of the sources that they depend on, so that an interrupted run
 * resumes.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseFrontmatter } from './frontmatter.ts';
import { isMinifier, MINIFIERS, type Minifier } from '../programs/minifiers.ts';
import { markdownOf, summarize, tableOf } from './report.ts';
import { hashOf, hashOfFiles, ResultLog, suiteFileHash } from './result-log.ts';
import { listSuite } from './suite.ts';
import type { Mode } from './worker.ts';
import { runFiles } from './worker-pool.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const { values: flags } = parseArgs({
  options: {
    suite: { type: 'string' },
    only: { type: 'string' },
    flag: { type: 'string' },
    every: { type: 'string', default: '1' },
    minified: { type: 'string' },
    seed: { type: 'string', default: '0' },
    interrupt: { type: 'boolean', default: false },
    debug: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    native: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'node_modules/.cache/turntable/test262') },
  },
});

const minifier = isMinifier(flags.minified) ? flags.minified : undefined;
const isUsageError =
  flags.suite === undefined ||
  flags.minified !== minifier ||
  (minifier !== undefined && (flags.interrupt || flags.debug));
if (flags.help || isUsageError) {
  const usage =
    'usage: npm run test262 -- --suite PATH [--only TEXT] [--flag async|module] [--every N] [--seed N] [--jobs N] [--json]\n' +
    `                          [--native] [--interrupt] [--debug] [--minified ${MINIFIERS.join('|')}] [--out DIR]\n`;
  (flags.help ? process.stdout : process.stderr).write(usage);
  process.exit(flags.help ? 0 : 2);
}

const MIN_COMPARED_SHARE = 0.9;

/** Files that pass transformed and natively minified, and fail transformed minified, with the reason. */
const KNOWN_MINIFIED_FAILURES: Readonly<Record<string, string>> = {};

const suite = resolve(flags.suite as string);
const out = resolve(flags.out);
const { flag } = flags;
const paths = listSuite(suite, flags.only)
  .filter((path) => flag === undefined || hasFlag(path, flag))
  .filter((_, i) => i % Number(flags.every) === Number(flags.seed) % Number(flags.every));
const hashes = new Map(paths.map((path) => [path, suiteFileHash(suite, path)]));

const sourcesOf = (...patterns: string[]): string =>
  hashOfFiles(patterns.flatMap((pattern) => globSync(join(root, pattern))));
const runnerHash = sourcesOf('test/conformance/{execution,frontmatter,native-realm,test-realm}.ts');
const harnessHash = hashOfFiles(globSync(join(suite, 'harness/**/*.js')));
const nativeHash = hashOf(runnerHash, harnessHash);
const transformedHash = hashOf(
  nativeHash,
  sourcesOf(
    'packages/{core,transform}/src/**/*.ts',
    'packages/loader/src/realm/function-sources.ts',
    'test/conformance/{realm-bundle,transformed-realm}.ts',
  ),
);
const interruptedHash = hashOf(
  transformedHash,
  sourcesOf(
    'packages/heap/src/**/*.ts',
    'packages/loader/src/realm/engine-view.ts',
    'test/conformance/interrupted-realm.ts',
  ),
);

const native = await results('native', nativeHash, paths);
const passing = paths.filter((path) => native.results.get(path)?.failure === undefined);
process.stderr.write(`native: ${passing.length} of ${paths.length} files pass on Node ${process.version}\n`);
if (flags.native) process.exit(0);

const transformed = flags.interrupt
  ? await results('interrupted', interruptedHash, passing)
  : await results(flags.debug ? 'debug' : 'transformed', transformedHash, passing);
if (minifier !== undefined) process.exit(await compareMinified(minifier));
const report = summarize({
  node: process.version,
  files: paths.map((path) => ({
    path,
    native: native.results.get(path)?.failure === undefined,
    failure: transformed.results.get(path)?.failure,
    refused: transformed.results.get(path)?.refused !== undefined,
    exclusion: transformed.results.get(path)?.exclusion,
  })),
});
mkdirSync(out, { recursive: true });
const name = join(
  out,
  `report-${flags.interrupt ? 'interrupted-' : flags.debug ? 'debug-' : ''}${process.version}${flags.only === undefined ? '' : `-${flags.only.replaceAll(/\W+/g, '_')}`}`,
);
writeFileSync(`${name}.json`, JSON.stringify(report, null, 1));
writeFileSync(`${name}.md`, markdownOf(report));
process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : `${tableOf(report)}\n`);
process.stderr.write(`failures by cause: ${name}.md\n`);

function hasFlag(path: string, name: string): boolean {
  return parseFrontmatter(readFileSync(join(suite, path), 'utf8')).flags.includes(name);
}

/** Compares minified files. Files that are invalid on purpose cannot be minified. Returns the exit code. */
async function compareMinified(by: Minifier): Promise<number> {
  const base = passing.filter((path) => {
    const { negative } = parseFrontmatter(readFileSync(join(suite, path), 'utf8'));
    return transformed.results.get(path)?.failure === undefined && negative?.phase !== 'parse';
  });
  const minifierHash = sourcesOf('test/programs/minifiers.ts', 'test/conformance/worker.ts');
  const nativeResults = await results('native', hashOf(nativeHash, minifierHash), base, by);
  const compared = base.filter((path) => nativeResults.results.get(path)?.failure === undefined);
  const minifiedResults = await results('transformed', hashOf(transformedHash, minifierHash), compared, by);
  const failed = compared.filter((path) => minifiedResults.results.get(path)?.failure !== undefined);
  const unexpected = failed.filter((path) => !(path in KNOWN_MINIFIED_FAILURES));
  for (const path of failed) {
    const { variant, reason, detail } = minifiedResults.results.get(path)?.failure ?? {};
    const known = KNOWN_MINIFIED_FAILURES[path];
    process.stdout.write(
      `${path}${known === undefined ? '' : ` (known: ${known})`}\n  ${variant} ${reason}: ${detail}\n`,
    );
  }
  const share = `${compared.length} of ${base.length} files pass natively minified`;
  process.stdout.write(
    `minified by ${by}, --every ${flags.every} --seed ${flags.seed}: ${share}; ${failed.length} of them fail transformed, ${unexpected.length} unexpectedly\n`,
  );
  const isEnough = compared.length >= base.length * MIN_COMPARED_SHARE;
  if (!isEnough) process.stderr.write('test262: fewer than 90 % of the files are compared\n');
  return isEnough && unexpected.length === 0 ? 0 : 1;
}

async function results(mode: Mode, hash: string, wantedPaths: readonly string[], by?: Minifier): Promise<ResultLog> {
  const log = new ResultLog(join(out, `${mode}${by === undefined ? '' : `-${by}`}-${process.version}-${hash}.jsonl`));
  const missing = wantedPaths.filter((path) => !log.has(path, hashes.get(path) ?? ''));
  let done = 0;
  let failed = 0;
  await runFiles(missing, {
    suite,
    mode,
    minifier: by,
    jobs: Number(flags.jobs),
    onResult: (path, outcome) => {
      log.add({ path, hash: hashes.get(path) ?? '', ...outcome });
      done++;
      if (outcome.failure !== undefined) failed++;
      if (done % 500 === 0 || done === missing.length) {
        process.stderr.write(`${mode}: ${done}/${missing.length} run, ${failed} failed\n`);
      }
    },
  });
  return log;
}
