/*
 * JavaScript programs in fixtures/ whose behaviour survives minification behave the same when they are also transformed.
 * The soak removes the whitespace of every program, and minifies every tenth one by each of three minifiers.
 * `TURNTABLE_SEED` chooses the programs of a sample.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { KNOWN_DIFFERENCES } from './differences.ts';
import { MINIFIERS, minifySource, type Minifier } from './minifiers.ts';
import { findPrograms, FIXTURES, runProgram } from './run-program.ts';

/** Within the workspace, so that programs find its packages, and not in node_modules, where they would be packages. */
const scratch = fileURLToPath(new URL(`../../.cache/minified-${process.pid}/`, import.meta.url));

/** Number of programs that may remain uncompared in a small sample. */
const MAX_SKIPPED = 3;

const programs = findPrograms('js', 'mjs', 'cjs');
const seed = Number(process.env['TURNTABLE_SEED'] ?? 1);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

for (const [index, minifier] of MINIFIERS.entries()) {
  describe.concurrent(`minified by ${minifier} with TURNTABLE_SEED=${seed}`, () => {
    const directory = join(scratch, minifier);
    const every = minifier === 'whitespace' ? inSoak(4, 1) : inSoak(30, 10);
    const tested = programs.filter((file, at) => at % every === (seed + index) % every && !(file in KNOWN_DIFFERENCES));
    const unminified = new Set<string>();
    let skipped = 0;

    beforeAll(async () => {
      cpSync(FIXTURES, directory, { recursive: true });
      for (const file of globSync('**/*.{js,mjs,cjs}', { cwd: directory }))
        if (!(await minifyFile(join(directory, file), minifier))) unminified.add(file);
    });

    test.for(tested)('%s', { timeout: 120_000 }, async (file, { expect: expectHere, skip }) => {
      if (unminified.has(file)) {
        skipped++;
        return skip();
      }
      const [native, transformed] = await Promise.all([
        runProgram(join(directory, file), 'native'),
        runProgram(join(directory, file), 'transformed'),
      ]);
      if (isDeepStrictEqual(transformed, native)) return;
      // A program that prints its own text, names or positions may print them differently when it is transformed.
      const isChanged = !isDeepStrictEqual(native, await runProgram(join(FIXTURES, file), 'native'));
      if (!isChanged) return expectHere(transformed).toEqual(native);
      skipped++;
      skip();
    });

    afterAll(() => {
      if (skipped > Math.max(MAX_SKIPPED, tested.length / 10))
        throw new Error(`${skipped} of ${tested.length} programs were not compared`);
    });
  });
}

/** Minifies a file in place. Directives of the runner stay. A file that the minifier does not parse is left as it is. */
async function minifyFile(path: string, minifier: Minifier): Promise<boolean> {
  const text = readFileSync(path, 'utf8');
  const directives = text.split('\n', 2).filter((line) => /^\/\/ (?:node|environment): /.test(line));
  const isModule = extname(path) === '.mjs' || (extname(path) === '.js' && /^(?:import|export)\s/m.test(text));
  const code = await minifySource(text, minifier, isModule);
  if (code !== undefined) writeFileSync(path, [...directives, code].join('\n'));
  return code !== undefined;
}

test('there are programs to minify', () => {
  expect(programs.length).toBeGreaterThan(100);
});
