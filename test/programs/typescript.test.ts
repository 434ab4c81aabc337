/*
 * TypeScript behaves under the loader as after compilation by tsc with the same tsconfig.json: every program of a
 * project in typescript/fixtures is compiled by the installed compiler and run natively, and run transformed from its
 * source.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from './run-program.ts';

const root = fileURLToPath(new URL('typescript/fixtures/', import.meta.url));
/** Within the workspace, so that programs find its packages. */
const compiled = fileURLToPath(
  new URL(`../../node_modules/.cache/turntable-tests/tsc-${process.pid}/`, import.meta.url),
);
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

const projects = Map.groupBy(globSync('*/*.ts', { cwd: root }).toSorted(), (file) => dirname(file));
/** Files that are imported by programs and are no programs. */
const parts = new Set(['verbatim/side.ts', 'verbatim/effect.ts', 'verbatim/effect-too.ts']);

beforeAll(() => {
  for (const project of projects.keys()) {
    const out = join(compiled, project);
    mkdirSync(out, { recursive: true });
    copyFileSync(join(root, project, 'package.json'), join(out, 'package.json'));
    execFileSync(process.execPath, [tsc, '-p', join(root, project), '--outDir', out, '--rootDir', join(root, project)]);
  }
});

afterAll(() => rmSync(compiled, { recursive: true, force: true }));

for (const [project, files] of projects) {
  describe.concurrent(project, () => {
    test.for(files.filter((file) => !parts.has(file)))(
      '%s',
      { timeout: 120_000 },
      async (file, { expect: expectHere }) => {
        const [native, transformed] = await Promise.all([
          runProgram(join(compiled, file.replace(/ts$/, 'js')), 'native'),
          runProgram(join(root, file), 'transformed'),
        ]);
        expectHere(transformed).toEqual(native);
        expectHere(native).toMatchObject({ code: 0, died: '' });
      },
    );
  });
}

test('has a project for every set of options', () => {
  expect([...projects.keys()]).toEqual(['assign', 'legacy', 'nodenext', 'standard', 'verbatim']);
});
