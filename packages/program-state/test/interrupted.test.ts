// A program whose process ends at a job boundary, and that continues in a new process from its captured state, prints the
// same as in one process: state of the process and the console, changed host objects, modules in all stages.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleTurntable, type InterruptionBundle } from '../../../test/capture/interruption/bundle.ts';
import { runInterrupted } from '../../../test/capture/interruption/run-interrupted.ts';
import { runProgram } from '../../../test/programs/run-program.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const programs = [
  ...globSync('packages/program-state/test/fixtures/*.cjs', { cwd: root }),
  ...globSync('test/programs/fixtures/host-changes/*.{js,cjs,mjs}', { cwd: root }),
  ...globSync('test/capture/interruption/fixtures/*/main.{mjs,cjs}', { cwd: root }),
].toSorted();

let bundle: InterruptionBundle;
beforeAll(async () => {
  bundle = await bundleTurntable();
});
afterAll(() => bundle.remove());

test.each(programs)('prints the same in several processes as in one: %s', { timeout: 300_000 }, async (program) => {
  const expected = await runProgram(root + program, 'native');
  const isDense = basename(program) === 'process.cjs';
  const { captures, refusals, stderr, ...actual } = await runInterrupted(root + program, bundle, {
    skip: (count) => (isDense ? 1 : count),
    maxCaptures: isDense ? Infinity : 3,
  });
  expect(actual, stderr).toEqual(expected);
  expect(refusals).toEqual([]);
  expect(captures).toBeGreaterThan(1);
});
