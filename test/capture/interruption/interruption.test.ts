// Programs of test/programs and test/libraries, interrupted at one or a few boundaries that differ from program to
// program, must behave as without interruptions. This test takes every fourth program of test/programs; `npm run
// soak:tests` takes all of them, and main.ts in this folder interrupts them at every boundary.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inSoak } from '../../../scripts/test-run/soak.ts';
import { KNOWN_DIFFERENCES as TRANSFORM_DIFFERENCES } from '../../programs/differences.ts';
import { runProgram, type ProgramRun } from '../../programs/run-program.ts';
import { bundleTurntable, type InterruptionBundle } from './bundle.ts';
import { INTERRUPTION_DIFFERENCES, EXPECTED_REFUSALS, REFUSALS_BY_PROGRAM } from './exceptions.ts';
import { runInterrupted, comparableRun } from './run-interrupted.ts';
import { Turnstile } from './turnstile.ts';

const tests = fileURLToPath(new URL('../../', import.meta.url));
const programs = globSync('*/{*,*/main}.{js,mjs,cjs,ts,mts,cts}', { cwd: join(tests, 'programs/fixtures') })
  .filter((file) => !file.includes('node_modules'))
  .toSorted();
const libraries = globSync('*.{mjs,cjs,ts}', { cwd: join(tests, 'libraries/fixtures') }).toSorted();

let bundle: InterruptionBundle;
beforeAll(async () => {
  bundle = await bundleTurntable();
});
afterAll(() => bundle.remove());

const step = inSoak(4, 1);
const selected = [...programs.entries()].filter(
  ([number, file]) => number % step === step - 1 && !(file in INTERRUPTION_DIFFERENCES),
);
const turnstile = new Turnstile(2);
let captured = 0;

describe.concurrent('an interrupted program continues as if nothing had happened', () => {
  test.for(selected)('%i %s', { timeout: 300_000 }, async ([number, file], { expect: localExpect }) => {
    const path = join(tests, 'programs/fixtures', file);
    // Varies the boundary from program to program.
    const skip = (): number => [0, 1, 0, 3, 6][Math.floor(number / step) % 5] as number;
    const [expectedRun, actual] = await turnstile.pass(async () => [
      await expected(path, file in TRANSFORM_DIFFERENCES),
      await runInterrupted(path, bundle, { skip, maxCaptures: 1 }),
    ]);
    captured += actual.captures;
    localExpect(comparableRun(actual), actual.stderr).toEqual(comparableRun(expectedRun));
    const allowed = [...EXPECTED_REFUSALS, ...(REFUSALS_BY_PROGRAM[file] ?? [])];
    localExpect(actual.refusals.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([]);
  });
});

describe.concurrent('an interrupted library program continues as if nothing had happened', () => {
  test.for(libraries)('%s', { timeout: 300_000 }, async (file, { expect: localExpect }) => {
    const path = join(tests, 'libraries/fixtures', file);
    const [expectedRun, actual] = await turnstile.pass(async () => [
      await expected(path, false),
      await runInterrupted(path, bundle, { maxCaptures: inSoak(1, 2) }),
    ]);
    localExpect(comparableRun(actual), actual.stderr).toEqual(comparableRun(expectedRun));
    localExpect(actual.refusals).toEqual([]);
    localExpect(actual.captures).toBeGreaterThan(0);
  });
});

test('interrupts most programs', () => {
  expect(captured).toBeGreaterThan((selected.length * 2) / 3);
});

test('lists only existing programs as exceptions', () => {
  for (const file of [...Object.keys(INTERRUPTION_DIFFERENCES), ...Object.keys(REFUSALS_BY_PROGRAM)])
    expect(programs).toContain(file);
});

/** Expected run without interruptions: native, except for programs that are known to differ when transformed. */
function expected(path: string, differs: boolean): Promise<ProgramRun> {
  if (/\.[cm]?ts$/.test(path)) {
    const isMain = basename(path).startsWith('main.');
    const beside = isMain ? join(dirname(path), 'expected.txt') : path.replace(/\.[cm]?ts$/, '.expected.txt');
    return Promise.resolve({ stdout: readFileSync(beside, 'utf8'), code: 0, died: '' });
  }
  if (!differs) return runProgram(path, 'native');
  return runProgram(path, 'transformed', { NODE_COMPILE_CACHE: bundle.compileCache }, bundle.register);
}
