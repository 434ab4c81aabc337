/*
 * Every JavaScript program in fixtures/ whose behaviour survives the removal of its whitespace behaves the same when it
 * is also transformed. Every tenth program is minified in full, too.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { transformSync, type TransformOptions } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KNOWN_DIFFERENCES } from './differences.ts';
import { findPrograms, FIXTURES, runProgram } from './run-program.ts';

/** Within the workspace, so that programs find its packages, and not in node_modules, where they would be packages. */
const scratch = fileURLToPath(new URL(`../../.cache/minified-${process.pid}/`, import.meta.url));

const programs = findPrograms('js', 'mjs', 'cjs');

const FORMS: Readonly<Record<string, { readonly every: number; readonly options: TransformOptions }>> = {
  'without whitespace': { every: 1, options: { minifyWhitespace: true } },
  'minified by esbuild': { every: 10, options: { minify: true } },
};

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

for (const [form, { every, options }] of Object.entries(FORMS)) {
  describe.concurrent(form, () => {
    const directory = join(scratch, form.replaceAll(' ', '-'));
    const tested = programs.filter((_, index) => index % every === 0);
    let skipped = 0;

    beforeAll(() => {
      cpSync(FIXTURES, directory, { recursive: true });
      for (const file of globSync('**/*.{js,mjs,cjs}', { cwd: directory })) minify(join(directory, file), options);
    });

    test.for(tested)('%s', { timeout: 120_000 }, async (file, { expect: expectHere, skip }) => {
      if (file in KNOWN_DIFFERENCES) return skip();
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
      if (skipped > tested.length / 10) throw new Error(`${skipped} of ${tested.length} programs differ when minified`);
    });
  });
}

/** Minifies a file in place. Directives of the runner stay; a file that is invalid on purpose is left as it is. */
function minify(path: string, options: TransformOptions): void {
  const text = readFileSync(path, 'utf8');
  const directives = text.split('\n', 2).filter((line) => /^\/\/ (?:node|environment): /.test(line));
  try {
    const { code } = transformSync(text, { ...options, charset: 'utf8', target: 'esnext', legalComments: 'none' });
    writeFileSync(path, [...directives, code].join('\n'));
  } catch {
    // The file stays as it is.
  }
}

test('there are programs to minify', () => {
  expect(programs.length).toBeGreaterThan(100);
});
