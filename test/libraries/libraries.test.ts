/*
 * Libraries of different styles, transformed as dependencies of a program, behave as they do natively. Each program is
 * in the style of the library's own documentation.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, test } from 'vitest';
import { type ProgramRun, runProgram } from '../programs/run-program.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const reports = mkdtempSync(join(tmpdir(), 'turntable-libraries-'));
afterAll(() => rmSync(reports, { recursive: true }));

/** Each program with the packages that must have run transformed. */
const programs: readonly (readonly [file: string, ...packages: string[]])[] = [
  ['acorn.mjs', 'acorn'],
  ['ajv.cjs', 'ajv', 'fast-deep-equal', 'json-schema-traverse', 'fast-uri'],
  ['bottleneck.cjs', 'bottleneck'],
  ['date-fns.mjs', 'date-fns'],
  ['dayjs.cjs', 'dayjs'],
  ['decimal.mjs', 'decimal.js'],
  ['eventemitter3.mjs', 'eventemitter3'],
  ['graphql.cjs', 'graphql'],
  ['handlebars.cjs', 'handlebars', 'source-map'],
  ['immer.mjs', 'immer'],
  ['immutable.cjs', 'immutable'],
  ['lodash.cjs', 'lodash'],
  ['lru-cache.mjs', 'lru-cache'],
  ['p-queue.mjs', 'p-queue', 'p-timeout', 'eventemitter3'],
  ['tsyringe.ts', 'tsyringe', 'reflect-metadata', 'tslib'],
  ['xstate.mjs', 'xstate'],
  ['zod.mjs', 'zod'],
];

describe.concurrent('a program with', () => {
  test.for(programs)('%s', { timeout: 120_000 }, async ([file, ...packages], { expect }) => {
    const path = join(fixtures, file);
    const report = join(reports, `${file}.json`);
    const [native, transformed] = await Promise.all([
      expected(path),
      runProgram(path, 'transformed', { LIBRARIES_REPORT: report }, new URL('register.ts', import.meta.url).href),
    ]);
    expect(transformed).toEqual(native);
    const sides = JSON.parse(readFileSync(report, 'utf8')) as { name: string; side: string }[];
    expect(sides.filter(({ side }) => side === 'program').map(({ name }) => name)).toEqual(
      expect.arrayContaining(packages),
    );
  });
});

async function expected(path: string): Promise<ProgramRun> {
  if (!path.endsWith('.ts')) return runProgram(path, 'native');
  return { stdout: readFileSync(path.replace(/\.ts$/, '.expected.txt'), 'utf8'), code: 0, died: '' };
}
